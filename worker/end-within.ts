// The end of a process that was asked to stop comes in time, whatever it waits for.
import type { Log } from '../runtime/log'

/** Killed and not exited: an orderly exit waits for threads of the SDK, and those may wait for a server that is silent. */
export function endWithin(ms: number, signal: AbortSignal, log: Log): void {
  const kill = () => {
    log.error(`not stopped within ${ms} ms of being asked to, so it is killed`)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastWordsMs)
  }
  signal.addEventListener('abort', () => setTimeout(kill, ms - lastWordsMs).unref(), { once: true })
}

/** The log is written by another thread, for which a kill would not wait. */
const lastWordsMs = 1_000
