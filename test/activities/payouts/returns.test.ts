// A returned payout is stored with its reason, and credited after the bank's refund. The fee credit and the
// exception charge are exact to the penny.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { changePrices } from '../../../db/invoices/price-lists'
import { loadStep } from '../../../db/payouts/steps'
import { findWallet } from '../../../db/wallets/wallets'
import type { Environment } from '../../../domain/environment'
import { londonMonthOf } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { chargesOf } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'
import { aClaim, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const db = useDatabase()
const { bank, rails, partner } = usePayer(db)
let now: () => Date
const deps = stepDeps(db, rails, { clock: { now: () => now() } })
const steps = payoutActivities(deps)

const nextYear = systemClock.now().getUTCFullYear() + 1
/** 00:30 on 1 April in London, which is still March in UTC. */
const april = new Date(`${nextYear}-03-31T23:30:00Z`)
const toHistory = { method: 'GET', path: '/v0/wallets/*/history' }

beforeEach(async () => {
  now = () => systemClock.now()
})
afterEach(() => requireValidLedger(db.dataSource))

describe('a completed live payout', () => {
  test('is marked as returned immediately, and its wallet is credited only after the bank’s refund', async () => {
    const before = await balance()
    const payout = await aCompleted()
    await move(payout, 'returned', 'AC07')

    const returned = await steps.pollReturn(payout)
    const beforeRefund = await balance()
    await move(payout, 'refund_in_flight')
    const inFlight = await steps.pollReturn(payout)
    await move(payout, 'refunded')
    const refunded = await steps.pollReturn(payout)

    expect([returned, inFlight]).toMatchObject([
      { at: 'waiting', status: 'returned' },
      { at: 'waiting', status: 'returned' },
    ])
    expect(beforeRefund).toBe(before - 153_300_000n)
    expect(refunded).toEqual({ at: 'over', status: 'returned', says: 'returned, refunded', reason: 'account_closed' })
    expect(await balance()).toBe(before)
    expect(await rowOf(payout)).toMatchObject({
      status: 'returned',
      failure_reason: 'account_closed: The account is closed.',
      transfer_state: 'refunded',
      closed_at: expect.any(Date),
    })
    expect(await setsOf(payout)).toEqual([
      'debit in_transit 153300000',
      'debit wallet -153300000',
      'paid_out in_transit -153300000',
      'paid_out paid_out 153300000',
      'return paid_out -153300000',
      'return wallet 153300000',
    ])
  })

  test('is credited with its fee and charged for the exception once, in the London month of the return', async () => {
    const payout = await aCompleted()
    now = () => april
    await move(payout, 'returned')
    for (const _ of [1, 2]) await steps.pollReturn(payout)
    await move(payout, 'refunded')
    for (const _ of [1, 2]) await steps.pollReturn(payout)

    expect(await charges()).toEqual([
      `credit 1090000 ${nextYear}-04`,
      `exception 6000000 ${nextYear}-04`,
      `network_fee 19800 ${thisMonth()}`,
      `payout_fee 1090000 ${thisMonth()}`,
    ])
  })

  test('is returned, booked and closed in one step if it was refunded before the first poll', async () => {
    const payout = await aCompleted()
    await move(payout, 'returned', 'BENREQ')
    await move(payout, 'refunded')

    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })
    expect(await rowOf(payout)).toMatchObject({ failure_reason: expect.stringMatching(/^recipient_refused: /) })
    expect(await eventsOf(payout)).toEqual(['requested', 'sent', 'completed', 'returned'])
  })

  test('is returned, not failed, if the bank later reports it as undeliverable', async () => {
    const payout = await aCompleted()
    await move(payout, 'undeliverable', 'AC03')

    for (const _ of [1, 2]) expect(await steps.pollReturn(payout)).toMatchObject({ at: 'waiting', status: 'returned' })
    await move(payout, 'refunded')
    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })
  })

  test('stays unchanged, closed and charged while the bank still reports it as delivered', async () => {
    const payout = await aCompleted()
    const before = await rowOf(payout)

    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'completed' })
    expect(await rowOf(payout)).toEqual(before)
    expect(await charges()).toHaveLength(2)
  })

  test('books an exchange difference when the bank refunds another amount', async () => {
    const payout = await aCompleted()
    await move(payout, 'returned')
    await move(payout, 'refunded')
    const less = withRefundOf(150_000_001n)

    await less.pollReturn(payout)

    expect((await setsOf(payout)).filter((line) => line.startsWith('return'))).toEqual([
      'return exchange_difference 3299999',
      'return paid_out -153300000',
      'return wallet 150000001',
    ])
  })

  test('waits for a refund that the wallet’s history does not show yet', async () => {
    const payout = await aCompleted()
    await move(payout, 'refunded')
    await bank.fault({ kind: 'list_short', times: null, match: toHistory })
    const early = await steps.pollReturn(payout)
    await bank.control('DELETE', '/faults')

    expect(early).toMatchObject({ at: 'waiting', status: 'returned' })
    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })
  })

  test.each(['refund_failed', 'error', 'levitating', 'canceled', 'payment_submitted'])(
    'stays completed and needs an operator in the bank state %s',
    async (state) => {
      const payout = await aCompleted()
      await move(payout, state)

      expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'completed' })
      expect(await rowOf(payout)).toMatchObject({ status: 'completed', attention: `bank_says_${state}` })
      expect(await charges()).toHaveLength(2)
    },
  )

  test('stays returned when its refund fails, and is polled until the bank has refunded it', async () => {
    const payout = await aCompleted()
    await move(payout, 'returned')
    await steps.pollReturn(payout)
    await move(payout, 'refund_failed')

    const failed = await steps.pollReturn(payout)
    const attention = (await rowOf(payout)).attention
    await move(payout, 'refunded')

    expect(failed).toMatchObject({ at: 'waiting', status: 'returned' })
    expect(attention).toBe('bank_says_refund_failed')
    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over' })
    expect((await rowOf(payout)).attention).toBeNull()
  })

  test('is returned once, even when many runs poll it concurrently', async () => {
    const before = await balance()
    const payout = await aCompleted()
    await move(payout, 'returned')
    await move(payout, 'refunded')

    const answers = await Promise.all(Array.from({ length: 8 }, () => steps.pollReturn(payout)))

    expect(new Set(answers.map(({ at, status }) => `${at} ${status}`))).toEqual(new Set(['over returned']))
    expect(await balance()).toBe(before)
    expect(await charges()).toHaveLength(4)
    expect(await eventsOf(payout)).toEqual(['requested', 'sent', 'completed', 'returned'])
  })

  test('is booked as a return when the payout workflow resumes it', async () => {
    const payout = await aCompleted()
    await move(payout, 'returned')
    await steps.pollReturn(payout)
    await move(payout, 'refunded')

    expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'returned' })
    expect((await setsOf(payout)).filter((line) => line.startsWith('re'))).toEqual([
      'return paid_out -153300000',
      'return wallet 153300000',
    ])
  })

  test('waits while the bank is unavailable', async () => {
    const payout = await aCompleted()
    await bank.fault({ kind: 'status', status: 503, times: 1, match: { method: 'GET', path: '/v0/transfers/*' } })

    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'waiting', status: 'completed' })
    expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'completed' })
  })
})

