// A payout's attention code is set when the payout needs an operator, and cleared when it no longer does.
import { beforeEach, expect, test } from '@jest/globals'
import { loadStep, setAttention } from '../../../db/payouts/steps'
import { createRails, type Rails } from '../../../rail/rails'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'
import { aClaim, movableClock, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const toHistory = { method: 'GET', path: '/v0/wallets/*/history' }

const db = useDatabase()
const clock = movableClock()
const { bank, rails, partner } = usePayer(db, { clock })
const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const { limits } = stepDeps(db, rails)
// The lag is long, so that only the test's clock can end it, however slow the machine is.
const deps = stepDeps(db, rails, { clock, log, limits: { ...limits, listLagMs: 60_000 } })
const steps = payoutActivities(deps)

beforeEach(async () => {
  lines.length = 0
})
test('a refund still missing from the wallet’s history after a quiet period is reported once, and resolved when it arrives', async () => {
  const payout = await aSent()
  await move(payout, 'refunded')
  await bank.fault({ kind: 'list_short', times: null, match: toHistory })

  expect(await steps.settle(payout)).toMatchObject({ at: 'sent', status: 'failed' })
  const atFirst = await attentionOf(payout)
  clock.forward(deps.limits.listLagMs + 50)
  for (let poll = 0; poll < 3; poll++) await steps.settle(payout)
  const later = await attentionOf(payout)
  await bank.control('DELETE', '/faults')
  const booked = await steps.settle(payout)

  expect([atFirst, later]).toEqual([null, 'refund_missing'])
  expect(lines).toHaveLength(1)
  expect(booked).toMatchObject({ at: 'over', status: 'failed' })
  expect(await attentionOf(payout)).toBeNull()
})

test('a missing refund is reported even if the payout was already reported as overdue', async () => {
  const payout = await aSent()
  await move(payout, 'refunded')
  await bank.fault({ kind: 'list_short', times: null, match: toHistory })
  await setAttention(db, payout.payoutId, 'settlement_overdue')

  clock.forward(deps.limits.listLagMs + 50)
  await steps.settle(payout)

  expect(await attentionOf(payout)).toBe('refund_missing')
})

test.each(['settlement_overdue', 'can_not_book_payment_processed', 'bank_says_error'])(
  'the attention code %s is cleared when the bank has paid',
  async (attention) => {
    const payout = await aSent()
    await setAttention(db, payout.payoutId, attention)

    await move(payout, 'payment_processed')
    await steps.settle(payout)

    expect(await attentionOf(payout)).toBeNull()
  },
)

test('an attention code about money stays until an operator has resolved it', async () => {
  const payout = await aSent()
  await setAttention(db, payout.payoutId, 'debited_differently')

  await move(payout, 'payment_processed')
  await steps.settle(payout)

  expect(await attentionOf(payout)).toBe('debited_differently')
})

test.each(['outcome_overdue', 'outcome_unknown'])(
  'the attention code %s is cleared when the transfer is found',
  async (attention) => {
    const payout = await aDebited()
    await bank.fault({ kind: 'reset', stage: 'after', match: toTransfers })
    expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })
    await setAttention(db, payout.payoutId, attention)

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
    expect(await attentionOf(payout)).toBeNull()
  },
)

test('a poll without a change clears no attention code', async () => {
  const payout = await aSent()
  await setAttention(db, payout.payoutId, 'settlement_overdue')

  await steps.settle(payout)

  expect(await attentionOf(payout)).toBe('settlement_overdue')
})

test('a payout that is claimed again does not keep the attention code of the previous attempt', async () => {
  const idempotencyKey = 'order-claimed-again'
  const first = await aDebited(idempotencyKey)
  await bank.fault({ kind: 'status', status: 401, match: toTransfers })
  await steps.submitToRail(first)
  const before = await attentionOf(first)

  const second = await aClaim(db, { partnerId: partner.id, idempotencyKey })

  expect(before).toBe('bank_misconfigured')
  expect(second).toEqual({ payoutId: first.payoutId, attempt: 2 })
  expect(await attentionOf(second)).toBeNull()
})

