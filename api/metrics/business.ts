// Business metrics, and whether PostgreSQL and Temporal answer. Cached, so that frequent scrapes cost little.

import { readOpenWork } from '../../db/controls/metrics'
import type { RetentionDays } from '../../db/controls/retention'
import { readUpkeep } from '../../db/controls/upkeep-metrics'
import type { Db } from '../../db/database'
import type { Clock } from '../../runtime/clock'
import { gauge, type Metric } from '../../runtime/metrics'
import { openWorkMetrics } from './open-work'
import { createSettledMetrics } from './settled'
import { upkeepMetrics } from './upkeep'

const shareForMs = 5_000

interface BusinessMetrics {
  /** Starts to count payouts that settle from now on. */
  start(): Promise<void>
  metrics(): Promise<Metric[]>
}

export interface BusinessParts {
  readonly db: Db
  readonly clock: Clock
  readonly retention: RetentionDays
  /** Resolves when Temporal answers. Rejects if it does not answer in time. */
  readonly pingTemporal: () => Promise<void>
}

export function createBusinessMetrics(parts: BusinessParts): BusinessMetrics {
  const { db, clock, retention, pingTemporal } = parts
  const settled = createSettledMetrics(parts)
  let read: Promise<Metric[]> | null = null
  let readAt = 0

  async function readNow(): Promise<Metric[]> {
    const [fromDatabase, isTemporalUp] = await Promise.all([readDatabase(), isThere(pingTemporal())])
    return [...fromDatabase, ...settled.metrics(), temporalUp(isTemporalUp)]
  }

  /** Reports an unavailable database as a metric. The other metrics are then absent, not stale. */
  async function readDatabase(): Promise<Metric[]> {
    const now = clock.now()
    try {
      const [openWork, upkeep] = await Promise.all([
        readOpenWork(db, now),
        readUpkeep(db, { now, retention }),
        settled.update(),
      ])
      return [databaseUp(true), ...openWorkMetrics(openWork), ...upkeepMetrics(upkeep)]
    } catch {
      return [databaseUp(false)]
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

function databaseUp(isUp: boolean): Metric {
  return gauge('payouts_database_up', 'Whether PostgreSQL answered when the metrics were read.', [
    { value: Number(isUp) },
  ])
}

function temporalUp(isUp: boolean): Metric {
  return gauge('payouts_temporal_up', 'Whether Temporal answered when the metrics were read.', [
    { value: Number(isUp) },
  ])
}

function isThere(answered: Promise<void>): Promise<boolean> {
  return answered.then(
    () => true,
    () => false,
  )
}
