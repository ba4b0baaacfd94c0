// Ends a process within a deadline after it was asked to stop.
import type { Log } from '../runtime/log'

/** Kills instead of exiting: an exit waits for threads of the SDK, which may wait for an unresponsive server. */
export function endWithin(ms: number, signal: AbortSignal, log: Log): void {
  const kill = () => {
    log.error(`not stopped within ${ms} ms; killing the process`)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastWordsMs)
  }
  signal.addEventListener('abort', () => setTimeout(kill, ms - lastWordsMs).unref(), { once: true })
}

/** Another thread writes the log, and a kill does not wait for it. */
const lastWordsMs = 1_000
