// Makes a process of a story live days ahead of this machine, so that nobody has to wait for what comes days later.
import { join } from 'node:path'

/** What such a process is told in its environment; PostgreSQL and Temporal stay in the present. */
export function clockAhead(aheadMs: number): Record<string, string> {
  if (aheadMs === 0) return {}
  return { CLOCK_AHEAD_MS: String(aheadMs), NODE_OPTIONS: `--require ${join(__dirname, 'move-clock.cjs')}` }
}
