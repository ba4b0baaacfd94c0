// Unexpected bank answers neither lose nor create money, and an acknowledged payout is never lost.
import { expect, test } from '@jest/globals'
import { releasePayout } from '../../../activities/payouts/attempt'
import { beginSubmit, loadStep, markAnswered } from '../../../db/payouts/steps'
import { findWallet } from '../../../db/wallets/wallets'
import { useDatabase } from '../../support/db/database'
import { aClaim, movableClock, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const db = useDatabase()
const { bank, rails, partner } = usePayer(db)
const clock = movableClock()
const deps = stepDeps(db, rails, { clock })
const steps = payoutActivities(deps)

async function balance(): Promise<bigint | undefined> {
  return (await findWallet(db, partner.id, 'sandbox'))?.balanceMicroUsdc
}

test('a payout fails and is refunded when the bank cancels its transfer', async () => {
  const before = await balance()
  const payout = await aClaim(db, { partnerId: partner.id })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  const { transferRef } = await loadStep(db, payout.payoutId)

  await bank.control('POST', `/transfers/${transferRef}/advance`, { state: 'canceled', last: true })

  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'failed' })
  expect(await balance()).toBe(before)
})

test('a payout that was never debited is never refunded', async () => {
  const before = await balance()
  const payout = await aClaim(db, { partnerId: partner.id })

  expect(await steps.cancelPayout(payout)).toMatchObject({ at: 'over', status: 'cancelled' })
  expect(await balance()).toBe(before)
})

test('a payout that was never debited is never sent', async () => {
  const payout = await aClaim(db, { partnerId: partner.id })

  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })
  expect((await loadStep(db, payout.payoutId)).submitStartedAt).toBeNull()
})

test('a run that finds another run’s call records it as unknown, so neither run releases the payout', async () => {
  const payout = await aClaim(db, { partnerId: partner.id })
  await steps.debitPayout(payout)
  await beginSubmit(db, { ...payout, body: '{}', at: clock.now() })
  const refusal = { code: 'payout_not_created', details: null, failureReason: 'not_sent: It was not.' } as const

  const slower = await releasePayout(deps, payout, { ...refusal, proof: 'nothing-called' })
  const faster = await releasePayout(deps, payout, { ...refusal, proof: 'own-calls' })

  expect([slower, faster]).toMatchObject([
    { at: 'unknown', verdict: { outcome: 'kept' } },
    { at: 'unknown', verdict: { outcome: 'kept' } },
  ])
  expect((await loadStep(db, payout.payoutId)).releasedAt).toBeNull()
})

test('an acknowledged payout waits while the bank is unavailable, and is sent when the bank is available again', async () => {
  const payout = await aClaim(db, { partnerId: partner.id })
  await steps.debitPayout(payout)
  await markAnswered(db, { ...payout, at: clock.now() })
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'POST', path: '/v0/customers/*' } })

  const unavailable = await steps.submitToRail(payout)
  await bank.control('DELETE', '/faults')
  const back = await steps.submitToRail(payout)

  expect(unavailable).toMatchObject({ at: 'unsent', verdict: { outcome: 'kept' }, status: 'pending' })
  expect(back).toMatchObject({ at: 'sent', status: 'processing' })
})