test.each([
  { first: 'unaccounted_transfer', second: 'bank_says_error', expected: 'unaccounted_transfer' },
  { first: 'bank_insufficient', second: 'settlement_overdue', expected: 'bank_insufficient' },
  {
    first: 'bank_insufficient',
    second: 'bank_contradicts_payment_submitted',
    expected: 'bank_contradicts_payment_submitted',
  },
  { first: 'bank_contradicts_returned', second: 'unaccounted_transfer', expected: 'bank_contradicts_returned' },
  { first: 'settlement_overdue', second: 'bank_says_error', expected: 'bank_says_error' },
])('after $first, then $second, the attention code is $expected', async ({ first, second, expected }) => {
  const payout = await aSent()
  await setAttention(db, payout.payoutId, first)
  await setAttention(db, payout.payoutId, second)

  expect(await attentionOf(payout)).toBe(expected)
})

test.each(['bank_contradicts_payment_submitted', 'unaccounted_transfer'])(
  'the key of a released payout with the attention code %s cannot be claimed again',
  async (attention) => {
    const idempotencyKey = `order-${attention}`
    const first = await aReleased(idempotencyKey)
    await setAttention(db, first.payoutId, attention)

    expect(await claimAgain(idempotencyKey)).toBeNull()
    expect(await attentionOf(first)).toBe(attention)
  },
)

test('a low balance at the bank is still reported when the key is claimed again', async () => {
  const idempotencyKey = 'order-drift-again'
  const first = await aReleased(idempotencyKey)
  await setAttention(db, first.payoutId, 'bank_insufficient')

  expect(await claimAgain(idempotencyKey)).toEqual({ payoutId: first.payoutId, attempt: 2 })
  expect(await attentionOf(first)).toBe('bank_insufficient')
})

test('a transfer is never submitted again after its time limit, however long the process was paused', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', match: toTransfers })
  await steps.submitToRail(payout)
  const stalled: Rails = {
    ...rails,
    provider_sandbox: {
      ...rails.provider_sandbox,
      submit: (transfer) => {
        clock.forward(deps.limits.repeatForMs + 2 * deps.limits.listLagMs)
        return rails.provider_sandbox.submit(transfer)
      },
    },
  }
  const late = stepDeps(db, stalled, { clock, log })

  await payoutActivities(late).resolveSubmit(payout)

  const { json } = await bank.control('GET', `/transfers?client_reference_id=${payout.payoutId}`)
  expect(json.data).toEqual([])
})

test('when the bank cannot list transfers, the outcome stays unknown, so that the workflow can retry', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  await steps.submitToRail(payout)
  clock.forward(deps.limits.listLagMs + 50)
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET', path: '*/transfers' } })

  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unknown', says: 'the bank does not answer' })
})

test('a rail that is no longer configured sends nothing, not even to a registered recipient', async () => {
  const accountNumber = '12345678'
  const first = await aClaim(db, { partnerId: partner.id, accountNumber })
  await steps.debitPayout(first)
  await steps.submitToRail(first)
  const none = { bank: { sandbox: null, live: null }, clock, timeouts: { connectMs: 100, callMs: 100 } }
  const gone = stepDeps(db, createRails(none), { clock, log })
  const later = payoutActivities(gone)
  const second = await aClaim(db, { partnerId: partner.id, accountNumber })
  await later.debitPayout(second)

  expect(await later.submitToRail(second)).toMatchObject({
    at: 'over',
    verdict: { outcome: 'refused', code: 'payout_not_created' },
  })
})

async function aDebited(idempotencyKey?: string): Promise<PayoutRef> {
  const payout = await aClaim(db, {
    partnerId: partner.id,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
  await steps.debitPayout(payout)
  return payout
}

async function aReleased(idempotencyKey: string): Promise<PayoutRef> {
  const payout = await aDebited(idempotencyKey)
  await bank.fault({ kind: 'status', status: 401, match: toTransfers })
  await steps.submitToRail(payout)
  return payout
}

/** Claims the key again. Returns null if the key is not free. */
function claimAgain(idempotencyKey: string): Promise<PayoutRef | null> {
  return aClaim(db, { partnerId: partner.id, idempotencyKey }).catch(() => null)
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
