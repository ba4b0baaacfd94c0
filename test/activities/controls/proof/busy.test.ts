// Proofs that run while payouts are in progress find no drift in correct data, and still find a real drift.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runProof } from '../../../../activities/controls/proof/run'
import { listDrifts } from '../../../../db/controls/proof/drifts'
import { postSet } from '../../../../db/wallets/ledger'
import { type Posting, refundPostings, topUpPostings } from '../../../../domain/wallets/ledger'
import type { Rails } from '../../../../rail/rails'
import { systemClock } from '../../../../runtime/clock'
import { aPayoutWorld, type Payer, type PayoutWorld } from '../../../support/api/payout-world'
import { quick, until } from '../../../support/bank/client'
import { keptLog } from '../../../support/kept-logs'
import { railsTo } from '../../../support/stages/payout'
import { silenceTemporal } from '../../../support/temporal/a-worker'

const log = keptLog()
// The strictest limits: no grace period for deposits or balances, and no pause between proofs.
const limits = {
  graceMs: 0,
  balanceLagMs: 0,
  pauseMs: 0,
  fullEveryMs: 86_400_000,
  comparedWithinMs: 60_000,
  settleWithinMs: 60_000,
  knownWithinMs: 60_000,
}
const payments = 60
let world: PayoutWorld
let rails: Rails
let payers: Payer[]

silenceTemporal()

beforeAll(async () => {
  const bank = { delaysMs: { ...quick, funds_received: 150, payment_submitted: 300 } }
  world = await aPayoutWorld({ bank })
  rails = railsTo(world.bank)
  payers = [await world.aPayer(), await world.aPayer()]
  // Disconnects the sandbox wallets, so that the proof compares only the live wallets with the bank.
  await world.api.db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
})
afterAll(async () => {
  rails.close()
  await world.close()
})

test('a proof finds no drift while payouts are sent, delivered and refunded, and while answers from the bank are lost', async () => {
  const { db } = world.api
  const deps = { db, clock: systemClock, log, rails, limits }
  await world.bank.fault({ kind: 'reset', stage: 'after', times: 6, match: { method: 'POST', path: '/v0/transfers' } })
  await world.bank.fault({ kind: 'undeliverable', times: 6, match: {} })
  const progress = { isPaying: true }
  const paying = payAll().finally(() => {
    progress.isPaying = false
  })
  let [proofs, compared] = [0, 0]
  while (progress.isPaying || (await hasOpen())) {
    const { drifts, failed, busy } = await runProof(deps)
    proofs += 1
    compared += payers.length - busy
    expect({ drifts, failed }).toEqual({ drifts: 0, failed: 0 })
  }
  await paying
  const last = await until('a proof with every wallet compared', async () => {
    const proved = await runProof(deps)
    return proved.busy === 0 && proved
  })

  expect(last).toMatchObject({ drifts: 0, busy: 0, failed: 0 })
  expect(proofs).toBeGreaterThan(3)
  expect(compared).toBeGreaterThan(proofs)
  expect(await listDrifts(db, 'open', 10)).toEqual([])
  expect(await listDrifts(db, 'gone', 10)).toEqual([])
})

test('the proof finds unexplained money while payouts of the same amount continue', async () => {
  const { db } = world.api
  const deps = { db, clock: systemClock, log, rails, limits }
  const progress = { isOver: false, paid: 0 }
  const paying = payWhile(progress)
  await until('payouts are in flight', async () => progress.paid > 6)
  const { walletId, payoutId, sends } = await aRefundedPayout()
  await post({ walletId, payoutId, cause: 'refund' }, refundPostings(sends, sends))
  await post({ walletId: await otherWallet(walletId), payoutId: null, cause: 'deposit' }, topUpPostings(sends))

  const found = await until('all unexplained money is found', async () => {
    await runProof(deps)
    const open = await listDrifts(db, 'open', 10)
    return open.length === 4 && open
  })

  const paid = progress.paid
  await until('more payouts are made', async () => progress.paid > paid)
  progress.isOver = true
  await paying
  const balances = found.filter(({ kind }) => kind === 'bank_balance')
  const others = found.filter(({ kind }) => kind !== 'bank_balance')
  expect(balances.map(({ size }) => size)).toEqual([String(-sends), String(-sends)])
  expect(others.map(({ kind }) => kind).toSorted()).toEqual(['booking_without_movement', 'payout_ledger'])
})

async function payAll(): Promise<void> {
  for (let begun = 0; begun < payments; begun += 6) {
    await Promise.all([...payers, ...payers, ...payers].map(payOnce))
  }
}

/** Repeats the request like a client: a busy machine can answer payout_not_created, which is no fault of the proof. */
async function payOnce(payer: Payer): Promise<void> {
  const key = randomUUID()
  await until('the payout is created', async () => {
    const { status } = await world.pay(payer, { amount_gbp: '3.00' }, { environment: 'live', key })
    return status === 201
  })
}

async function hasOpen(): Promise<boolean> {
  const rows: unknown[] = await world.api.db.dataSource.query(
    'SELECT 1 FROM payouts WHERE released_at IS NULL AND closed_at IS NULL LIMIT 1',
  )
  return rows.length > 0
}

async function payWhile(progress: { isOver: boolean; paid: number }): Promise<void> {
  while (!progress.isOver) {
    const answers = await Promise.all(
      [...payers, ...payers].map((payer) => world.pay(payer, { amount_gbp: '3.00' }, { environment: 'live' })),
    )
    progress.paid += answers.filter(({ status }) => status === 201).length
  }
}

async function aRefundedPayout(): Promise<{ walletId: string; payoutId: string; sends: bigint }> {
  const [payout]: { walletId: string; payoutId: string; sends: bigint }[] = await world.api.db.dataSource.query(
    `SELECT p.id AS "payoutId", p.wallet_id AS "walletId", p.wallet_sends_micro_usdc AS sends FROM payouts p
      JOIN ledger_sets s ON s.payout_id = p.id AND s.cause = 'refund' ORDER BY p.id LIMIT 1`,
  )
  if (payout === undefined) throw new Error('one of the payouts before must have been refunded')
  return payout
}

async function otherWallet(walletId: string): Promise<string> {
  const [other]: { id: string }[] = await world.api.db.dataSource.query(
    `SELECT id FROM wallets WHERE environment = 'live' AND id <> $1`,
    [walletId],
  )
  return other?.id ?? ''
}

async function post(
  about: { walletId: string; payoutId: string | null; cause: string },
  postings: readonly Posting[],
): Promise<void> {
  const bankRef = about.payoutId === null ? 'made-up' : null
  const set = { ...about, causeRef: 'once-more', bankRef, createdBy: 'test', at: systemClock.now(), postings }
  expect(await postSet(world.api.db, set)).toMatchObject({ outcome: 'posted' })
}
