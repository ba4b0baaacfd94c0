// Only a run that made every call itself can prove that nothing was sent.
import { EventEmitter, once } from 'node:events'
import { expect, test } from '@jest/globals'
import { submitToRail } from '../../../activities/payouts/submit'
import type { Rail } from '../../../rail/rail'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { findViolations } from '../../referee/referee'
import { useDatabase } from '../../support/db/database'
import { aClaim, movableClock, remainingRecipientData, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const db = useDatabase()
const { bank, rails, partner } = usePayer(db, { callMs: 5_000 })
const clock = movableClock()
const deps = stepDeps(db, rails, { clock })
const steps = payoutActivities(deps)

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const notSent = { at: 'over', verdict: { outcome: 'refused', code: 'payout_not_created' } }

test('if the bank is busy for the whole time limit, the debit is reversed and the idempotency key is free again', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'busy', times: null, match: toTransfers })
  const hasty = { ...deps, limits: { ...deps.limits, answerWithinMs: 1_000 } }

  expect(await submitToRail(hasty, payout)).toMatchObject(notSent)
  expect(await rowOf(payout)).toEqual({ status: 'pending', verdict: 'payout_not_created', released: true })
  expect(await remainingRecipientData(db, payout)).toEqual({ account: null, body: null, sealed: false })
  expect(await objections()).toEqual([])
})

test('a run cannot conclude that nothing was sent once a second run has found its call in flight', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'busy', times: 1, match: toTransfers })
  const answer = anAnswerOnHold()
  const first = answer.submitToRail(payout)
  await answer.isThere

  const resumed = await steps.debitPayout(payout)
  const repeated = await steps.resolveSubmit(payout)
  // Only now does the first run receive the answer that its own call sent nothing.
  answer.deliver()
  const late = await first

  expect(resumed).toMatchObject({ at: 'unknown', verdict: { outcome: 'kept' } })
  expect(repeated).toMatchObject({ at: 'sent' })
  expect(late).toMatchObject({ at: 'sent' })
  expect(await rowOf(payout)).toEqual({ status: 'processing', verdict: 'accepted', released: false })
  expect(await objections()).toEqual([expect.stringContaining('is still open: processing accepted pending')])
})

test('once a second run has answered "pending", the first one cannot release the payout', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'busy', times: null, match: toTransfers })
  const answer = anAnswerOnHold()
  const first = answer.submitToRail(payout)
  await answer.isThere

  const resumed = await steps.submitToRail(payout)
  answer.deliver()

  expect(resumed).toMatchObject({ at: 'unknown', verdict: { outcome: 'kept' } })
  expect(await first).toMatchObject({ at: 'unknown', verdict: { outcome: 'kept' } })
  expect(await rowOf(payout)).toEqual({ status: 'pending', verdict: 'unknown', released: false })
  await bank.control('DELETE', '/faults')
  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
})

test('a transfer counts as missing only after a quiet period since the last call that could have created it', async () => {
  const limits = { repeatForMs: 60_000, listLagMs: 40_000, answerWithinMs: 20_000, answerCallMs: 5_000 }
  const deps = stepDeps(db, rails, { clock, limits })
  const patient = payoutActivities(deps)
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  expect(await patient.submitToRail(payout)).toMatchObject({ at: 'unknown' })

  clock.forward(45_000)
  const repeated = await patient.resolveSubmit(payout)
  clock.forward(20_000)
  const justAfterTheLastRepeat = await patient.resolveSubmit(payout)
  clock.forward(40_000)
  const afterTheQuietPeriod = await patient.resolveSubmit(payout)

  expect([repeated.at, justAfterTheLastRepeat.at, afterTheQuietPeriod.at]).toEqual(['unknown', 'unknown', 'over'])
  expect(await rowOf(payout)).toEqual({ status: 'failed', verdict: 'late_refusal', released: false })
  expect(await objections()).toEqual([])
})

test('a status request without an answer changes nothing, so that the workflow can retry', async () => {
  const payout = await aDebited()
  await steps.submitToRail(payout)
  await bank.fault({ kind: 'hang', times: 1, match: { method: 'GET', path: '/v0/transfers*' } })

  expect(await steps.settle(payout)).toMatchObject({ at: 'sent', verdict: { outcome: 'kept' } })
})

test('a poll without a change does not change the payout’s update time', async () => {
  const payout = await aDebited()
  await steps.submitToRail(payout)
  const updatedAt = await updated(payout)

  await steps.settle(payout)

  expect(await updated(payout)).toEqual(updatedAt)
})

/** Holds back the bank's answer to a submit until the test delivers it. */
function anAnswerOnHold() {
  const held = new EventEmitter()
  const delivered = once(held, 'deliver')
  const submit: Rail['submit'] = async (transfer) => {
    const submitted = await rails.provider_sandbox.submit(transfer)
    held.emit('answer')
    await delivered
    return submitted
  }
  const onHold = { ...deps, rails: { ...rails, provider_sandbox: { ...rails.provider_sandbox, submit } } }
  return {
    isThere: once(held, 'answer'),
    deliver: () => held.emit('deliver'),
    submitToRail: (payout: PayoutRef) => submitToRail(onHold, payout),
  }
}

async function aDebited(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id })
  expect(await steps.debitPayout(payout)).toEqual({ at: 'held' })
  return payout
}

async function rowOf({ payoutId }: PayoutRef): Promise<unknown> {
  const [row] = await db.dataSource.query(
    'SELECT status, verdict, released_at IS NOT NULL AS released FROM payouts WHERE id = $1',
    [payoutId],
  )
  return row
}

async function updated({ payoutId }: PayoutRef): Promise<unknown> {
  const [row] = await db.dataSource.query('SELECT updated_at FROM payouts WHERE id = $1', [payoutId])
  return row
}

/** Violations that concern this test's partner. The other partners' transfers are at the other tests' banks. */
async function objections(): Promise<string[]> {
  const evidence = {
    records: db.dataSource,
    audited: db,
    bankControlUrl: bank.controlUrl,
    seen: [],
    canaries: [],
    texts: [],
    withinMs: 0,
  }
  const own: { ref: string }[] = await db.dataSource.query(
    `SELECT id::text AS ref FROM payouts WHERE partner_id = $1 UNION SELECT wallet_ref FROM wallets WHERE partner_id = $1`,
    [partner.id],
  )
  return (await findViolations(evidence)).filter((each) => own.some(({ ref }) => each.includes(ref)))
}
