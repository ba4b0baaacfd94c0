// A first call may come after the bank has forgotten an earlier one, because of a restored row or a very long
// pause. Nothing is paid twice, and nothing is both paid and refunded.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { PayoutDeps } from '../../../activities/bind'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import { loadStep } from '../../../db/payouts/steps'
import { findWallet } from '../../../db/wallets/wallets'
import { resolveByHand } from '../../../ops/payouts/by-hand/resolve'
import type { Rail } from '../../../rail/rail'
import type { PayoutActivities, PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { anAccount, aTransfer } from '../../support/bank/parties'
import { useDatabase } from '../../support/db/database'
import { aClaim, movableClock, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const dayMs = 24 * 3_600_000
const toTransfers = { method: 'POST', path: '/v0/transfers' }
const theList = { method: 'GET', path: '/v0/customers/*' }
const db = useDatabase()
const clock = movableClock()
// The bank forgets every idempotency key as soon as the clock advances.
const { bank, rails, partner } = usePayer(db, { clock, bank: { idempotencyWindowMs: 0 } })
let steps: PayoutActivities

beforeEach(async () => {
  clock.reset()
  steps = stepsWith({})
})
afterEach(() => requireValidLedger(db.dataSource))

test.each([
  ['the same bank key', (payout: PayoutRef) => payout],
  ['another bank key (after a retry since the backup)', changeBankKey],
])(
  'a restored payout that the bank already has under %s is linked to that transfer and not sent again',
  async (_key, changed) => {
    const payout = await aDebited()
    await steps.submitToRail(payout)
    await restoreDebited(payout)
    await changed(payout)
    clock.forward(dayMs)

    const first = await steps.submitToRail(payout)
    const second = await steps.resolveSubmit(payout)

    const [transfer, ...others] = await transfersOf(payout)
    expect(others).toHaveLength(0)
    expect([first.at, first.needsLookup, second.at]).toEqual(['unsent', true, 'sent'])
    expect(await loadStep(db, payout.payoutId)).toMatchObject({ status: 'processing', transferRef: transfer?.id })
  },
)

test('a payout whose key the bank rejects is found in the bank’s list, even if it was sent long before its recorded first call', async () => {
  const payout = await aDebited()
  await steps.submitToRail(payout)
  await restoreDebited(payout)
  clock.forward(dayMs - 2 * 3_600_000)

  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })
  clock.forward(61_000)
  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
  expect(await transfersOf(payout)).toHaveLength(1)
})

test('an operator can bind a restored payout to its transfer before anything is sent again', async () => {
  const { payout, transferRef } = await aSent()
  await restoreDebited(payout)
  const decision = { payoutId: payout.payoutId, evidence: 'ops proof named it', by: 'ops:test' }

  expect(await resolveByHand(depsWith({}), { ...decision, transferRef: null })).toMatchObject({ outcome: 'refused' })
  expect(await resolveByHand(depsWith({}), { ...decision, transferRef })).toEqual({
    outcome: 'resolved',
    status: 'processing',
  })
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent' })
  expect(await transfersOf(payout)).toHaveLength(1)
})

test('a payout that was never debited is neither linked to a transfer nor sent', async () => {
  const { transferRef } = await aSent()
  const payout = await aClaim(db, { partnerId: partner.id })
  const decision = { payoutId: payout.payoutId, evidence: 'a guess', by: 'ops:test' }
  const finding = stepsWith({
    findTransfer: async () => ({
      outcome: 'found',
      transfer: await rails.provider_sandbox.transfer(String(transferRef)),
    }),
  })

  expect(await finding.resolveSubmit(payout)).toMatchObject({ at: 'unknown' })
  expect(await resolveByHand(depsWith({}), { ...decision, transferRef })).toMatchObject({
    outcome: 'refused',
    why: expect.stringContaining('not debited'),
  })
  expect(await loadStep(db, payout.payoutId)).toMatchObject({ transferRef: null, attention: 'debit_missing' })
  expect(await transfersOf(payout)).toHaveLength(0)
})

test('a payout that the bank does not have is sent once, as a first call', async () => {
  const [sent, refused] = [await aDebited(), await aDebited()]
  clock.forward(dayMs)

  for (const payout of [sent, refused]) expect(await steps.submitToRail(payout)).toMatchObject({ needsLookup: true })
  expect(await steps.resolveSubmit(sent)).toMatchObject({ at: 'sent' })
  await bank.fault({ kind: 'status', status: 400, code: 'frozen', times: null, match: toTransfers })
  expect(await steps.resolveSubmit(refused)).toMatchObject({ at: 'over', status: 'failed' })

  expect(await transfersOf(sent)).toHaveLength(1)
  expect(await transfersOf(refused)).toHaveLength(0)
})

