// The referee finds no fault in correct payouts, and finds every kind of planted fault.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { QueryRunner } from 'typeorm'
import { type Db, type Send, sentThrough, txThrough } from '../../db/database'
import { issueInvoice } from '../../db/invoices/issue'
import { londonMonthOf, nextMonth, startOf } from '../../domain/month'
import type { Rails } from '../../rail/rails'
import { systemClock } from '../../runtime/clock'
import type { PayoutRef } from '../../workflows/payouts/payout'
import { aSeller } from '../support/api/fixtures'
import { openTestBank, quick, type TestBank, until } from '../support/bank/client'
import { createDatabase, openDb, type TestDatabase } from '../support/db/database'
import { sealAll } from '../support/db/seal-all'
import { aClaim, aConnectedPartner, railsTo, stepDeps } from '../support/stages/payout'
import { payoutActivities } from '../support/stages/payout-activities'
import { billingFaults } from './billing-faults'
import { type Evidence, findViolations, referee, type Seen } from './referee'

let database: TestDatabase
let db: Db
let bank: TestBank
let rails: Rails
let steps: ReturnType<typeof payoutActivities>
let partnerId: string
/** One payout for each outcome. */
let completed: PayoutRef
let failed: PayoutRef
let refused: PayoutRef
const account = '71829304'
const toTransfers = { method: 'POST', path: '/v0/transfers' }

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb(database.url)
  bank = await openTestBank({ delaysMs: quick, fsync: 'off' })
  rails = railsTo(bank)
  const deps = stepDeps(db, rails)
  steps = payoutActivities(deps)
  partnerId = (await aConnectedPartner(db, bank, '9000.00')).id
  completed = await pay({ idempotencyKey: 'order-completed', environment: 'live', accountNumber: account })
  failed = await pay({ idempotencyKey: 'order-failed', accountNumber: '71820000' })
  await bank.fault({ kind: 'status', status: 401, times: 1, match: toTransfers })
  refused = await pay({ idempotencyKey: 'order-refused' })
  await bank.fault({ kind: 'status', status: 401, times: 1, match: toTransfers })
  await pay({ idempotencyKey: 'order-second' })
  await pay({ idempotencyKey: 'order-second' })
  const period = londonMonthOf(systemClock.now())
  // At 06:00 on the 1st, because a rule ignores charges from the last minute before the invoice.
  const at = new Date(startOf(nextMonth(period)).getTime() + 6 * 3_600_000)
  await issueInvoice(db, { partnerId, period, at, seller: aSeller })
  await sealAll(db, systemClock.now())
})
afterAll(async () => {
  rails.close()
  await bank.close()
  await db.close()
  await database.drop()
})

test('correct payouts cause no violation', async () => {
  const seen = [acknowledged(completed), acknowledged(failed, { key: 'order-failed' }), refusal()]

  await expect(referee(evidence({ seen, texts: [{ where: 'log', text: 'paid ••••9304' }] }))).resolves.toBeUndefined()
})

type PlantedFault = readonly [what: string, statements: () => readonly string[], says: string]

