// The proof continues from a verified checkpoint: it finds every later change, even one that commits late,
// and a full run finds everything.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { lastFullVerificationDue } from '../../../../activities/controls/proof/prove-wallets'
import { runProof } from '../../../../activities/controls/proof/run'
import { findCheckpoint } from '../../../../db/controls/proof/checkpoints'
import { postSet } from '../../../../db/wallets/ledger'
import { topUpPostings } from '../../../../domain/wallets/ledger'
import type { PayoutRef } from '../../../../workflows/payouts/payout'
import { withoutTriggers } from '../../../support/db/without-triggers'
import { fine, limits, useProofStage } from '../../../support/stages/proof'

const { bank, stage, db, deps, wallet } = useProofStage()

test('an old row changed without our triggers is found by the daily full verification', async () => {
  const { payoutId } = await aVerifiedPayout()
  await withoutTriggers(db, 'UPDATE payouts SET amount_pence = amount_pence + 1 WHERE id = $1', [payoutId])

  expect(await runProof(deps)).toMatchObject(fine)
  stage.clock.forward(limits.fullEveryMs)
  await runProof(deps)

  expect(await stage.found()).toContainEqual(['payout_row', payoutId])
})

test('proof --full finds a changed old row immediately', async () => {
  const { payoutId } = await aVerifiedPayout()
  await withoutTriggers(db, 'DELETE FROM payout_events WHERE payout_id = $1', [payoutId])

  await runProof(deps, 'full')

  expect(await stage.found()).toEqual([['payout_row', payoutId]])
})

test('the totals of a wallet with many payouts are recounted when due, and by proof --full', async () => {
  await aVerifiedPayout()
  await withoutTriggers(
    db,
    'UPDATE payout_months SET created = 5000000 WHERE partner_id = (SELECT partner_id FROM wallets WHERE id = $1)',
    [wallet.id],
  )

  expect(await runProof(deps)).toMatchObject(fine)
  await runProof(deps, 'full')

  expect((await stage.found()).map(([kind]) => kind)).toEqual(['payout_totals'])
})

test.each([
  ['a payout', 'UPDATE payouts SET amount_pence = amount_pence + 1 WHERE id = $1', 'payout_row'],
  [
    'an event',
    `INSERT INTO payout_events (payout_id, at, kind, status, made_by) VALUES ($1, now(), 'failed', 'failed', 'bank')`,
    'payout_row',
  ],
  [
    'a charge',
    `INSERT INTO charges (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at)
      SELECT gen_random_uuid(), partner_id, 'credit', 'made-up', id, 1, '2026-11-01', now() FROM payouts WHERE id = $1`,
    'payout_charge',
  ],
])('%s that changes after the checkpoint is verified by the next proof', async (_what, change, kind) => {
  const { payoutId } = await aVerifiedPayout()
  await db.dataSource.query(change, [payoutId])

  await runProof(deps)

  expect(await stage.found()).toEqual([[kind, payoutId]])
})

test('a charge that names no payout is verified by the next proof', async () => {
  await aVerifiedPayout()
  await db.dataSource.query(
    `INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
      SELECT gen_random_uuid(), partner_id, 'payout_fee', 'made-up', 1, '2026-11-01', now() FROM wallets WHERE id = $1`,
    [wallet.id],
  )

  await runProof(deps)

  expect(await stage.found()).toEqual([['payout_charge', 'made-up']])
})

test('the proof finds entries that were written before the checkpoint and committed after it', async () => {
  const payout = await aVerifiedPayout()
  const late = await begin()
  // A ledger set from in_transit to paid_out does not lock the wallet's row, so it does not block the deposit below.
  await late.query(
    `SELECT * FROM post_ledger_set($1, $2, 'made_up', 'late', $3, NULL, 'test', now(), '{in_transit,paid_out}', '{-10000,10000}')`,
    [wallet.id, randomUUID(), payout.payoutId],
  )
  await aDeposit('5.00')

  expect(await runProof(deps)).toMatchObject(fine)
  const checkpoint = await theCheckpoint()
  await late.commit()
  await runProof(deps)

  const [entry]: { id: string }[] = await db.dataSource.query(
    `SELECT max(e.id) AS id FROM ledger_entries e JOIN ledger_sets s ON s.id = e.set_id WHERE s.cause = 'made_up'`,
  )
  expect(BigInt(entry?.id ?? 0)).toBeLessThan(checkpoint?.entryId ?? 0n)
  expect(await stage.found()).toEqual([['payout_ledger', payout.payoutId]])
})

test('the proof finds a payout change that commits after the checkpoint, whatever its timestamps', async () => {
  const { payoutId } = await aVerifiedPayout()
  const late = await begin()
  await late.query(
    `UPDATE payouts SET fee_in_transfer_pence = fee_in_transfer_pence + 1, fee_pence = fee_pence + 1,
      updated_at = updated_at - interval '1 day' WHERE id = $1`,
    [payoutId],
  )
  await aDeposit('5.00')

  expect(await runProof(deps)).toMatchObject(fine)
  await late.commit()
  await runProof(deps)

  expect(await stage.found()).toEqual([['payout_row', payoutId]])
})

