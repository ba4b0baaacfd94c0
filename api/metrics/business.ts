// Business metrics, and whether PostgreSQL and Temporal answer. Cached, so that frequent scrapes cost little.
import { lastEvent, listSettled, readOpenWork, type Settled } from '../../db/controls/metrics'
import type { RetentionDays } from '../../db/controls/retention'
import { erasedKinds, type OverdueWork, readUpkeep, type Upkeep } from '../../db/controls/upkeep-metrics'
import type { Db } from '../../db/database'
import { mailKinds } from '../../db/partners/mails'
import { environments } from '../../domain/environment'
import type { Clock } from '../../runtime/clock'
import { createDistribution, gauge, type Metric, type Sample } from '../../runtime/metrics'
import { openWorkMetrics } from './open-work'

const shareForMs = 5_000

interface BusinessMetrics {
  /** Starts counting payouts that settle. */
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

/** Gauges that show how far scheduled work is behind. Zero means that nothing is left to do. */
function upkeepMetrics({ left, notBilled }: Upkeep): Metric[] {
  const find = (work: OverdueWork['work'], sort: string | null) =>
    left.find((each) => each.work === work && each.sort === sort)
  const ageOf = (work: OverdueWork['work'], sort: string | null) => find(work, sort)?.ageSeconds ?? 0
  const byMail = (value: (kind: string) => number): Sample[] =>
    [...mailKinds, 'invoice'].map((kind) => ({ labels: { kind }, value: value(kind) }))
  return [
    gauge(
      'payouts_proof_age_seconds',
      'Time since the last reconciliation of the wallet that has waited longest. Idle sandboxes are excluded.',
      environments.map((environment) => ({ labels: { environment }, value: ageOf('prove', environment) })),
    ),
    gauge('payouts_unsealed_seconds', 'How long the oldest unsealed row has waited to enter the audit chain.', [
      { value: ageOf('seal', null) },
    ]),
    gauge('payouts_audit_faults', 'Whether the last audit verification found a fault.', [
      { value: find('verify', null)?.count ?? 0 },
    ]),
    gauge('payouts_audit_verified_age_seconds', 'How long ago the whole audit chain was last verified.', [
      { value: ageOf('verify', null) },
    ]),
    gauge(
      'payouts_mails_waiting',
      'Emails that have not been sent yet.',
      byMail((kind) => find('mail', kind)?.count ?? 0),
    ),
    gauge(
      'payouts_oldest_mail_seconds',
      'How long the oldest unsent mail has waited.',
      byMail((kind) => ageOf('mail', kind)),
    ),
    gauge(
      'payouts_erasure_overdue_seconds',
      'Longest time for which data has been overdue for erasure.',
      erasedKinds.map((kind) => ({ labels: { kind }, value: ageOf('erase', kind) })),
    ),
    gauge('payouts_partners_not_billed', 'Partners that should have an invoice for the last month and have none.', [
      { value: notBilled },
    ]),
  ]
}

/**
 * An event gets its number before its transaction commits, so a lower number can appear after a higher one. After this
 * time, every transaction with a lower number has ended.
 */
const certainAfterMs = 60_000

const bounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 86_400]
const ends = ['completed', 'failed', 'cancelled', 'returned'] as const

interface SettledMetrics {
  /** Counts the events since the previous call. */
  update(): Promise<void>
  metrics(): Metric[]
}

/** Counts the payouts that have finished since this process started, and their durations. Reads both from the timeline. */
function createSettledMetrics({ db, clock }: { readonly db: Db; readonly clock: Clock }): SettledMetrics {
  const finished = new Map<string, number>(
    environments.flatMap((each) => ends.map((end) => [`${each} ${end}`, 0] as const)),
  )
  const times = new Map(environments.map((environment) => [environment, createDistribution(bounds)] as const))
  const seen = new Set<bigint>()
  let floor: bigint | null = null

  function count({ environment, status, seconds }: Settled): void {
    const key = `${environment} ${status}`
    finished.set(key, (finished.get(key) ?? 0) + 1)
    if (status === 'completed') times.get(environment)?.add(seconds)
  }

  return {
    async update() {
      if (floor === null) {
        floor = await lastEvent(db)
        return
      }
      const settled = await listSettled(db, floor)
      const certainBefore = clock.now().getTime() - certainAfterMs
      for (const event of settled) {
        if (!seen.has(event.eventId)) count(event)
        seen.add(event.eventId)
        if (event.at.getTime() < certainBefore) floor = event.eventId
      }
      for (const id of seen) if (id <= floor) seen.delete(id)
    },
    metrics: () => [
      {
        name: 'payouts_finished_total',
        help: 'Payouts that finished since this process started. A completed payout that is returned counts under both statuses.',
        type: 'counter',
        samples: environments.flatMap((environment) =>
          ends.map((status) => ({
            labels: { environment, status },
            value: finished.get(`${environment} ${status}`) ?? 0,
          })),
        ),
      },
      {
        name: 'payouts_time_to_settle_seconds',
        help: 'Time from request to completion, for payouts completed since this process started.',
        type: 'histogram',
        samples: [...times].flatMap(([environment, each]) => each.samples({ environment })),
      },
    ],
  }
}