test('nothing is sent until the bank has confirmed that it does not have the transfer', async () => {
  const [had, absent] = [await aDebited(), await aDebited()]
  await steps.submitToRail(had)
  await restoreDebited(had)
  clock.forward(dayMs)
  const list = await bank.fault({ kind: 'status', status: 503, times: null, match: theList })

  for (const payout of [had, absent]) {
    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unsent', status: 'pending' })
  }
  await bank.control('DELETE', `/faults/${list}`)

  expect(await steps.resolveSubmit(had)).toMatchObject({ at: 'sent' })
  expect((await transfersOf(had)).length + (await transfersOf(absent)).length).toBe(1)
})

test('a late cancel wins unless the bank has the transfer, even while the bank does not answer', async () => {
  const [had, absent, unanswered] = [await aDebited(), await aDebited(), await aDebited()]
  await steps.submitToRail(had)
  await restoreDebited(had)
  clock.forward(dayMs)
  const cancel = { cancel: 'by update' } as const

  for (const payout of [had, absent]) expect(await steps.cancelPayout(payout)).toMatchObject({ needsLookup: true })
  expect(await steps.resolveSubmit({ ...had, ...cancel })).toMatchObject({ at: 'sent' })
  expect(await steps.resolveSubmit({ ...absent, ...cancel })).toMatchObject({ at: 'over', status: 'cancelled' })
  await bank.fault({ kind: 'status', status: 503, times: null, match: theList })
  expect(await steps.resolveSubmit({ ...unanswered, ...cancel })).toMatchObject({ at: 'over', status: 'cancelled' })

  expect(await transfersOf(absent)).toHaveLength(0)
  expect(await transfersOf(unanswered)).toHaveLength(0)
})

test('a late cancel is refused when a transfer at the bank names the payout but cannot be read', async () => {
  const payout = await aDebited()
  clock.forward(dayMs)
  const unreadable = stepsWith({ findTransfer: async () => ({ outcome: 'incomplete', transferRef: 'tr_1' }) })
  const unclear = stepsWith({ findTransfer: async () => ({ outcome: 'incomplete' }) })

  expect(await unreadable.resolveSubmit({ ...payout, cancel: 'by update' })).toMatchObject({ at: 'unknown' })
  expect(await unclear.resolveSubmit({ ...payout, cancel: 'by update' })).toMatchObject({ status: 'cancelled' })
})

test('cancelling a payout whose bank call has started does not repeat the call', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', times: 1, match: toTransfers })
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })

  expect(await steps.resolveSubmit({ ...payout, cancel: 'by update' })).toMatchObject({ at: 'unknown' })
  expect(await transfersOf(payout)).toHaveLength(0)
})

test('a pause that begins during the bank lookup takes effect', async () => {
  const payout = await aDebited()
  clock.forward(dayMs)
  const about = { environment: 'sandbox', by: 'ops:test' } as const
  const pausing = stepsWith({
    async findTransfer(wanted) {
      await pauseRail(db, { ...about, reason: 'a test', at: clock.now() })
      return rails.provider_sandbox.findTransfer(wanted)
    },
  })

  expect(await pausing.resolveSubmit(payout)).toMatchObject({ at: 'unsent' })
  expect(await transfersOf(payout)).toHaveLength(0)

  await resumeRail(db, { ...about, at: clock.now() })
  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
})

test('a first call within its time limit is sent without a lookup', async () => {
  const payout = await aDebited()
  clock.forward(dayMs - 2 * 3_600_000)
  const hasty = stepsWith({ findTransfer: () => Promise.reject(new Error('unexpected lookup')) })

  expect(await hasty.submitToRail(payout)).toMatchObject({ at: 'sent' })
})

describe('when the bank’s list has transfers that are not payouts', () => {
  const wire = { source: { currency: 'usdc', amount: null }, destination: { payment_rail: 'wire', currency: 'usd' } }

  test('a late payout can still be sent or cancelled', async () => {
    const [sent, cancelled] = [await aDebited(), await aDebited()]
    await aTransferByHand({})
    await aTransferByHand(wire)
    clock.forward(dayMs)

    await steps.submitToRail(sent)

    expect(await steps.resolveSubmit(sent)).toMatchObject({ at: 'sent' })
    expect(await steps.resolveSubmit({ ...cancelled, cancel: 'by update' })).toMatchObject({ status: 'cancelled' })
    expect([await transfersOf(sent), await transfersOf(cancelled)].map(({ length }) => length)).toEqual([1, 0])
  })

  test('a lost response is resolved', async () => {
    const payout = await aDebited()
    await aTransferByHand(wire)
    await bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
    await steps.submitToRail(payout)
    clock.forward(dayMs)

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'over', status: 'failed' })
    expect(await loadStep(db, payout.payoutId)).toMatchObject({ status: 'failed', attention: null })
  })
})