test('a return with a price of zero creates no exception charge', async () => {
  const at = now()
  await db.transaction((tx) =>
    changePrices(tx, { partnerId: partner.id, changes: { returnCostMicropounds: 0n }, from: at, at }),
  )
  const payout = await aCompleted()
  await move(payout, 'returned')
  await steps.pollReturn(payout)

  expect((await charges()).filter((line) => line.startsWith('exception'))).toEqual([])
})

test('a payout that is returned before it completes is charged for the exception, and has no fee to credit', async () => {
  const payout = await aSent()
  await move(payout, 'returned')
  await steps.settle(payout)
  await move(payout, 'refunded')

  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'returned' })
  expect(await charges()).toEqual([`exception 6000000 ${thisMonth()}`])
  expect((await setsOf(payout)).filter((line) => line.startsWith('re'))).toEqual([
    'refund in_transit -153300000',
    'refund wallet 153300000',
  ])
})

test('a payout that arrived and was returned between two polls is returned, not failed', async () => {
  const payout = await aSent()
  for (const state of ['payment_processed', 'returned', 'refunded']) await move(payout, state)

  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'returned' })
  expect(await charges()).toEqual([`exception 6000000 ${thisMonth()}`])
})

test('a payout that is not completed is ignored by the return workflow', async () => {
  const payout = await aSent()
  await move(payout, 'returned')

  expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'processing' })
  expect((await rowOf(payout)).status).toBe('processing')
})

