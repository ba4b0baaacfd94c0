// The proof finds well-hidden faults: errors that cancel out, entries in another wallet's accounts, and rows
// changed without our triggers.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { runProof } from '../../../../activities/controls/proof/run'
import { listDrifts } from '../../../../db/controls/proof/drifts'
import { postSet } from '../../../../db/wallets/ledger'
import { findWallet } from '../../../../db/wallets/wallets'
import { heldCreditPostings, heldPostings, type Posting, topUpPostings } from '../../../../domain/wallets/ledger'
import { withoutTriggers } from '../../../support/db/without-triggers'
import { aConnectedPartner } from '../../../support/stages/payout'
import { fine, useProofStage } from '../../../support/stages/proof'

const { bank, stage, db, deps, steps, wallet } = useProofStage()

test('the proof finds no drift before a fault is planted', async () => {
  await stage.aSentPayout()

  expect(await runProof(deps)).toMatchObject(fine)
})

test('the proof finds two deposits with opposite errors in their booked amounts', async () => {
  const [one, other] = [await aDeposit('10.000000'), await aDeposit('20.000000')]
  await book(one, topUpPostings(13_000_000n))
  await book(other, topUpPostings(17_000_000n))

  await runProof(deps)

  expect(await stage.found()).toEqual([one, other].toSorted().map((id) => ['deposit_amount', id]))
})

test.each([
  ['first', 0],
  ['second', 1],
  ['last', 2],
])('the proof reports the %s entry if its running balance is wrong', async (_which, index) => {
  await book(await aDeposit('10.000000'), topUpPostings(10_000_000n))
  await stage.aSentPayout()
  const entries: { id: string }[] = await db.dataSource.query(
    `SELECT e.id FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
      WHERE a.wallet_id = $1 AND a.kind = 'wallet' ORDER BY e.id`,
    [wallet.id],
  )
  expect(entries).toHaveLength(3)
  const { id } = entries[index] ?? { id: '' }
  await withoutTriggers(db, 'UPDATE ledger_entries SET balance_micro_usdc = 1 WHERE id = $1', [id])

  await runProof(deps)

  expect(await stage.found()).toEqual([['wallet_balance', wallet.id]])
  const [drift] = await listDrifts(db, 'open', 1)
  expect(drift?.found).toMatch(new RegExp(`^balance \\d+, after entry ${id} balance 1, entries sum to \\d+$`))
})

test('the proof finds a credit and a withdrawal of the same amount that name no bank movement', async () => {
  await book(null, topUpPostings(5_000_000n))
  await book(null, opposite(topUpPostings(5_000_000n)))

  await runProof(deps)

  expect(kinds(await stage.found())).toEqual(['entry_without_movement', 'entry_without_movement'])
})

test('the proof finds a credit and a withdrawal of the same amount with invented movement IDs', async () => {
  await book('made-up-1', topUpPostings(5_000_000n))
  await book('made-up-2', opposite(topUpPostings(5_000_000n)))
  // Unmatched entries from the last minute are not drifts yet, because their movement may be newer than the snapshot.
  stage.clock.forward(120_000)

  await runProof(deps)

  expect(await stage.found()).toEqual([['booking_without_movement', wallet.id]])
})

test('the proof finds a held deposit that was credited without an operator’s decision', async () => {
  const id = await aDeposit('10.000000')
  await book(id, heldPostings(10_000_000n))
  await db.dataSource.query(
    `INSERT INTO held_deposits (id, wallet_id, bank_ref, amount_micro_usdc, why, found_at)
      VALUES ($1, $2, $3, 10000000, 'test', now())`,
    [randomUUID(), wallet.id, id],
  )
  expect(await runProof(deps)).toMatchObject(fine)
  await book(null, heldCreditPostings(10_000_000n))

  await runProof(deps)

  expect(await stage.found()).toEqual([['suspense_balance', wallet.id]])
})

test('a deposit booked for the wrong partner is reported for both partners', async () => {
  const others = await anotherWallet()
  const id = await aDeposit('10.000000')
  await postSet(db, {
    ...about(others),
    cause: 'deposit',
    causeRef: id,
    bankRef: id,
    postings: topUpPostings(10_000_000n),
  })
  stage.clock.forward(120_000)

  await runProof(deps)

  expect(await stage.found()).toEqual([
    ['bank_balance', others],
    ['booking_without_movement', others],
    ['deposit_not_booked', id],
  ])
})

test.each(['wallet', 'in_transit'])(
  'the proof reports a set with an entry in the %s account of another wallet',
  async (kind) => {
    const others = await anotherWallet()
    const { payoutId } = await stage.aSentPayout()
    await withoutTriggers(
      db,
      `UPDATE ledger_entries SET account_id = (SELECT id FROM ledger_accounts WHERE wallet_id = $2 AND kind = $3)
      WHERE set_id IN (SELECT id FROM ledger_sets WHERE payout_id = $1)
        AND account_id = (SELECT id FROM ledger_accounts WHERE wallet_id = $4 AND kind = $3)`,
      [payoutId, others, kind, wallet.id],
    )

    await runProof(deps)

    expect(kinds(await stage.found())).toEqual(expect.arrayContaining(['payout_ledger', 'set_sum']))
  },
)

