// Each kind of drift is planted and found within one run; what is only under way is none, and what is gone is marked gone.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createPayoutSteps } from '../../../activities/payout'
import type { ProofDeps } from '../../../activities/proof'
import { runProof } from '../../../activities/proof/run'
import { tellDrifts } from '../../../activities/proof/tell'
import { readWallet } from '../../../activities/wallet-reading/read-wallet'
import type { Db } from '../../../db/database'
import { listDrifts } from '../../../db/drifts'
import { postSet } from '../../../db/ledger'
import { takeMails } from '../../../db/mails'
import { findWallet } from '../../../db/wallets'
import { refundPostings, topUpPostings } from '../../../domain/ledger'
import type { Rails } from '../../../rail/rails'
import type { PayoutRef } from '../../../workflows/payout-steps'
import { testKeyring } from '../../api/client'
import { behindOurBack } from '../../db/behind-our-back'
import { anAccount, aTransfer, openTestBank, still, type TestBank } from '../../sandbox-bank/bank-client'
import { createDatabase, type TestDatabase } from '../../setup/database'
import { keptLog } from '../../setup/kept-logs'
import { aClaim, aConnectedPartner, movingClock, openDb, railsTo, stepDeps } from '../payout/a-stage'

const log = keptLog()
const patience = { graceMs: 0, quietMs: 0, pauseMs: 0, settleWithinMs: 7_200_000, knownWithinMs: 900_000 }
const fine = { drifts: 0, fresh: 0, busy: 0, failed: 0 }
let database: TestDatabase
let db: Db
let bank: TestBank
let rails: Rails
let clock: ReturnType<typeof movingClock>
let deps: ProofDeps
let partnerId: string
let wallet: { id: string; customer: string; wallet: string }
let steps: ReturnType<typeof createPayoutSteps>

beforeAll(async () => {
  bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
})
afterAll(() => bank.close())
beforeEach(async () => {
  database = await createDatabase()
  db = await openDb(database.url)
  rails = railsTo(bank, { callMs: 2_000 })
  clock = movingClock()
  deps = { db, clock, log, rails, patience }
  const parts = stepDeps(db, rails)
  steps = createPayoutSteps({ brief: parts, patient: parts })
  partnerId = (await aConnectedPartner(db, bank)).id
  // The stage books the sandbox's float without the bank's name for it; the live wallet is booked as it is in life.
  await db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
  const live = await findWallet(db, partnerId, 'live')
  wallet = { id: live?.id ?? '', customer: live?.customerRef ?? '', wallet: live?.walletRef ?? '' }
})
afterEach(async () => {
  rails.close()
  await db.close()
  await database.drop()
})

test('a healthy wallet shows nothing, whatever its payouts are up to', async () => {
  await aClaim(db, { partnerId, environment: 'live' })
  const debited = await aClaim(db, { partnerId, environment: 'live' })
  await steps.debitPayout(debited)
  const sent = await aSentPayout()
  const completed = await aSentPayout()
  await advance(completed, 'payment_processed')
  await steps.pollSettlement(completed)
  const refundedUnseen = await aSentPayout()
  await advance(refundedUnseen, 'refunded')
  const refunded = await aSentPayout()
  await advance(refunded, 'refunded')
  await steps.pollSettlement(refunded)
  const lost = await aLostAnswer()
  const cancelled = await aClaim(db, { partnerId, environment: 'live' })
  await steps.debitPayout(cancelled)
  await steps.cancelPayout(cancelled)

  expect(await runProof(deps)).toEqual({ wallets: 2, ...fine })

  expect([sent, lost].every(({ payoutId }) => payoutId !== '')).toBe(true)
  expect(await outcomes()).toEqual(['equal', 'no_bank'])
  expect(await found()).toEqual([])
})

test('an entry that was deleted is found in its set, its wallet and its payout, and is gone when it is back', async () => {
  const { payoutId } = await aSentPayout()
  const [entry]: { id: string; set_id: string; account_id: string; amount: string; balance: string }[] =
    await db.dataSource.query(
      `SELECT e.id, e.set_id, e.account_id, e.amount_micro_usdc AS amount, e.balance_micro_usdc AS balance
      FROM ledger_entries e JOIN ledger_sets s ON s.id = e.set_id WHERE s.payout_id = $1 AND e.balance_micro_usdc IS NOT NULL`,
      [payoutId],
    )
  await behindOurBack(db, 'DELETE FROM ledger_entries WHERE id = $1', [entry?.id])

  expect(await runProof(deps)).toMatchObject({ drifts: 3, fresh: 3 })
  expect(await found()).toEqual([
    ['payout_ledger', payoutId],
    ['set_sum', entry?.set_id],
    ['wallet_balance', wallet.id],
  ])
  expect(await runProof(deps)).toMatchObject({ drifts: 3, fresh: 0 })

  await behindOurBack(
    db,
    `INSERT INTO ledger_entries (id, set_id, account_id, amount_micro_usdc, balance_micro_usdc) OVERRIDING SYSTEM VALUE
      VALUES ($1, $2, $3, $4, $5)`,
    [entry?.id, entry?.set_id, entry?.account_id, entry?.amount, entry?.balance],
  )
  expect(await runProof(deps)).toMatchObject(fine)
  expect(await found()).toEqual([])
  expect(await listDrifts(db, 'gone', 10)).toHaveLength(3)
})

