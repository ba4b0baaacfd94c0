// Runs a process with a clock that is ahead of this machine, so that no test has to wait for days.
import { join } from 'node:path'

/** Returns environment variables for the process. PostgreSQL and Temporal still use the real time. */
export function clockAhead(aheadMs: number): Record<string, string> {
  if (aheadMs === 0) return {}
  return { CLOCK_AHEAD_MS: String(aheadMs), NODE_OPTIONS: `--require ${join(__dirname, 'move-clock.cjs')}` }
}