test('the proof finds a payout’s ledger set in the wrong environment’s wallet', async () => {
  const { payoutId } = await stage.aSentPayout()
  await withoutTriggers(
    db,
    `UPDATE ledger_sets SET wallet_id = (SELECT id FROM wallets WHERE environment = 'sandbox') WHERE payout_id = $1`,
    [payoutId],
  )

  await runProof(deps)

  expect(kinds(await stage.found())).toContain('set_sum')
})

test.each([
  ['an amount', 'amount_pence = amount_pence + 1', 'payout_row'],
  ['a rate', 'gbp_per_usd_nano = gbp_per_usd_nano + 10000000', 'payout_row'],
  ['an environment', `environment = 'sandbox'`, 'payout_row'],
  ['a rail', `rail = 'provider_sandbox'`, 'payout_row'],
  ['a status', `status = 'pending'`, 'payout_row'],
  ['a final status', `status = 'completed', completed_at = now()`, 'payout_ledger'],
  ['a failure without its refund', `status = 'failed', failure_reason = 'x', closed_at = now()`, 'payout_ledger'],
  ['a release', 'released_at = now(), answered_at = NULL', 'payout_ledger'],
  ['a transfer', `transfer_ref = 'another'`, 'payout_without_transfer'],
  ['a wallet', `wallet_id = (SELECT id FROM wallets WHERE environment = 'sandbox')`, 'payout_row'],
])('the proof finds a payout row that was changed without our triggers: %s', async (_what, change, kind) => {
  const { payoutId } = await stage.aSentPayout()
  expect(await runProof(deps)).toMatchObject(fine)
  await withoutTriggers(db, `UPDATE payouts SET ${change} WHERE id = $1`, [payoutId])

  await runProof(deps, 'full')

  expect(await stage.found()).toContainEqual([kind, payoutId])
})

test('the proof finds the ledger set of a payout whose row was deleted', async () => {
  const { payoutId } = await stage.aSentPayout()
  await withoutTriggers(db, 'DELETE FROM payouts WHERE id = $1', [payoutId])

  await runProof(deps)

  expect(kinds(await stage.found())).toEqual(expect.arrayContaining(['set_sum', 'transfer_without_payout']))
})

test('a completed payout that the bank never sent remains a drift, even after the checkpoint has moved past it', async () => {
  const payout = await stage.aSentPayout()
  await stage.advance(payout, 'payment_processed')
  await steps.settle(payout)
  await withoutTriggers(db, `UPDATE payouts SET transfer_ref = 'no-such-transfer' WHERE id = $1`, [payout.payoutId])
  await runProof(deps)
  const found = await stage.found()
  expect(found).toContainEqual(['payout_without_transfer', payout.payoutId])

  await moveCheckpointPastEverything()
  await withoutTriggers(db, `UPDATE payouts SET submit_started_at = now() - interval '3 days' WHERE id = $1`, [
    payout.payoutId,
  ])
  await runProof(deps)

  expect(await stage.found()).toEqual(found)
})

/** Advances the checkpoint as if an operator had accepted the planted movements. */
async function moveCheckpointPastEverything(): Promise<void> {
  const refs = { customerRef: wallet.customer, walletRef: wallet.wallet }
  const history = await stage.rails.provider_production.walletHistory({ ...refs, after: null })
  const { usdcMicro } = await stage.rails.provider_production.wallet(refs)
  await db.dataSource.query(
    `UPDATE proofs SET proved_to = $2, summed_to = $2, proved_to_at = now() + interval '1 hour', bank_micro_usdc = $3,
      accepted_micro_usdc = $3 - 10000000000, bookings = 1 WHERE wallet_id = $1`,
    [wallet.id, history.at(-1)?.id, usdcMicro],
  )
}

async function aDeposit(amount: string): Promise<string> {
  const { json } = await bank.control('POST', `/wallets/${wallet.wallet}/deposits`, { amount })
  return String(json.id)
}

async function book(bankRef: string | null, postings: readonly Posting[]): Promise<void> {
  const causeRef = bankRef ?? randomUUID()
  const { outcome } = await postSet(db, { ...about(wallet.id), cause: 'deposit', causeRef, bankRef, postings })
  expect(outcome).toBe('posted')
}

function about(walletId: string) {
  return { walletId, payoutId: null, createdBy: 'test', at: stage.clock.now() }
}

function opposite(postings: readonly Posting[]): Posting[] {
  return postings.map(({ account, amountMicroUsdc }) => ({ account, amountMicroUsdc: -amountMicroUsdc }))
}

async function anotherWallet(): Promise<string> {
  const partner = await aConnectedPartner(db, bank)
  await db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
  const other = await findWallet(db, partner.id, 'live')
  return other?.id ?? ''
}

function kinds(found: readonly [string, string][]): string[] {
  return found.map(([kind]) => kind)
}