describe('when the bank’s list has a transfer that could belong to any payout', () => {
  test('a late payout waits for an operator’s decision', async () => {
    const payout = await aDebited()
    await aTransferByHand({ client_reference_id: 7 })
    clock.forward(dayMs)
    await steps.submitToRail(payout)

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unsent', says: waitsForOperator })
    expect(await steps.cancelPayout(payout)).toMatchObject({ at: 'unsent', status: 'pending' })
    expect(await loadStep(db, payout.payoutId)).toMatchObject({ attention: 'outcome_unknown', submitStartedAt: null })
    expect(await notSent(payout)).toEqual({ outcome: 'resolved', status: 'failed' })

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'over', status: 'failed' })
    expect(await transfersOf(payout)).toHaveLength(0)
  })

  test('a lost response waits for an operator’s decision, even if the bank refuses to list transfers', async () => {
    const payout = await aDebited()
    await aTransferByHand({ client_reference_id: 7 })
    await bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
    await steps.submitToRail(payout)
    clock.forward(dayMs)

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unknown', says: waitsForOperator })
    expect(await loadStep(db, payout.payoutId)).toMatchObject({ attention: 'outcome_unknown', verdict: 'unknown' })
    await bank.fault({ kind: 'status', status: 403, times: null, match: theList })
    expect(await notSent(payout)).toEqual({ outcome: 'resolved', status: 'failed' })
  })

  test('an operator’s evidence must name an unreadable transfer that refers to the payout', async () => {
    const [payout, stopped] = [await aDebited(), await aDebited()]
    const [ref, stoppedRef] = [await aDamagedTransfer(payout), await aDamagedTransfer(stopped)]
    clock.forward(dayMs)

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unknown', says: waitsForOperator })
    expect(await notSent(payout)).toMatchObject({ outcome: 'refused', why: expect.stringContaining(ref) })
    await steps.resolveSubmit(stopped)
    expect(await notSent(stopped, `${stoppedRef} moved no money`)).toMatchObject({ outcome: 'resolved' })

    await bank.control('PUT', `/transfers/${ref}/shown`, {})
    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
    expect(await loadStep(db, payout.payoutId)).toMatchObject({ transferRef: ref, attention: null })
  })
})

const waitsForOperator = 'waiting: an operator has to decide'

function notSent({ payoutId }: PayoutRef, evidence = 'case 4711: none') {
  return resolveByHand(depsWith({}), { payoutId, transferRef: null, evidence, by: 'ops:test' })
}

/** A transfer whose answer was lost, and whose amount is missing in the bank's list. */
async function aDamagedTransfer(payout: PayoutRef): Promise<string> {
  await bank.fault({ kind: 'reset', stage: 'after', times: 1, match: toTransfers })
  await steps.submitToRail(payout)
  const [transfer] = await transfersOf(payout)
  const ref = String(transfer?.id)
  await bank.control('PUT', `/transfers/${ref}/shown`, { source: { currency: 'usdc', amount: null } })
  return ref
}

/** A transfer from the partner's wallet that none of our payouts requested. `shown` sets how the bank shows it. */
async function aTransferByHand(shown: object): Promise<void> {
  const wallet = await findWallet(db, partner.id, 'sandbox')
  const [customer, from] = [String(wallet?.customerRef), String(wallet?.walletRef)]
  const account = await bank.post(`/customers/${customer}/external_accounts`, anAccount())
  const order = aTransfer({ customer, wallet: from, account: String(account.json.id) }, { client_reference_id: null })
  const { json } = await bank.post('/transfers', order)
  await bank.control('PUT', `/transfers/${json.id}/shown`, shown)
}

function stepsWith(change: Partial<Rail>): PayoutActivities {
  const deps = depsWith(change)
  return payoutActivities(deps)
}

function depsWith(change: Partial<Rail>): PayoutDeps {
  const changed = { ...rails, provider_sandbox: { ...rails.provider_sandbox, ...change } }
  const limits = { repeatForMs: 60_000, listLagMs: 60_000, answerWithinMs: 5_000, answerCallMs: 5_000 }
  return stepDeps(db, changed, { clock, limits })
}

async function aSent() {
  const payout = await aDebited()
  await steps.submitToRail(payout)
  const { transferRef } = await loadStep(db, payout.payoutId)
  return { payout, transferRef }
}

async function aDebited(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id })
  await steps.debitPayout(payout)
  return payout
}

/** Restores the row from a backup taken between the debit and the first call. */
async function restoreDebited({ payoutId }: PayoutRef): Promise<void> {
  await db.dataSource.query(
    `UPDATE payouts SET status = 'pending', verdict = NULL, verdict_at = NULL, transfer_ref = NULL, transfer_state = NULL,
      submit_started_at = NULL, bank_body = NULL WHERE id = $1`,
    [payoutId],
  )
}

async function changeBankKey({ payoutId }: PayoutRef): Promise<void> {
  await db.dataSource.query('UPDATE payouts SET bank_key = $2 WHERE id = $1', [payoutId, randomUUID()])
}

async function transfersOf({ payoutId }: PayoutRef): Promise<{ id: string }[]> {
  return (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data
}
