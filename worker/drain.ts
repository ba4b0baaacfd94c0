// Works until it is asked to stop or to drain; a drained worker stays, idle, until its process is ended.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from '@temporalio/worker'
import type { Log } from '../runtime/log'
import type { Registration } from './registration'

export interface WorkParts {
  readonly registration: Pick<Registration, 'askedToDrain' | 'become'>
  /** Ends the process. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly onReady: () => void
  /** How long a drain waits for a Temporal that is silent. */
  readonly patienceMs?: number
}

/** Longer than `shutdownForceTime` (worker.ts): by then no step is under way, and what Temporal hands over late nobody begins. */
const drainPatienceMs = 30_000

/**
 * Resolves when the signal has stopped it and nothing is under way any more. It does not end when it is drained: whoever
 * supervises the process would start a new one at once, which would take up the work again.
 */
export async function workUntilStopped(workers: readonly Worker[], parts: WorkParts): Promise<void> {
  const { registration, signal, log, onReady, patienceMs = drainPatienceMs } = parts
  const noMore = AbortSignal.any([signal, registration.askedToDrain])
  const draining = aborted(noMore).then(() => registration.become('draining'))
  const running = runAll(workers, noMore, onReady).catch((error: unknown) => {
    // For the same reason one that is draining must not fail over a step that outlasts its patience.
    if (signal.aborted || !noMore.aborted) throw error
    log.warn({ err: error }, 'what had begun did not end in time, so another worker does it again')
  })
  await Promise.race([running, patienceEnds(noMore, patienceMs)])
  if (!signal.aborted) {
    await draining
    await registration.become('drained')
    log.info('drained: it takes nothing new until this process is ended')
    await aborted(signal)
  }
  await running
}

async function patienceEnds(noMore: AbortSignal, ms: number): Promise<void> {
  await aborted(noMore)
  await wait(ms, null, { ref: false })
}

/** One that fails takes the others with it: half a worker would look like a whole one. */
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
