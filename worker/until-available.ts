// Waits for a server that is not reachable yet. Logs only when the reason changes.

import { setTimeout as wait } from 'node:timers/promises'
import { describeError, type Log } from '../runtime/log'

export interface WaitOptions {
  readonly log: Log
  /** Stops waiting with an AbortError. */
  readonly signal: AbortSignal
}

export async function untilAvailable<T>(
  server: string,
  attempt: () => Promise<T>,
  { log, signal }: WaitOptions,
): Promise<T> {
  let reported: string | null = null
  for (let pauseMs = shortestMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    signal.throwIfAborted()
    try {
      const result = await attempt()
      if (reported !== null) log.info(`${server} is available`)
      return result
    } catch (error) {
      const reason = describeError(error).message
      if (reason !== reported) log.warn(`${server} is not available yet; retrying: ${reason}`)
      reported = reason
    }
    await wait(pauseMs, null, { signal })
  }
}

const shortestMs = 100
const longestMs = 2_000
