// A bank answer is stale if another run has processed a newer one. A stale answer reopens no final payout and
// raises no alert.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadStep } from '../../../db/payouts/steps'
import type { Rails } from '../../../rail/rails'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { still, useSandboxBank } from '../../support/bank/client'
import { useDatabase } from '../../support/db/database'
import { aClaim, aConnectedPartner, railsTo, stepDeps } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const db = useDatabase()
const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
let rails: Rails
let partnerId: string
let steps: ReturnType<typeof payoutActivities>

beforeAll(async () => {
  rails = railsTo(bank)
  partnerId = (await aConnectedPartner(db, bank)).id
  steps = stepsWithStaleAnswer(() => Promise.resolve())
})
afterAll(() => rails.close())

test('a stale bank response about a pending return changes nothing after the refund was booked', async () => {
  const payout = await aSent()
  await move(payout, 'payment_processed')
  await steps.settle(payout)
  await move(payout, 'returned')
  const slow = stepsWithStaleAnswer(async () => {
    await move(payout, 'refunded')
    await steps.pollReturn(payout)
  })

  expect(await slow.pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })
  expect(await rowOf(payout)).toEqual({ status: 'returned', closed: true, attention: null, state: 'refunded' })
})

test('a stale bank response about a transfer in flight changes nothing after the payout was completed', async () => {
  const payout = await aSent()
  const slow = stepsWithStaleAnswer(async () => {
    await move(payout, 'payment_processed')
    await steps.settle(payout)
  })

  expect(await slow.settle(payout)).toMatchObject({ at: 'over', status: 'completed' })
  expect(await rowOf(payout)).toEqual({
    status: 'completed',
    closed: true,
    attention: null,
    state: 'payment_processed',
  })
})

/** Activities that run `act` between receiving the bank's answer and processing it. */
function stepsWithStaleAnswer(act: () => Promise<unknown>) {
  const provider_production = {
    ...rails.provider_production,
    transfer: async (ref: string) => {
      const answer = await rails.provider_production.transfer(ref)
      await act()
      return answer
    },
  }
  const deps = stepDeps(db, { ...rails, provider_production })
  return payoutActivities(deps)
}

async function aSent(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId, environment: 'live' })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  return payout
}

async function move({ payoutId }: PayoutRef, state: string): Promise<void> {
  const { transferRef } = await loadStep(db, payoutId)
  await bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
}

async function rowOf({ payoutId }: PayoutRef): Promise<unknown> {
  const columns = 'status, closed_at IS NOT NULL AS closed, attention, transfer_state AS state'
  const [row] = await db.dataSource.query(`SELECT ${columns} FROM payouts WHERE id = $1`, [payoutId])
  return row
}
