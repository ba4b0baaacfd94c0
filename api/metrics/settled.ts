// Counts payouts that finished since this process started, and their durations, from the timeline.

import { lastEvent, listSettled, type Settled } from '../../db/controls/metrics'
import type { Db } from '../../db/database'
import { environments } from '../../domain/environment'
import type { Clock } from '../../runtime/clock'
import { createDistribution, type Metric } from '../../runtime/metrics'

/** An event gets its number before its transaction commits. After this time, every transaction with a lower number has ended. */
const certainAfterMs = 60_000

const bounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 86_400]
const ends = ['completed', 'failed', 'cancelled', 'returned'] as const

interface SettledMetrics {
  /** Counts new events. */
  update(): Promise<void>
  metrics(): Metric[]
}

export function createSettledMetrics({ db, clock }: { readonly db: Db; readonly clock: Clock }): SettledMetrics {
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