test('two concurrent proofs, with payouts in flight, count every booking once', async () => {
  await aVerifiedPayout()
  for (let n = 1; n <= 3; n++) {
    await aDeposit(`${n}.00`)
    await Promise.all([runProof(deps), stage.aSentPayout(), runProof(deps)])
  }
  stage.clock.forward(120_000)

  expect(await runProof(deps)).toMatchObject(fine)
  const [{ count }] = await db.dataSource.query(
    'SELECT count(*)::integer AS count FROM ledger_sets WHERE wallet_id = $1 AND bank_ref IS NOT NULL',
    [wallet.id],
  )
  expect(await theCheckpoint()).toMatchObject({ bookings: count })
})

test('the proof finds a booking that is posted after the checkpoint without a bank movement', async () => {
  await aVerifiedPayout()
  await post('made-up', 5_000_000n)
  stage.clock.forward(120_000)

  await runProof(deps)

  expect((await stage.found()).map(([kind]) => kind)).toContain('booking_without_movement')
})

test.each([
  ['the wallet’s balance', 'UPDATE wallets SET balance_micro_usdc = balance_micro_usdc + 1 WHERE id = $1'],
  [
    'the last verified entry',
    `UPDATE ledger_entries SET balance_micro_usdc = 1 WHERE id = (SELECT entry_id FROM proof_checkpoints WHERE wallet_id = $1)`,
  ],
])('every proof verifies %s', async (_what, change) => {
  await aVerifiedPayout()
  await withoutTriggers(db, change, [wallet.id])

  await runProof(deps)

  expect(await stage.found()).toContainEqual(['wallet_balance', wallet.id])
  expect(await theCheckpoint()).toBeNull()
})

test.each([
  ['a sum that differs from its entry', 'UPDATE proof_checkpoints SET balance_micro_usdc = 1 WHERE wallet_id = $1'],
  [
    'a change to a verified ledger set',
    'INSERT INTO proof_changes (wallet_id, set_id) SELECT wallet_id, id FROM ledger_sets WHERE wallet_id = $1 LIMIT 1',
  ],
])('a checkpoint with %s is replaced by a full verification', async (_what, change) => {
  await aVerifiedPayout()
  const before = await theCheckpoint()
  await db.dataSource.query(change, [wallet.id])

  expect(await runProof(deps)).toMatchObject(fine)

  const after = await theCheckpoint()
  expect(after?.fullAt.getTime()).toBeGreaterThan(before?.fullAt.getTime() ?? Infinity)
  expect(after?.balanceMicroUsdc).toBe(before?.balanceMicroUsdc)
})

test('a wallet with a drift in its own ledger has no checkpoint, and is verified in full until the drift is gone', async () => {
  const { payoutId } = await aVerifiedPayout()
  const change = (by: number) =>
    withoutTriggers(db, `UPDATE payouts SET amount_pence = amount_pence + $2::integer WHERE id = $1`, [payoutId, by])
  await change(1)
  await runProof(deps, 'full')
  expect(await theCheckpoint()).toBeNull()

  await runProof(deps)
  expect(await stage.found()).toContainEqual(['payout_row', payoutId])

  await change(-1)
  expect(await runProof(deps)).toMatchObject(fine)
  expect(await theCheckpoint()).not.toBeNull()
})

test('the full verifications of all wallets are spread over the day', () => {
  const at = new Date('2026-11-15T12:00:00Z')
  const turns = Array.from({ length: 200 }, () => lastFullVerificationDue(randomUUID(), at, 86_400_000).getTime())

  for (const turn of turns) expect(at.getTime() - turn).toBeLessThan(86_400_000)
  expect(turns.every((turn) => turn <= at.getTime())).toBe(true)
  const hours = new Set(turns.map((turn) => new Date(turn).getUTCHours()))
  expect(hours.size).toBeGreaterThan(18)
})

/** Sends a payout and verifies its wallet, so that the list of changes is empty. */
async function aVerifiedPayout(): Promise<PayoutRef> {
  const payout = await stage.aSentPayout()
  expect(await runProof(deps)).toMatchObject(fine)
  expect(await theCheckpoint()).not.toBeNull()
  const left = await db.dataSource.query('SELECT FROM proof_changes WHERE wallet_id = $1', [wallet.id])
  expect(left).toHaveLength(0)
  stage.clock.forward(1_000)
  return payout
}

function theCheckpoint() {
  return db.transaction((tx) => findCheckpoint(tx, wallet.id))
}

/** Begins a transaction on a separate connection. */
async function begin() {
  const runner = db.dataSource.createQueryRunner()
  await runner.startTransaction()
  return {
    query: (sql: string, values: unknown[]) => runner.query(sql, values),
    async commit() {
      await runner.commitTransaction()
      await runner.release()
    },
  }
}

async function aDeposit(amount: string): Promise<void> {
  const { json } = await bank.control('POST', `/wallets/${wallet.wallet}/deposits`, { amount })
  await post(String(json.id), BigInt(Math.round(Number(amount) * 1_000_000)))
}

async function post(bankRef: string, microUsdc: bigint): Promise<void> {
  const about = { walletId: wallet.id, payoutId: null, createdBy: 'test', at: stage.clock.now() }
  const postings = topUpPostings(microUsdc)
  const posted = await postSet(db, { ...about, cause: 'deposit', causeRef: bankRef, bankRef, postings })
  expect(posted.outcome).toBe('posted')
}
