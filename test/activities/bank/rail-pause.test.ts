// Payouts wait while their rail is paused, whenever the pause begins. Verified against the bank's own records.
import { EventEmitter, once } from 'node:events'
import { afterEach, expect, test } from '@jest/globals'
import { pauseRail, railStates, resumeRail } from '../../../db/bank/rail-pauses'
import type { Db } from '../../../db/database'
import { markOverdue } from '../../../db/payouts/open'
import { beginSubmit, loadStep, lockStep } from '../../../db/payouts/steps'
import type { Rail } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { useDatabase } from '../../support/db/database'
import { actingAfter } from '../../support/db/tapped'
import { aClaim, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'
import { until } from '../../support/until'

const db = useDatabase()
const { bank, rails, partner } = usePayer(db)

afterEach(async () => {
  await resume()
  await requireValidLedger(db.dataSource)
})

const pause = () => pauseRail(db, { environment: 'sandbox', by: 'ops:test', reason: 'a test', at: systemClock.now() })
const resume = () => resumeRail(db, { environment: 'sandbox', by: 'ops:test', at: systemClock.now() })
const heldForNow = { at: 'unsent', verdict: { outcome: 'kept' }, status: 'pending' }

test('a payout on a paused rail is debited but not sent, and is sent once after the rail is resumed', async () => {
  const steps = stepsWith({})
  await pause()
  const payout = await aClaim(db, { partnerId: partner.id })

  expect(await steps.debitPayout(payout)).toEqual({ at: 'held' })
  expect(await steps.submitToRail(payout)).toMatchObject(heldForNow)
  expect(await steps.submitToRail(payout)).toMatchObject(heldForNow)
  expect(await transfersOf(payout)).toHaveLength(0)
  expect((await loadStep(db, payout.payoutId)).answeredAt).not.toBeNull()

  await resume()
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent', status: 'processing' })
  expect(await transfersOf(payout)).toHaveLength(1)
})

test('the bank gets no request for a waiting payout while the rail is paused', async () => {
  const asked: string[] = []
  const steps = stepsWith({
    registerRecipient: async (order) => {
      asked.push('register')
      return rails.provider_sandbox.registerRecipient(order)
    },
  })
  const payout = await aDebited()
  await pause()

  await steps.submitToRail(payout)

  expect(asked).toEqual([])
})

test('a pause that begins between reading the row and the first bank call takes effect, even if it ends immediately', async () => {
  for (const after of ['still paused', 'resumed'] as const) {
    const payout = await aDebited()
    const steps = stepsWith({
      registerRecipient: async (order) => {
        await pause()
        return rails.provider_sandbox.registerRecipient(order)
      },
    })
    // Resumes the rail after beginSubmit has refused the first call and before the activity reads the reason.
    const watched = actingAfter(db, (tx) => beginSubmit(tx, { ...payout, body: '', at: systemClock.now() }), resume)

    const answer = await (after === 'resumed' ? stepsOn(watched, steps.rail) : steps).submitToRail(payout)

    expect(answer).toMatchObject(heldForNow)
    expect(await transfersOf(payout)).toHaveLength(0)
    expect((await loadStep(db, payout.payoutId)).attention).toBeNull()
    await resume()
  }
})

test('payouts submitted while a pause begins are either sent or wait, and each is sent once after the rail is resumed', async () => {
  const steps = stepsWith({})
  const payouts = await Promise.all(Array.from({ length: 8 }, () => aDebited()))

  const answers = Promise.all(payouts.map((payout) => steps.submitToRail(payout)))
  await pause()
  const stood = (await answers).map(({ at }) => at)
  const sentBefore = await Promise.all(payouts.map(transfersOf))
  await resume()
  await Promise.all(payouts.map((payout) => steps.submitToRail(payout)))

  expect(sentBefore.map(({ length }) => length)).toEqual(stood.map((at) => (at === 'sent' ? 1 : 0)))
  for (const payout of payouts) expect(await transfersOf(payout)).toHaveLength(1)
})

test('a pause that begins during a submission waits for that submission, and then blocks the next one', async () => {
  const payout = await aDebited()
  const held = new EventEmitter()
  const locked = once(held, 'locked')
  const holds = db.transaction(async (tx) => {
    await lockStep(tx, payout.payoutId)
    held.emit('locked')
    await once(held, 'release')
  })
  await locked
  const submitting = beginSubmit(db, { ...payout, body: '{}', at: systemClock.now() })
  await until('the call waits for the row', () => waitingFor('tuple', 'transactionid'))
  const pausing = pause()
  await until('the pause waits for the call', () => waitingFor('advisory'))
  held.emit('release')
  await holds

  await pausing

  expect(await submitting).toMatchObject({ body: '{}' })
  expect((await loadStep(db, payout.payoutId)).submitStartedAt).not.toBeNull()
  expect(await beginSubmit(db, { ...(await aDebited()), body: '{}', at: systemClock.now() })).toBeNull()
})

test('while the rail is paused, a payout that may have been sent is looked up but not submitted again', async () => {
  const toTransfers = { method: 'POST', path: '/v0/transfers' }
  await bank.fault({ kind: 'reset', stage: 'before', times: 1, match: toTransfers })
  const steps = stepsWith({})
  const payout = await aDebited()
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })
  await pause()

  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unknown' })
  expect(await transfersOf(payout)).toHaveLength(0)

  await resume()
  expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
})

