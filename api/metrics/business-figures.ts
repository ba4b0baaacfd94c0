// The business in figures, read from the database at most once in a while, however many ask.
import type { Clock } from '../../clock'
import type { Db } from '../../db/database'
import { readStanding } from '../../db/figures'
import { createSettledFigures } from './settled-figures'
import { standingMetrics } from './standing-figures'
import type { Metric } from './text'

const shareForMs = 5_000

export interface BusinessFigures {
  /** Begins to count what settles from now on. */
  start(): Promise<void>
  metrics(): Promise<Metric[]>
}

export function createBusinessFigures(parts: { readonly db: Db; readonly clock: Clock }): BusinessFigures {
  const { db, clock } = parts
  const settled = createSettledFigures(parts)
  let read: Promise<Metric[]> | null = null
  let readAt = 0

  /** A database that is away is a figure too: the others are missing then, not old. */
  async function readNow(): Promise<Metric[]> {
    try {
      const [standing] = await Promise.all([readStanding(db, clock.now()), settled.update()])
      return [reachable(1), ...standingMetrics(standing), ...settled.metrics()]
    } catch {
      return [reachable(0), ...settled.metrics()]
    }
  }

  return {
    start: () => settled.update().catch(() => undefined),
    metrics() {
      const now = clock.now().getTime()
      if (read === null || now - readAt >= shareForMs) {
        readAt = now
        read = readNow()
      }
      return read
    },
  }
}

function reachable(value: 0 | 1): Metric {
  const help = 'Whether PostgreSQL answered when the figures were read.'
  return { name: 'payouts_database_up', help, type: 'gauge', samples: [{ value }] }
}
