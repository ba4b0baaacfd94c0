// Runs the worker until it must stop or drain. A drained worker stays idle until its process ends.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from '@temporalio/worker'
import type { Log } from '../runtime/log'
import type { Registration } from './registration'

interface WorkParts {
  readonly registration: Pick<Registration, 'askedToDrain' | 'become'>
  /** Stops the worker. The process ends after that. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly onReady: () => void
  /** How long a drain waits for an unresponsive Temporal server. */
  readonly drainWithinMs?: number
}

/** Longer than `shutdownForceTime` (worker.ts): by then no activity is running, and none starts. */
const defaultDrainMs = 30_000

/**
 * Resolves when the signal has stopped the worker and nothing is running. Does not resolve after a drain, because a
 * supervisor would then restart the process, which would take new work.
 */
export async function workUntilStopped(workers: readonly Worker[], parts: WorkParts): Promise<void> {
  const { registration, signal, log, onReady, drainWithinMs = defaultDrainMs } = parts
  const noMore = AbortSignal.any([signal, registration.askedToDrain])
  const draining = aborted(noMore).then(() => registration.become('draining'))
  const running = runAll(workers, noMore, onReady).catch((error: unknown) => {
    // A draining worker must not fail when an activity exceeds the shutdown time. Its supervisor would restart it, and
    // it would take new work.
    if (signal.aborted || !noMore.aborted) throw error
    log.warn({ err: error }, 'activities did not finish in time; another worker repeats them')
  })
  await Promise.race([running, drainTimeout(noMore, drainWithinMs)])
  if (!signal.aborted) {
    await draining
    await registration.become('drained')
    log.info('drained; takes no new work until this process ends')
    await aborted(signal)
  }
  await running
}

async function drainTimeout(noMore: AbortSignal, ms: number): Promise<void> {
  await aborted(noMore)
  await wait(ms, null, { ref: false })
}

/** If one worker fails, all stop, because a process in which only some of them run would look healthy. */
async function runAll(workers: readonly Worker[], signal: AbortSignal, onReady: () => void): Promise<void> {
  const stop = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }
  signal.addEventListener('abort', stop)
  const runs = workers.map((worker) => worker.run().finally(stop))
  if (signal.aborted) stop()
  else onReady()
  await Promise.all(runs).catch(async (error: unknown) => {
    if (signal.aborted) await Promise.allSettled(runs)
    throw error
  })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