test('a payout waiting for a paused rail can be cancelled, and the other environment is not paused', async () => {
  const steps = stepsWith({})
  await pause()
  const [waiting, live] = [await aDebited(), await aDebited('live')]
  await steps.submitToRail(waiting)

  expect(await steps.cancelPayout(waiting)).toMatchObject({ at: 'over', status: 'cancelled' })
  expect(await steps.submitToRail(live)).toMatchObject({ at: 'sent' })
})

test('resuming a rail ends the pause, even if the clock of the resuming process is behind', async () => {
  await pause()

  expect(await resumeRail(db, { environment: 'sandbox', by: 'ops:test', at: new Date(0) })).toBe(true)
})

test('a payout is not reported as overdue while operators have paused the rail, and waiting payouts are counted', async () => {
  const payout = await aDebited()
  await pause()
  await stepsWith({}).submitToRail(payout)
  const soon = new Date(systemClock.now().getTime() + 60_000)
  const overdue = async (before = soon) =>
    (await markOverdue(db, { sentBefore: before, unknownBefore: before, limit: 100 })).map(({ payoutId }) => payoutId)

  expect(await overdue()).not.toContain(payout.payoutId)
  const [sandbox] = (await railStates(db)).filter(({ environment }) => environment === 'sandbox')
  expect(sandbox).toMatchObject({ pausedBy: 'ops:test', reason: 'a test' })
  expect(sandbox?.unsent).toBeGreaterThan(0)
  const whilePaused = systemClock.now()
  await resume()
  expect(await overdue(whilePaused)).not.toContain(payout.payoutId)
  expect(await overdue()).toContain(payout.payoutId)
})

function stepsWith(change: Partial<Rail>) {
  return { ...stepsOn(db, change), rail: change }
}

function stepsOn(on: Db, change: Partial<Rail>) {
  const changed = { ...rails, provider_sandbox: { ...rails.provider_sandbox, ...change } }
  const limits = { repeatForMs: 60_000, listLagMs: 60_000, answerWithinMs: 5_000, answerCallMs: 5_000 }
  const deps = stepDeps(on, changed, { limits })
  return payoutActivities(deps)
}

async function aDebited(environment: 'sandbox' | 'live' = 'sandbox'): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id, environment })
  await stepsWith({}).debitPayout(payout)
  return payout
}

async function transfersOf({ payoutId }: PayoutRef): Promise<unknown[]> {
  return (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data
}

/** Whether any session in this database waits for one of these lock types. */
async function waitingFor(...kinds: readonly string[]): Promise<boolean> {
  const rows = await db.dataSource.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = ANY ($1)`,
    [kinds],
  )
  return rows.length > 0
}
