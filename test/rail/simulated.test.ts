// The rail of a sandbox that is not connected to a bank yet. The rail stores nothing.
import { describe, expect, test } from '@jest/globals'
import { RailUnavailable } from '../../rail/rail'
import { createSimulatedRail, simulatedRefs } from '../../rail/simulated'
import { aRecipient } from '../support/bank/recipients'
import { aClock } from '../support/bank/scripted'

const payoutId = '0195b3c4-0000-7000-8000-000000000001'

describe('the simulated rail', () => {
  test('accepts a transfer and reports it as delivered when polled', async () => {
    const { rail, body } = await ordered('34567890')

    const sent = await rail.submit({ key: 'k', body, call: 'first' })
    const repeated = await createSimulatedRail({ clock: aClock }).submit({ key: 'k', body, call: 'repeat' })

    expect(sent).toMatchObject({ outcome: 'accepted', transfer: { payoutId, status: 'under_way' } })
    expect(repeated).toEqual(sent)
    expect(await rail.transfer(refIn(sent))).toMatchObject({
      status: 'delivered',
      sentMicroUsdc: 132_410_000n,
      reason: null,
    })
  })

  test('fails a payout to an account that ends in 0000, then refunds the money', async () => {
    const { rail, body } = await ordered('12340000')

    const sent = await rail.submit({ key: 'k', body, call: 'first' })

    expect(sent).toMatchObject({ outcome: 'accepted', transfer: { status: 'undeliverable' } })
    expect(await rail.transfer(refIn(sent))).toMatchObject({
      status: 'refunded',
      refundedMicroUsdc: 132_410_000n,
      reason: 'invalid_account: The bank rejected the account details.',
    })
  })

  test('has no wallet and no history, and its rate is fixed', async () => {
    const rail = createSimulatedRail({ clock: aClock })

    await expect(rail.wallet(simulatedRefs)).rejects.toThrow(RailUnavailable)
    expect(await rail.walletHistory({ ...simulatedRefs, after: null })).toEqual([])
    expect(await rail.rate()).toEqual({ gbpPerUsdNano: 790_000_000n, midNano: 790_000_000n, updatedAt: aClock.now() })
  })
})

async function ordered(accountNumber: string) {
  const rail = createSimulatedRail({ clock: aClock })
  const { customerRef, walletRef } = simulatedRefs
  const registered = await rail.registerRecipient({
    customerRef,
    recipient: { ...aRecipient(), accountNumber },
    key: 'r',
  })
  const recipientRef = registered.outcome === 'registered' ? registered.recipientRef : ''
  const amounts = { amountPence: 10_000n, sendsMicroUsdc: 132_410_000n, reference: null }
  return { rail, body: rail.transferBody({ customerRef, walletRef, payoutId, recipientRef, ...amounts }) }
}

function refIn(sent: Awaited<ReturnType<ReturnType<typeof createSimulatedRail>['submit']>>): string {
  return sent.outcome === 'accepted' ? sent.transfer.ref : ''
}