const faults: readonly PlantedFault[] = [
  ['a set that does not balance', () => [unguarded, addEntry(5n, 'suspense')], 'I1 every set'],
  ['a set without entries', () => [unguarded, `DELETE FROM ledger_entries WHERE set_id = ${aSet()}`], 'I1 every set'],
  [
    'a balance that its entries do not explain',
    () => [unguarded, `UPDATE wallets SET balance_micro_usdc = 7`],
    'I2 a wallet holds',
  ],
  [
    'a wallet that was briefly below zero',
    () => [
      unguarded,
      'ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_balance_check',
      `UPDATE ledger_entries SET amount_micro_usdc = -999999999999, balance_micro_usdc = -1 WHERE set_id = ${aSet()}
        AND balance_micro_usdc IS NOT NULL`,
    ],
    'I2 a wallet is never',
  ],
  [
    'a second debit for an attempt',
    () => [
      unguarded,
      'ALTER TABLE ledger_sets DROP CONSTRAINT ledger_sets_cause_unique',
      `INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, created_by, created_at)
        SELECT gen_random_uuid(), wallet_id, cause, cause_ref, payout_id, created_by, created_at
        FROM ledger_sets WHERE id = ${aSet()}`,
    ],
    'I3 one debit',
  ],
  [
    'a payout in flight that was never debited',
    () => [unguarded, `UPDATE ledger_sets SET cause_ref = 'another' WHERE id = ${aSet()}`],
    'I3 one debit',
  ],
  [
    'money refunded twice',
    () => [unguarded, addSet(failed, 'reversal', `${failed.payoutId}/1`)],
    'I3 a debit is reversed',
  ],
  [
    'a refused payout whose debit was not reversed',
    () => [
      unguarded,
      `DELETE FROM ledger_entries WHERE set_id IN (SELECT id FROM ledger_sets WHERE cause = 'reversal')`,
    ],
    'I3 a refused or cancelled payout',
  ],
  [
    'a final payout with money in transit',
    () => [
      unguarded,
      `DELETE FROM ledger_entries WHERE set_id IN (SELECT id FROM ledger_sets WHERE cause = 'paid_out')`,
    ],
    'I3 a final payout',
  ],
  [
    'a completed payout without its charge',
    () => [unguarded, 'DELETE FROM charges'],
    'a completed live payout is charged once',
  ],
  ...billingFaults.map(
    ([name, statements, finding]): PlantedFault => [name, () => [unguarded, ...statements], `I8 ${finding}`],
  ),
  ['a forbidden status transition', () => [unguarded, addEvent(failed, 'completed')], 'moved from failed to completed'],
  ['a row that contradicts its timeline', () => [setRow(completed, `status = 'processing'`)], 'its timeline ends'],
  ['an attempt that was not requested', () => [setRow(completed, 'attempt = 2')], 'was requested 1 times'],
  [
    'a transfer without a payout',
    () => [unguarded, `DELETE FROM payouts WHERE id = '${completed.payoutId}'`],
    'no payout',
  ],
  ['a payout without its transfer', () => [setRow(completed, `transfer_ref = 'tr_other'`)], 'has no transfer tr_other'],
  [
    'a refused payout that was sent',
    () => [setRow(completed, `released_at = now()`)],
    'was refused and has a transfer',
  ],
  [
    'a transfer with a key that is not the attempt’s',
    () => [setRow(completed, 'bank_key = gen_random_uuid()')],
    'not its attempt',
  ],
  ['a transfer with another amount', () => [setRow(completed, 'amount_pence = 777')], 'pays 12000'],
  [
    'a completed payout that the bank refunded',
    () => [setRow(failed, `status = 'completed', completed_at = now()`)],
    '',
  ],
  [
    'a wallet with another balance at the bank',
    () => [`UPDATE wallets SET wallet_ref = wallet_ref || '-other'`],
    'at the bank',
  ],
  [
    'a recorded change that was rewritten',
    () => [unguarded, `UPDATE activity SET made_by = 'nobody' WHERE action = 'partner.create'`],
    'I9 row_changed',
  ],
  [
    'a recorded change that was removed',
    () => [unguarded, `DELETE FROM activity WHERE action = 'partner.create'`],
    'I9 row_missing',
  ],
  [
    'an entry that was removed',
    () => [unguarded, `DELETE FROM ledger_entries WHERE set_id = ${aSet()}`],
    'I9 row_missing',
  ],
  ['an unsealed booking', () => [unguarded, addSet(completed, 'float', 'unsealed')], 'I9 1 rows of ledger_sets'],
  ['a payout that is still open', () => [setRow(completed, 'closed_at = NULL')], 'I7 payout'],
  [
    'an account number in a column',
    () => [setRow(completed, `failure_reason = 'to ${account}'`)],
    'payouts.failure_reason',
  ],
  [
    'an account number in the column for names',
    () => [setRow(completed, `recipient_name = 'Ada L. ${account}'`)],
    'payouts.recipient_name',
  ],
  ['a name in the wrong column', () => [setRow(completed, `reference = 'Ada L.'`)], 'payouts.reference'],
  [
    'an account number in unsealed bytes',
    () => [`UPDATE payouts SET fingerprint = convert_to('${account}', 'utf8') WHERE id = '${completed.payoutId}'`],
    'payouts.fingerprint',
  ],
]

test.each(faults)('the referee finds %s', async (_, plantFault, finding) => {
  const found = await findingsAfter(plantFault())

  expect(found.join('\n')).toContain(finding)
  expect(found).not.toEqual([])
})

test('the referee finds an acknowledged payout that is missing, or has another ID or amount', async () => {
  const seen = [
    acknowledged(completed, { key: 'order-lost' }),
    acknowledged(completed, { payoutId: randomUUID() }),
    acknowledged(completed, { amountGbp: '1.00' }),
    acknowledged(refused, { key: 'order-refused', environment: 'sandbox' }),
  ]

  const found = await findViolations(evidence({ seen }))

  expect(found.map((each) => each.slice(0, 2))).toEqual(['I5', 'I5', 'I5', 'I5'])
})

