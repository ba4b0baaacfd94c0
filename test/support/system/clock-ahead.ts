// Runs a process with a clock that is days ahead of this machine, so that no test waits for days.
import { join } from 'node:path'

/** The environment variables of such a process. PostgreSQL and Temporal keep the real time. */
export function clockAhead(aheadMs: number): Record<string, string> {
  if (aheadMs === 0) return {}
  return { CLOCK_AHEAD_MS: String(aheadMs), NODE_OPTIONS: `--require ${join(__dirname, 'move-clock.cjs')}` }
}
