// A live payout that fails after the bank has accepted it gets a reason, and is credited only when its transfer is
// `refunded`. Unexpected bank states need an operator.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { loadStep } from '../../../db/payouts/steps'
import { findWallet } from '../../../db/wallets/wallets'
import { nextStepFor } from '../../../ops/payouts/next-step'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'
import { aClaim, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const db = useDatabase()
const { bank, rails, partner } = usePayer(db)
const steps = payoutActivities(stepDeps(db, rails, { log }))
let before: bigint
let payout: PayoutRef

beforeEach(async () => {
  lines.length = 0
  before = await balance()
  payout = await aClaim(db, { partnerId: partner.id, environment: 'live' })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
})
afterEach(() => requireValidLedger(db.dataSource))

test('an undeliverable payout fails immediately with its reason, and the wallet is credited after the bank’s refund', async () => {
  await move('undeliverable', 'AC06')
  const undeliverable = await steps.settle(payout)
  const beforeRefund = await balance()
  await move('refunded')
  const refunded = await steps.settle(payout)

  expect(undeliverable).toMatchObject({ at: 'sent', status: 'failed' })
  expect(beforeRefund).toBe(before - 153_300_000n)
  expect(refunded).toMatchObject({ at: 'over', status: 'failed' })
  expect(await balance()).toBe(before)
  expect(await rowOf()).toMatchObject({ failure_reason: expect.stringMatching(/^account_blocked: /) })
  expect(await charges()).toEqual([])
})

test('a payout that the bank has refunded before the next poll fails, and is credited immediately', async () => {
  await move('undeliverable', 'AC03')
  await move('refunded')

  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'failed' })
  expect(await balance()).toBe(before)
})

test.each(['error', 'underfunded', 'refund_failed', 'kyc_required', 'missing_return_policy', 'levitating'])(
  'the bank state %s does not change the payout’s status, and is reported to operators once, with a next step',
  async (state) => {
    await move(state)

    expect(await steps.settle(payout)).toMatchObject({ at: 'sent', status: 'processing' })
    expect(await steps.settle(payout)).toMatchObject({ at: 'sent', status: 'processing' })

    const { status, attention, closed_at } = await rowOf()
    expect([status, attention, closed_at]).toEqual(['processing', `bank_says_${state}`, null])
    expect(nextStepFor(String(attention))).not.toBeNull()
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ payout_id: payout.payoutId, state }])
    expect(await balance()).toBe(before - 153_300_000n)
    expect(await charges()).toEqual([])
  },
)

test('a failed payout stays failed and uncredited while its refund fails', async () => {
  await move('undeliverable')
  await steps.settle(payout)
  await move('refund_failed')
  const failed = await steps.settle(payout)
  const { attention } = await rowOf()
  const beforeRefund = await balance()
  await move('refunded')

  expect([failed.at, failed.status, attention, beforeRefund]).toEqual([
    'sent',
    'failed',
    'bank_says_refund_failed',
    before - 153_300_000n,
  ])
  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'failed' })
  expect([(await rowOf())['attention'], await balance()]).toEqual([null, before])
})

test('a payout that is corrected at the bank continues automatically', async () => {
  await move('underfunded')
  await steps.settle(payout)
  await move('payment_processed')

  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'completed' })
  expect((await rowOf())['attention']).toBeNull()
})

async function move(state: string, reason?: string): Promise<void> {
  const { transferRef } = await loadStep(db, payout.payoutId)
  const { status } = await bank.control('POST', `/transfers/${transferRef}/advance`, { state, reason, last: true })
  expect(status).toBe(200)
}

async function balance(): Promise<bigint> {
  return (await findWallet(db, partner.id, 'live'))?.balanceMicroUsdc ?? -1n
}

async function rowOf(): Promise<Record<string, unknown>> {
  const [row] = await db.dataSource.query('SELECT * FROM payouts WHERE id = $1', [payout.payoutId])
  return row
}

async function charges(): Promise<unknown[]> {
  return db.dataSource.query('SELECT kind FROM charges WHERE partner_id = $1', [partner.id])
}
