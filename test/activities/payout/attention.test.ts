// When people are told that a payout waits for them, and when they no longer are.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createPayoutSteps } from '../../../activities/payout'
import type { PayoutDeps } from '../../../activities/payout/deps'
import type { Db } from '../../../db/database'
import { loadStep, setAttention } from '../../../db/payout-steps'
import { createLog } from '../../../log'
import { createRails, type Rails } from '../../../rail/rails'
import type { PayoutRef, PayoutSteps } from '../../../workflows/payout-steps'
import { openTestBank, still, type TestBank } from '../../sandbox-bank/bank-client'
import { createDatabase, type TestDatabase } from '../../setup/database'
import { aClaim, aConnectedPartner, movingClock, openDb, railsTo, stepDeps } from './a-stage'

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const toHistory = { method: 'GET', path: '/v0/wallets/*/history' }

let database: TestDatabase
let db: Db
let bank: TestBank
let rails: Rails
let partnerId: string
let deps: PayoutDeps
let steps: PayoutSteps
const clock = movingClock()
const lines: string[] = []
const log = createLog({ level: 'error', name: 'test' }, { write: (line) => void lines.push(line) })

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb(database.url)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  lines.length = 0
  bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
  rails = railsTo(bank)
  partnerId = (await aConnectedPartner(db, bank)).id
  deps = stepDeps(db, rails, { clock, log })
  steps = createPayoutSteps({ brief: deps, patient: deps })
})
afterEach(async () => {
  rails.close()
  await bank.close()
})

test('a refund that the wallet’s history still lacks after a quiet period is reported once, and no more once it is there', async () => {
  const payout = await aSent()
  await move(payout, 'refunded')
  await bank.fault({ kind: 'list_short', times: null, match: toHistory })

  expect(await steps.pollSettlement(payout)).toMatchObject({ at: 'sent', status: 'failed' })
  const atFirst = await attentionOf(payout)
  clock.forward(deps.patience.quietMs + 50)
  for (let poll = 0; poll < 3; poll++) await steps.pollSettlement(payout)
  const later = await attentionOf(payout)
  await bank.control('DELETE', '/faults')
  const booked = await steps.pollSettlement(payout)

  expect([atFirst, later]).toEqual([null, 'refund_missing'])
  expect(lines).toHaveLength(1)
  expect(booked).toMatchObject({ at: 'over', status: 'failed' })
  expect(await attentionOf(payout)).toBeNull()
})

test('it is reported though people were already told that the payout is overdue', async () => {
  const payout = await aSent()
  await move(payout, 'refunded')
  await bank.fault({ kind: 'list_short', times: null, match: toHistory })
  await setAttention(db, payout.payoutId, 'settlement_overdue')

  clock.forward(deps.patience.quietMs + 50)
  await steps.pollSettlement(payout)

  expect(await attentionOf(payout)).toBe('refund_missing')
})

test.each(['settlement_overdue', 'can_not_book_payment_processed', 'bank_says_error'])(
  '%s is over when the bank has paid',
  async (attention) => {
    const payout = await aSent()
    await setAttention(db, payout.payoutId, attention)

    await move(payout, 'payment_processed')
    await steps.pollSettlement(payout)

    expect(await attentionOf(payout)).toBeNull()
  },
)

test('what is about money stays until people have seen it', async () => {
  const payout = await aSent()
  await setAttention(db, payout.payoutId, 'debited_differently')

  await move(payout, 'payment_processed')
  await steps.pollSettlement(payout)

  expect(await attentionOf(payout)).toBe('debited_differently')
})

test.each(['outcome_overdue', 'outcome_unknown'])('%s is over when the transfer is found', async (attention) => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'after', match: toTransfers })
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })
  await setAttention(db, payout.payoutId, attention)

  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
  expect(await attentionOf(payout)).toBeNull()
})

test('a poll that brings no news takes nothing away', async () => {
  const payout = await aSent()
  await setAttention(db, payout.payoutId, 'settlement_overdue')

  await steps.pollSettlement(payout)

  expect(await attentionOf(payout)).toBe('settlement_overdue')
})

test('a payout that is claimed again does not keep what was said of the attempt before', async () => {
  const idempotencyKey = 'order-claimed-again'
  const first = await aDebited(idempotencyKey)
  await bank.fault({ kind: 'status', status: 401, match: toTransfers })
  await steps.submitToRail(first)
  const before = await attentionOf(first)

  const second = await aClaim(db, { partnerId, idempotencyKey })

  expect(before).toBe('bank_misconfigured')
  expect(second).toEqual({ payoutId: first.payoutId, attempt: 2 })
  expect(await attentionOf(second)).toBeNull()
})

test('a bank that can not be asked for its list is asked again by the workflow’s own pauses', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  await steps.submitToRail(payout)
  clock.forward(deps.patience.quietMs + 50)
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET', path: '*/transfers' } })

  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unknown', says: 'the bank does not answer' })
})

test('a rail that is no longer configured has sent nothing, also to a recipient that its bank knew', async () => {
  const accountNumber = '12345678'
  const first = await aClaim(db, { partnerId, accountNumber })
  await steps.debitPayout(first)
  await steps.submitToRail(first)
  const none = { bank: { sandbox: null, live: null }, clock, timeouts: { connectMs: 100, callMs: 100 } }
  const gone = stepDeps(db, createRails(none), { clock, log })
  const later = createPayoutSteps({ brief: gone, patient: gone })
  const second = await aClaim(db, { partnerId, accountNumber })
  await later.debitPayout(second)

  expect(await later.submitToRail(second)).toMatchObject({
    at: 'over',
    verdict: { outcome: 'refused', code: 'payout_not_created' },
  })
})

async function aDebited(idempotencyKey?: string): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) })
  await steps.debitPayout(payout)
  return payout
}

async function aSent(): Promise<PayoutRef> {
  const payout = await aDebited()
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent' })
  return payout
}

async function move({ payoutId }: PayoutRef, state: string): Promise<void> {
  const { transferRef } = await loadStep(db, payoutId)
  await bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
}

async function attentionOf({ payoutId }: PayoutRef): Promise<string | null> {
  const [row] = await db.dataSource.query('SELECT attention FROM payouts WHERE id = $1', [payoutId])
  return row.attention
}
