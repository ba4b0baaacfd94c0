// One pruning batch: which activity rows it deletes, how many, and in which order.
import { expect, test } from '@jest/globals'
import { pruneActivity } from '../../../activities/controls/retention'
import { latestActivity, recordActivity } from '../../../db/controls/activity'
import { aPartner } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'

const db = useDatabase(2)
const log = keptLog()

test('a batch deletes the oldest reads, up to its limit, and the next batch deletes the rest', async () => {
  const { id: partnerId } = await aPartner(db)
  const days = ['2026-01-04', '2026-01-01', '2026-01-03', '2026-01-02', '2026-01-31']
  await recordActivity(
    db,
    days.map((day) => aRead(partnerId, day)),
  )
  const deps = { db, log, clock: { now: () => new Date('2026-02-01T00:00:00Z') }, ...days7 }
  const prune = () => pruneActivity(deps, { limit: 3 })

  const first = await prune()
  const left = (await latestActivity(db, partnerId, 10)).map(({ at }) => at.toISOString().slice(0, 10))
  const [second, third] = [await prune(), await prune()]

  expect(left).toEqual(['2026-01-31', '2026-01-04'])
  expect([first, second, third]).toEqual([3, 1, 0])
})

test('reads have a short retention period, refused writes have the full one, and changes are never deleted', async () => {
  const { id: partnerId } = await aPartner(db)
  const { action: _read, ...call } = aRead(partnerId, '2026-01-15')
  const refused = { ...call, action: 'payout.create', status: 422 }
  await recordActivity(db, [
    { ...call, action: 'payout.list' },
    { ...call, action: 'quote.create' },
    { ...call, action: 'payout.read', at: new Date('2026-01-30T12:00:00Z') },
    refused,
    { ...refused, at: new Date('2025-11-15T12:00:00Z') },
    { ...call, action: 'key.revoke', changes: 'something', at: new Date('2024-01-15T12:00:00Z') },
  ])
  const deps = { db, log, clock: { now: () => new Date('2026-02-01T00:00:00Z') } }

  const removed = await pruneActivity(
    { ...deps, activityRetentionDays: 60, activityReadRetentionDays: 7 },
    { limit: 9 },
  )

  expect(removed).toBe(3)
  const left = await latestActivity(db, partnerId, 10)
  expect(left.map(({ action }) => action)).toEqual(['payout.read', 'payout.create', 'key.revoke'])
})

const days7 = { activityRetentionDays: 7, activityReadRetentionDays: 7 }

function aRead(partnerId: string, day: string) {
  const rest = { status: 200, madeBy: 'key:kp_sandbox_12345678', detail: null, requestId: null }
  const at = new Date(`${day}T12:00:00Z`)
  return { partnerId, at, environment: 'sandbox', action: 'balance.read', changes: 'nothing', ...rest } as const
}