test('a transfer made behind our back is found by its name, and explains the balance', async () => {
  const transfer = await aStrangeTransfer()

  await runProof(deps)

  expect(await found()).toEqual([['transfer_without_payout', transfer]])
})

test('a second transfer for one payout is found', async () => {
  const { payoutId } = await aSentPayout()
  const transfer = await aStrangeTransfer({ client_reference_id: payoutId })

  await runProof(deps)

  expect(await found()).toEqual([['transfer_without_payout', transfer]])
})

test('a transfer for a payout that was given up and credited is found', async () => {
  const released = await aClaim(db, { partnerId, environment: 'live' })
  await steps.debitPayout(released)
  await steps.cancelPayout(released)
  const transfer = await aStrangeTransfer({ client_reference_id: released.payoutId })

  await runProof(deps)

  expect(await found()).toEqual([['transfer_without_payout', transfer]])
})

test('a transfer of another amount than its payout sends is found', async () => {
  const { payoutId } = await aSentPayout()
  await behindOurBack(
    db,
    `UPDATE payouts SET wallet_sends_micro_usdc = wallet_sends_micro_usdc + 10000 WHERE id = $1`,
    [payoutId],
  )

  await runProof(deps)

  expect(await found()).toEqual([
    ['bank_balance', wallet.id],
    ['payout_ledger', payoutId],
    ['transfer_amount', payoutId],
  ])
})

test('a double credit that no movement of the bank explains is found in the balance', async () => {
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

  const [drift] = await listDrifts(db, 'open', 10)
  expect(drift).toMatchObject({
    kind: 'bank_balance',
    subject: wallet.id,
    expected: '10005000000',
    found: '10000000000',
  })
  expect(await found()).toHaveLength(1)
})

test('a refund that was booked twice is found in its payout and in the balance', async () => {
  const payout = await aSentPayout()
  await advance(payout, 'refunded')
  await steps.pollSettlement(payout)
  const sends = await sendsOf(payout)
  const about = { walletId: wallet.id, payoutId: payout.payoutId, createdBy: 'test', at: clock.now() }
  await postSet(db, { ...about, cause: 'refund', causeRef: 'once-more', postings: refundPostings(sends, sends) })

  await runProof(deps)

  expect(await found()).toEqual([
    ['bank_balance', wallet.id],
    ['payout_ledger', payout.payoutId],
  ])
})

test('a deposit that is not booked is found once its time is over, and gone when it is', async () => {
  const { json } = await bank.control('POST', `/wallets/${wallet.wallet}/deposits`, { amount: '12.345678' })
  const patient = { ...deps, patience: { ...patience, graceMs: 60_000 } }

  expect(await runProof(patient)).toMatchObject(fine)
  clock.forward(61_000)
  expect(await runProof(patient)).toMatchObject({ drifts: 1, fresh: 1 })
  expect(await found()).toEqual([['deposit_not_booked', json.id]])

  await readWallet({ db, clock, log, rails, startReturn: async () => undefined }, wallet.id)
  expect(await runProof(patient)).toMatchObject(fine)
})

test('a refund of a payout that had completed is found while nobody books its return', async () => {
  const payout = await aSentPayout()
  await advance(payout, 'payment_processed')
  await steps.pollSettlement(payout)
  await advance(payout, 'refunded')

  await runProof(deps)

  expect((await found()).map(([kind]) => kind)).toEqual(['deposit_not_booked'])
})

test('a payout whose transfer the bank does not know is found, sent or completed, named or not', async () => {
  const [unknown, nameless] = [
    await aClaim(db, { partnerId, environment: 'live' }),
    await aClaim(db, { partnerId, environment: 'live' }),
  ]
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

  await runProof(deps)

  const subjects = [unknown.payoutId, nameless.payoutId].toSorted()
  expect(await found()).toEqual(subjects.map((subject) => ['payout_without_transfer', subject]))
})

test('a payout that is silent for longer than it may take is found, unless its rail is paused', async () => {
  const sent = await aSentPayout()
  const waiting = await aClaim(db, { partnerId, environment: 'live' })
  await steps.debitPayout(waiting)

  clock.forward(patience.knownWithinMs + 60_000)
  await runProof(deps)
  expect(await found()).toEqual([['silent_payout', waiting.payoutId]])

  await db.dataSource.query(
    `INSERT INTO rail_pauses (id, environment, paused_at, paused_by) VALUES ($1, 'live', now(), 'ops:test')`,
    [randomUUID()],
  )
  clock.forward(patience.settleWithinMs)
  await runProof(deps)
  expect(await found()).toEqual([['silent_payout', sent.payoutId]])
})