test('a sandbox payout is returned in the same way, and nothing is charged', async () => {
  const before = await balance('sandbox')
  const payout = await aCompleted('sandbox')
  await move(payout, 'returned')
  await steps.pollReturn(payout)
  await move(payout, 'refunded')

  expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })
  expect(await balance('sandbox')).toBe(before)
  expect(await charges()).toEqual([])
})

const charges = () => chargesOf(db, partner)
const thisMonth = () => londonMonthOf(systemClock.now())

async function aSent(environment: Environment = 'live'): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id, environment })
  await steps.debitPayout(payout)
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent' })
  return payout
}

/** A payout of 120.00 GBP for 153.30 USDC. Its fee is 2.19 GBP, of which the bank has deducted 1.10 GBP. */
async function aCompleted(environment: Environment = 'live'): Promise<PayoutRef> {
  const payout = await aSent(environment)
  await move(payout, 'payment_processed')
  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'completed' })
  return payout
}

async function move({ payoutId }: PayoutRef, state: string, reason?: string): Promise<void> {
  const { transferRef } = await loadStep(db, payoutId)
  const { status } = await bank.control('POST', `/transfers/${transferRef}/advance`, { state, reason, last: true })
  expect(status).toBe(200)
}

/** The activities with a bank that reports this refund amount. */
function withRefundOf(amountMicroUsdc: bigint) {
  const provider_production = {
    ...rails.provider_production,
    findRefund: async () => ({ amountMicroUsdc, movementRef: null }),
  }
  const changed = { ...deps, rails: { ...rails, provider_production } }
  return payoutActivities(changed)
}

async function balance(environment: Environment = 'live'): Promise<bigint> {
  return (await findWallet(db, partner.id, environment))?.balanceMicroUsdc ?? -1n
}

async function rowOf({ payoutId }: PayoutRef): Promise<Record<string, unknown>> {
  const [row] = await db.dataSource.query('SELECT * FROM payouts WHERE id = $1', [payoutId])
  return row
}

async function eventsOf({ payoutId }: PayoutRef): Promise<string[]> {
  const sql = 'SELECT kind FROM payout_events WHERE payout_id = $1 ORDER BY id'
  const rows: { kind: string }[] = await db.dataSource.query(sql, [payoutId])
  return rows.map(({ kind }) => kind)
}

async function setsOf({ payoutId }: PayoutRef): Promise<string[]> {
  const rows: { line: string }[] = await db.dataSource.query(
    `SELECT s.cause || ' ' || a.kind || ' ' || e.amount_micro_usdc AS line FROM ledger_sets s
      JOIN ledger_entries e ON e.set_id = s.id JOIN ledger_accounts a ON a.id = e.account_id
      WHERE s.payout_id = $1 ORDER BY 1`,
    [payoutId],
  )
  return rows.map(({ line }) => line)
}