test('the referee finds a 502 for a payout that was sent, or whose key is not free', async () => {
  const seen = [refusal({ key: 'order-completed', environment: 'live' }), refusal({ key: 'order-failed' })]

  const found = await findViolations(evidence({ seen }))

  expect(found.map((each) => each.slice(0, 2))).toEqual(['I6', 'I6'])
})

test('the referee finds a canary in a log', async () => {
  const found = await findViolations(evidence({ texts: [{ where: 'the worker’s log', text: `sent to ${account}` }] }))

  expect(found).toEqual([`I10 ${account} is in the worker’s log`])
})

test('the referee finds a second transfer for one payout, which the bank accepts with another key', async () => {
  const { json } = await bank.control('GET', `/transfers?client_reference_id=${completed.payoutId}`)
  const [body]: { body: string }[] = await db.dataSource.query('SELECT bank_body AS body FROM payouts WHERE id = $1', [
    completed.payoutId,
  ])
  const again = await bank.post('/transfers', body?.body, { environment: 'live' })

  expect([json.count, again.status]).toEqual([1, 201])
  const found = (await findViolations(evidence())).join('\n')
  expect(found).toContain('has 2 transfers at the bank')
  expect(found).toContain('was paid with a key that is not its attempt')
})

async function pay(claim: Partial<Parameters<typeof aClaim>[1]>): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId, ...claim })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  await until('the payout is final', async () => (await steps.settle(payout)).at === 'over')
  return payout
}

function evidence(change: Partial<Evidence> = {}): Evidence {
  const canaries = [{ text: account }, { text: 'Ada L', allowedIn: 'payouts.recipient_name' }]
  return {
    records: db.dataSource,
    audited: db,
    bankControlUrl: bank.controlUrl,
    seen: [],
    canaries,
    texts: [],
    withinMs: 0,
    ...change,
  }
}

/** Plants a fault in a transaction that is rolled back, so that no fault outlives its test. */
async function findingsAfter(statements: readonly string[]): Promise<string[]> {
  const runner = db.dataSource.createQueryRunner()
  await runner.startTransaction()
  try {
    for (const statement of statements) await runner.query(statement)
    return await findViolations(evidence({ records: runner, audited: within(runner) }))
  } finally {
    await runner.rollbackTransaction()
    await runner.release()
  }
}

/** The database as seen inside a transaction. */
function within(runner: QueryRunner): Db {
  const send: Send = async ({ values, ...command }) =>
    (await runner.connect()).query({ ...command, values: [...values] })
  return sentThrough(db, { send, transaction: (work) => work(txThrough(db.dataSource, send)) })
}

/** The ledger protects itself, so a fault can be planted only with its triggers and foreign keys disabled. */
const unguarded = 'SET LOCAL session_replication_role = replica'

function aSet(): string {
  return `(SELECT id FROM ledger_sets WHERE cause = 'debit' AND payout_id = '${completed.payoutId}')`
}

function addEntry(amount: bigint, kind: string): string {
  return `INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc)
    SELECT s.id, a.id, ${amount} FROM ledger_sets s JOIN ledger_accounts a ON a.wallet_id = s.wallet_id AND a.kind = '${kind}'
    WHERE s.id = ${aSet()}`
}

function addSet({ payoutId }: PayoutRef, cause: string, causeRef: string): string {
  return `INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, created_by, created_at)
    SELECT gen_random_uuid(), wallet_id, '${cause}', '${causeRef}', id, 'test', now()
    FROM payouts WHERE id = '${payoutId}'`
}

function addEvent({ payoutId }: PayoutRef, status: string): string {
  return `INSERT INTO payout_events (payout_id, at, kind, status, made_by)
    VALUES ('${payoutId}', now(), '${status}', '${status}', 'test')`
}

function setRow({ payoutId }: PayoutRef, change: string): string {
  return `UPDATE payouts SET ${change} WHERE id = '${payoutId}'`
}

function acknowledged({ payoutId }: PayoutRef, change: Partial<Seen> = {}): Seen {
  const environment = change.key === 'order-failed' ? 'sandbox' : 'live'
  const answer = { status: 201, payoutId, amountGbp: '120.00', code: null }
  return { partnerId, environment, key: 'order-completed', ...answer, ...change }
}

function refusal(change: Partial<Seen> = {}): Seen {
  const answer = { status: 502, payoutId: null, amountGbp: null, code: 'payout_not_created' }
  return { partnerId, environment: 'sandbox', key: 'order-refused', ...answer, ...change }
}