test('a bank that does not answer proves nothing and takes nothing back', async () => {
  const transfer = await aStrangeTransfer()
  await runProof(deps)
  const fault = await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET' } })

  expect(await runProof(deps)).toMatchObject({ failed: 1 })

  await bank.control('DELETE', `/faults/${fault}`)
  expect(await found()).toEqual([['transfer_without_payout', transfer]])
})

test('a balance that the bank tells late is no drift while the wallet was not quiet', async () => {
  const patient = { ...deps, patience: { ...patience, quietMs: 60_000 } }
  await aSentPayout()
  const fault = await bank.fault({ kind: 'balance_lag', ms: 30_000, times: null, match: {} })

  expect(await runProof(patient)).toMatchObject({ drifts: 0, busy: 1 })

  await bank.control('DELETE', `/faults/${fault}`)
  expect(await found()).toEqual([])
})

test('what has its place is not read again, and what has none holds the reading up', async () => {
  await aSentPayout()
  const strange = await aStrangeTransfer()
  // As if all of that were two hours old, and something has happened since.
  await db.dataSource.query(`UPDATE payouts SET submit_started_at = submit_started_at - interval '2 hours'`)
  const shifted = {
    ...rails.provider_production,
    walletHistory: async (asked: Parameters<Rails['provider_production']['walletHistory']>[0]) => {
      const rows = await rails.provider_production.walletHistory(asked)
      return rows.map((row, index) =>
        index === rows.length - 1 || row.at === null ? row : { ...row, at: new Date(row.at.getTime() - 7_200_000) },
      )
    },
  }
  await aSentPayout()
  const later = { ...deps, rails: { ...rails, provider_production: shifted } }

  await runProof(later)
  await runProof(later)

  const history = await rails.provider_production.walletHistory({
    customerRef: wallet.customer,
    walletRef: wallet.wallet,
    after: null,
  })
  const [proved]: { proved_to: string }[] = await db.dataSource.query(
    'SELECT proved_to FROM proofs WHERE wallet_id = $1',
    [wallet.id],
  )
  expect(history.map(({ id }) => id).indexOf(proved?.proved_to ?? '')).toBe(1)
  expect(await found()).toEqual([['transfer_without_payout', strange]])
})

test('ops is mailed once for each new drift, and again for one that comes back', async () => {
  const tell = () => tellDrifts({ db, clock, keyring: testKeyring, opsEmail: 'ops@payouts.test' })
  await aStrangeTransfer()
  await runProof(deps)

  expect([await tellDrifts({ db, clock, keyring: testKeyring, opsEmail: null }), await tell(), await tell()]).toEqual([
    0, 1, 0,
  ])
  const [mail] = await takeMails(db, testKeyring, { at: clock.now(), leaseUntil: clock.now(), limit: 5 })
  expect(mail?.mail).toMatchObject({ to: { address: 'ops@payouts.test' }, subject: 'The proof found a drift' })
  expect(mail?.mail?.text).toContain('transfer_without_payout')

  await db.dataSource.query('UPDATE drifts SET resolved_at = now()')
  await runProof(deps)
  expect(await tell()).toBe(1)
})

async function aSentPayout(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId, environment: 'live' })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  return payout
}

/** The bank has made the transfer, and we do not know it. */
async function aLostAnswer(): Promise<PayoutRef> {
  const payout = await aSentPayout()
  await behindOurBack(
    db,
    `UPDATE payouts SET transfer_ref = NULL, transfer_state = NULL, status = 'pending', verdict = 'unknown' WHERE id = $1`,
    [payout.payoutId],
  )
  return payout
}

async function aStrangeTransfer(change: object = {}): Promise<string> {
  const live = { environment: 'live' } as const
  const account = await bank.post(`/customers/${wallet.customer}/external_accounts`, anAccount(), live)
  const party = { customer: wallet.customer, wallet: wallet.wallet, account: String(account.json.id) }
  const { json, status } = await bank.post('/transfers', aTransfer(party, change), live)
  expect(status).toBe(201)
  return String(json.id)
}

async function advance({ payoutId }: PayoutRef, state: string): Promise<void> {
  const [row]: { ref: string }[] = await db.dataSource.query('SELECT transfer_ref AS ref FROM payouts WHERE id = $1', [
    payoutId,
  ])
  const { status } = await bank.control('POST', `/transfers/${row?.ref}/advance`, { state })
  expect(status).toBe(200)
}

async function sendsOf({ payoutId }: PayoutRef): Promise<bigint> {
  const [row]: { sends: bigint }[] = await db.dataSource.query(
    'SELECT wallet_sends_micro_usdc AS sends FROM payouts WHERE id = $1',
    [payoutId],
  )
  return BigInt(row?.sends ?? 0)
}

async function found(): Promise<[string, string][]> {
  const drifts = await listDrifts(db, 'open', 50)
  return drifts
    .map(({ kind, subject }): [string, string] => [kind, subject])
    .toSorted(([one], [other]) => one.localeCompare(other))
}

async function outcomes(): Promise<string[]> {
  const rows: { outcome: string }[] = await db.dataSource.query('SELECT outcome FROM proofs ORDER BY outcome')
  return rows.map(({ outcome }) => outcome)
}
