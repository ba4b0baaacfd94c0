// Whoever waits for a verdict is let go when the process has to end, also who begins to wait after that.
import { expect, test } from '@jest/globals'
import { untilStopped } from '../../../api/payouts/until-stopped'
import type { PayoutToStart } from '../../../workflows/payouts/start'

const payout: PayoutToStart = {
  environment: 'sandbox',
  partnerId: '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4',
  idempotencyKey: 'order-1001',
  attempt: 1,
  payoutId: '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b5',
  slug: 'demo',
  status: 'pending',
  amountPence: 12_000n,
  accountLast4: '1234',
}

test('who waits and who comes later are let go, and the payouts of both are started', async () => {
  let started = 0
  const never = new Promise<never>(() => {})
  const payouts = untilStopped({
    start: () => {
      started++
      return never
    },
    bankSpoke: async () => 'told' as const,
    cameBack: async () => 'told' as const,
    cancel: () => never,
  })
  const waiting = payouts.start(payout)
  const cancelling = payouts.cancel(payout)

  payouts.stopWaiting()

  expect(await waiting).toBeNull()
  expect(await cancelling).toBe('undecided')
  expect(await payouts.start(payout)).toBeNull()
  expect(started).toBe(2)
})
