// Runs a process with a clock that is ahead of this machine, so that no test has to wait for days.
import { preloading } from './child-env'

/**
 * Returns environment variables for the process, or none if its clock never moves. PostgreSQL and Temporal still use
 * the real time.
 */
export function clockAhead(aheadMs: number | undefined): Record<string, string> {
  if (aheadMs === undefined) return {}
  return { CLOCK_AHEAD_MS: String(aheadMs), NODE_OPTIONS: preloading('move-clock.cjs') }
}
