// An operator's action on a payout is not a drift, and does not count as progress.
import { expect, test } from '@jest/globals'
import { runProof } from '../../../../activities/controls/proof/run'
import { pauseRail, resumeRail } from '../../../../db/bank/rail-pauses'
import { manualEventKinds, recordPayoutEvent } from '../../../../db/payouts/events'
import { lockStep } from '../../../../db/payouts/steps'
import type { PayoutRef } from '../../../../workflows/payouts/payout'
import { until } from '../../../support/bank/client'
import { fine, limits, useProofStage } from '../../../support/stages/proof'

const { stage, db, clock, deps, steps } = useProofStage()

test('an operator event that waits for a change to its payout stores the status after that change', async () => {
  const payout = await stage.aSentPayout()
  let writing: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await lockStep(tx, payout.payoutId)
    writing = writeEvent(payout, 'retried')
    await until('the event waits for the payout', hasWaiting)
    await tx.send({ name: '', text: completed, values: [payout.payoutId] })
  })
  await writing

  expect(await lastEvent(payout)).toEqual({ kind: 'retried', status: 'completed' })
})

test.each(manualEventKinds)('a %s event with an outdated status is not a drift', async (kind) => {
  const payout = await stage.aSentPayout()
  await stage.advance(payout, 'payment_processed')
  await steps.settle(payout)

  await db.dataSource.query(
    `INSERT INTO payout_events (payout_id, at, kind, status, made_by) VALUES ($1, $2, $3, 'processing', 'ops:test')`,
    [payout.payoutId, clock.now(), kind],
  )

  expect(await runProof(deps)).toMatchObject(fine)
})

test('operator actions do not end the overdue state of a stuck payout, but progress at the bank does', async () => {
  const payout = await stage.aSentPayout()
  clock.forward(limits.settleWithinMs + 60_000)
  for (const kind of manualEventKinds) {
    await writeEvent(payout, kind)
    await runProof(deps)
    expect([kind, await stage.found()]).toEqual([kind, [['silent_payout', payout.payoutId]]])
  }

  await stage.advance(payout, 'payment_processed')
  await steps.settle(payout)

  expect(await runProof(deps)).toMatchObject(fine)
})

test('the end of a pause counts as progress for waiting payouts, but not for payouts sent before the pause', async () => {
  const sent = await stage.aSentPayout()
  const waiting = await stage.aPayout()
  await steps.debitPayout(waiting)
  const by = { environment: 'live', by: 'ops:test' } as const
  await pauseRail(db, { ...by, reason: null, at: clock.now() })
  clock.forward(limits.settleWithinMs + 60_000)
  await resumeRail(db, { ...by, at: clock.now() })

  await runProof(deps)
  expect(await stage.found()).toEqual([['silent_payout', sent.payoutId]])

  clock.forward(limits.knownWithinMs + 60_000)
  await runProof(deps)
  expect(await stage.found()).toContainEqual(['silent_payout', waiting.payoutId])
})

const completed = `UPDATE payouts SET status = 'completed', completed_at = now() WHERE id = $1`

function writeEvent({ payoutId }: PayoutRef, kind: (typeof manualEventKinds)[number]): Promise<void> {
  return db.transaction((tx) =>
    recordPayoutEvent(tx, { payoutId, at: clock.now(), kind, madeBy: 'ops:test', detail: null }),
  )
}

async function hasWaiting(): Promise<boolean> {
  const rows: unknown[] = await db.dataSource.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

async function lastEvent({ payoutId }: PayoutRef): Promise<unknown> {
  const [row]: unknown[] = await db.dataSource.query(
    'SELECT kind, status FROM payout_events WHERE payout_id = $1 ORDER BY id DESC LIMIT 1',
    [payoutId],
  )
  return row
}
