// While a caller waits, calls to a busy bank are retried, all within one time limit.
import { expect, test } from '@jest/globals'
import type { PayoutDeps } from '../../../activities/bind'
import { loadStep } from '../../../db/payouts/steps'
import type { Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import type { PayoutActivities, PayoutRef } from '../../../workflows/payouts/payout'
import { aRecipient } from '../../support/bank/recipients'
import { useDatabase } from '../../support/db/database'
import { aClaim, movableClock, railsTo, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const toAccounts = { method: 'POST', path: '*/external_accounts' }
const toTransfers = { method: 'POST', path: '/v0/transfers' }
const notSent = { at: 'over', verdict: { outcome: 'refused', code: 'payout_not_created' } }
const answerCallMs = 1_000

const db = useDatabase()
const { bank, rails, partner } = usePayer(db, { callMs: answerCallMs })

test('registering a recipient is retried within the time limit while the bank is too busy', async () => {
  const { steps, payout } = await aDebited({ answerWithinMs: 60_000 })
  const busy = await bank.fault({ kind: 'status', status: 429, times: 2, match: toAccounts })

  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent', status: 'processing' })
  expect(await bank.counts(busy)).toEqual({ fired: 2, remaining: 0 })
})

test('if the bank stays too busy, nothing is sent and the idempotency key is free again', async () => {
  const { steps, payout } = await aDebited({ answerWithinMs: 3_000 })
  const busy = await bank.fault({ kind: 'status', status: 429, times: null, match: toAccounts })

  expect(await steps.submitToRail(payout)).toMatchObject(notSent)
  expect((await bank.counts(busy)).fired).toBeGreaterThan(1)
})

test('other registration errors are not retried while the caller waits', async () => {
  const { steps, payout } = await aDebited({ answerWithinMs: 60_000 })
  const down = await bank.fault({ kind: 'status', status: 503, times: null, match: toAccounts })

  expect(await steps.submitToRail(payout)).toMatchObject(notSent)
  expect((await bank.counts(down)).fired).toBe(1)
})

test('no transfer is sent when the registration leaves too little time for it', async () => {
  const { steps, payout } = await aDebited({ answerWithinMs: 200 })
  await bank.fault({ kind: 'hang', stage: 'after', ms: 300, match: toAccounts })

  expect(await steps.submitToRail(payout)).toMatchObject(notSent)
  expect((await loadStep(db, payout.payoutId)).submitStartedAt).toBeNull()
  expect(await transfersOf(payout)).toEqual([])
})

test('the transfer gets only the time that the registration leaves', async () => {
  // The registration advances the clock by 40 of the 60 s. The bank's Retry-After of 30 s exceeds the rest, so the
  // transfer is tried once.
  const clock = movableClock()
  const { steps, payout } = await aDebited(
    { answerWithinMs: 60_000 },
    { clock, rails: slowToRegister(() => clock.forward(40_000)) },
  )
  const busy = await bank.fault({ kind: 'status', status: 429, retry_after: 30, times: null, match: toTransfers })

  expect(await steps.submitToRail(payout)).toMatchObject(notSent)
  expect((await bank.counts(busy)).fired).toBe(1)
})

test('a transfer call that uses its full timeout has an unknown outcome', async () => {
  // The registration advances the clock by 57 of the 60 s, so the call begins just in time and ends after the 60 s.
  const clock = movableClock()
  const registeringMs = 57_000
  const limits = { answerWithinMs: 60_000, answerCallMs: 5_000 }
  const patient = railsTo(bank, { callMs: limits.answerCallMs, clock })
  const slow = slowToRegister(() => clock.forward(registeringMs), patient)
  const { steps, payout } = await aDebited(limits, { clock, rails: slow })
  await bank.fault({ kind: 'hang', stage: 'after', match: toTransfers })

  const before = performance.now()
  const step = await steps.submitToRail(payout)
  const tookMs = performance.now() - before

  patient.close()
  expect(step).toMatchObject({ at: 'unknown', verdict: { outcome: 'kept' } })
  expect(tookMs).toBeGreaterThan(limits.answerCallMs - 500)
  expect(tookMs).toBeLessThan(limits.answerWithinMs - registeringMs + limits.answerCallMs)
  expect(await transfersOf(payout)).toHaveLength(1)
})

test('the requests of one registration share one time limit', async () => {
  const inMs = (ms: number) => new Date(systemClock.now().getTime() + ms)
  const { payout } = await aDebited({ answerWithinMs: 1_000 })
  const { customerRef } = await loadStep(db, payout.payoutId)
  const wanted = { customerRef: customerRef ?? '', recipient }
  const callMs = 20_000
  const patient = railsTo(bank, { callMs })
  const rail = patient.provider_sandbox
  await rail.registerRecipient({ ...wanted, endBy: inMs(callMs), key: 'first-key' })
  await bank.fault({ kind: 'hang', times: null, match: { method: 'GET', path: '*/external_accounts/*' } })

  const before = performance.now()
  const registered = await rail.registerRecipient({ ...wanted, endBy: inMs(500), key: 'second-key' })
  const tookMs = performance.now() - before

  patient.close()
  expect(registered).toMatchObject({ outcome: 'unavailable' })
  expect(tookMs).toBeLessThan(callMs / 2)
})

const recipient = { ...aRecipient(), accountNumber: '12345678' }

function slowToRegister(passTime: () => void, usual: Rails = rails): Rails {
  const { provider_sandbox: bankRail } = usual
  const registerRecipient: typeof bankRail.registerRecipient = (wanted) => {
    passTime()
    return bankRail.registerRecipient(wanted)
  }
  return { ...usual, provider_sandbox: { ...bankRail, registerRecipient } }
}

async function aDebited(
  time: { answerWithinMs: number; answerCallMs?: number },
  change: Partial<PayoutDeps> = {},
): Promise<{ steps: PayoutActivities; payout: PayoutRef }> {
  const limits = { repeatForMs: 2_000, listLagMs: 200, answerCallMs, ...time }
  const deps = stepDeps(db, rails, { limits, ...change })
  const steps = payoutActivities(deps)
  const payout = await aClaim(db, { partnerId: partner.id })
  expect(await steps.debitPayout(payout)).toEqual({ at: 'held' })
  return { steps, payout }
}

async function transfersOf({ payoutId }: PayoutRef): Promise<unknown[]> {
  return (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data
}
