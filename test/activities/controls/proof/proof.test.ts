// The next proof finds each kind of planted drift. A corrected drift is marked as resolved.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { runProof } from '../../../../activities/controls/proof/run'
import { listDrifts } from '../../../../db/controls/proof/drifts'
import { postSet } from '../../../../db/wallets/ledger'
import { refundPostings, topUpPostings } from '../../../../domain/wallets/ledger'
import type { PayoutRef } from '../../../../workflows/payouts/payout'
import { withoutTriggers } from '../../../support/db/without-triggers'
import { fine, useProofStage } from '../../../support/stages/proof'

const { stage, db, clock, deps, steps, wallet } = useProofStage()

test('a deleted entry is reported for its set, its wallet and its payout until it is restored', async () => {
  const { payoutId } = await stage.aSentPayout()
  const [entry]: { id: string; set_id: string; account_id: string; amount: string; balance: string }[] =
    await db.dataSource.query(
      `SELECT e.id, e.set_id, e.account_id, e.amount_micro_usdc AS amount, e.balance_micro_usdc AS balance
      FROM ledger_entries e JOIN ledger_sets s ON s.id = e.set_id WHERE s.payout_id = $1 AND e.balance_micro_usdc IS NOT NULL`,
      [payoutId],
    )
  await withoutTriggers(db, 'DELETE FROM ledger_entries WHERE id = $1', [entry?.id])

  expect(await runProof(deps)).toMatchObject({ drifts: 3, fresh: 3 })
  expect(await stage.found()).toEqual([
    ['payout_ledger', payoutId],
    ['set_sum', entry?.set_id],
    ['wallet_balance', wallet.id],
  ])
  expect(await runProof(deps)).toMatchObject({ drifts: 3, fresh: 0 })

  await withoutTriggers(
    db,
    `INSERT INTO ledger_entries (id, set_id, account_id, amount_micro_usdc, balance_micro_usdc) OVERRIDING SYSTEM VALUE
      VALUES ($1, $2, $3, $4, $5)`,
    [entry?.id, entry?.set_id, entry?.account_id, entry?.amount, entry?.balance],
  )
  expect(await runProof(deps)).toMatchObject(fine)
  expect(await stage.found()).toEqual([])
  expect(await listDrifts(db, 'gone', 10)).toHaveLength(3)
})

test('a transfer made outside our system is reported with its ID, and the balance is not reported as a second drift', async () => {
  const transfer = await stage.aStrangeTransfer()

  await runProof(deps)

  expect(await stage.found()).toEqual([['transfer_without_payout', transfer]])
})

test('a second transfer for one payout is found', async () => {
  const { payoutId } = await stage.aSentPayout()
  const transfer = await stage.aStrangeTransfer({ client_reference_id: payoutId })

  await runProof(deps)

  expect(await stage.found()).toEqual([['transfer_without_payout', transfer]])
})

test('a transfer for a payout that was released and credited is found', async () => {
  const released = await stage.aPayout()
  await steps.debitPayout(released)
  await steps.cancelPayout(released)
  const transfer = await stage.aStrangeTransfer({ client_reference_id: released.payoutId })

  await runProof(deps)

  expect(await stage.found()).toEqual([['transfer_without_payout', transfer]])
})

test('a transfer with a different amount than its payout is found', async () => {
  const { payoutId } = await stage.aSentPayout()
  await withoutTriggers(
    db,
    `UPDATE payouts SET wallet_sends_micro_usdc = wallet_sends_micro_usdc + 10000 WHERE id = $1`,
    [payoutId],
  )

  await runProof(deps)

  expect(await stage.found()).toEqual([
    ['payout_ledger', payoutId],
    ['payout_row', payoutId],
    ['transfer_amount', payoutId],
  ])
})

test('a credit that matches no bank movement is reported, and the balance is not reported as a second drift', async () => {
  await postSet(db, {
    walletId: wallet.id,
    cause: 'top_up',
    causeRef: randomUUID(),
    payoutId: null,
    createdBy: 'test',
    at: clock.now(),
    postings: topUpPostings(5_000_000n),
  })

  await runProof(deps)

  const drifts = await listDrifts(db, 'open', 10)
  expect(drifts).toEqual([expect.objectContaining({ kind: 'entry_without_movement', found: '5000000' })])
})

test('a refund that was booked twice is reported for its payout and for the balance', async () => {
  const payout = await stage.aSentPayout()
  await stage.advance(payout, 'refunded')
  await steps.settle(payout)
  const sends = await sendsOf(payout)
  const about = { walletId: wallet.id, payoutId: payout.payoutId, createdBy: 'test', at: clock.now() }
  await postSet(db, { ...about, cause: 'refund', causeRef: 'once-more', postings: refundPostings(sends, sends) })

  await runProof(deps)

  expect(await stage.found()).toEqual([
    ['bank_balance', wallet.id],
    ['payout_ledger', payout.payoutId],
  ])
})

test('a refund of a completed payout is reported while its return is not booked', async () => {
  const payout = await stage.aSentPayout()
  await stage.advance(payout, 'payment_processed')
  await steps.settle(payout)
  await stage.advance(payout, 'refunded')

  await runProof(deps)

  expect((await stage.found()).map(([kind]) => kind)).toEqual(['deposit_not_booked'])
})

test('a sent payout whose transfer is missing at the bank is found, with or without a transfer ID', async () => {
  const [unknown, nameless] = [await stage.aPayout(), await stage.aPayout()]
  for (const payout of [unknown, nameless]) await steps.debitPayout(payout)
  await db.dataSource.query(
    `UPDATE payouts SET status = 'processing', transfer_ref = 'no-such-transfer', submit_started_at = now(), verdict = 'sent',
      verdict_at = now() WHERE id = $1`,
    [unknown.payoutId],
  )
  await db.dataSource.query(
    `UPDATE payouts SET status = 'processing', submit_started_at = now(), verdict = 'sent', verdict_at = now() WHERE id = $1`,
    [nameless.payoutId],
  )
  await db.dataSource.query(
    `INSERT INTO payout_events (payout_id, at, kind, status, made_by)
      SELECT id, now(), 'processing', 'processing', 'bank' FROM payouts WHERE status = 'processing'`,
  )

  await runProof(deps)

  const subjects = [unknown.payoutId, nameless.payoutId].toSorted()
  expect(await stage.found()).toEqual(subjects.map((subject) => ['payout_without_transfer', subject]))
})

async function sendsOf({ payoutId }: PayoutRef): Promise<bigint> {
  const [row]: { sends: bigint }[] = await db.dataSource.query(
    'SELECT wallet_sends_micro_usdc AS sends FROM payouts WHERE id = $1',
    [payoutId],
  )
  return BigInt(row?.sends ?? 0)
}
