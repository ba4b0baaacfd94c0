// payout cancel follows the rules of the partner's own cancel: it works only before the payout is sent. A cancel
// that takes effect records the operator.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import { latestActivity } from '../../../db/controls/activity'
import { systemClock } from '../../../runtime/clock'
import { requireValidLedger } from '../../referee/ledger-rules'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { testSystem } from '../../support/jest/system'
import { type Ran, runWith } from '../../support/terminal'
import { until } from '../../support/until'

// No poll happens within a test, so only the cancel wakes the workflow.
const world = usePayoutWorld({ payouts: { pollMs: [600_000] } })
let payer: Payer

beforeEach(async () => {
  payer = await world.aPayer()
})
afterEach(async () => {
  await resumeRail(world.api.db, { environment: 'sandbox', by: 'ops:ada', at: systemClock.now() })
  await world.bank.control('DELETE', '/faults')
  await requireValidLedger(world.api.db.dataSource)
})

test('a payout on a paused rail is cancelled immediately and refunded, and the operator is recorded', async () => {
  const before = await balance()
  const id = await aWaiting()

  const { code, out } = await cancel(id)

  expect([code, out]).toEqual([0, 'The payout is cancelled; its money is back in the wallet.\n'])
  expect(await statusOf(id)).toBe('cancelled')
  expect(await balance()).toBe(before)
  expect(await world.transfersOf(id)).toEqual([])
  expect(await actorsOf(id)).toEqual({ inActivity: ['ops:grace'], inTimeline: ['ops:grace'] })
  const { out: explained } = await ops('explain', id)
  expect(explained).toContain('ops:grace requested its cancellation.')
})

test('two concurrent cancels by operators and one by the partner take effect once', async () => {
  const before = await balance()
  const id = await aWaiting()

  const byPartner = world.api.post(`/v1/payouts/${id}/cancel`, undefined, { key: payer.keys.sandbox })
  const both = await Promise.all([cancel(id), cancel(id)])

  // A cancel that does not arrive first reports that the payout is already cancelled.
  expect((await byPartner).body['status'] ?? 'cancelled').toBe('cancelled')
  for (const { out, err } of both) expect(out + err).toMatch(/cancelled/)
  expect(await statusOf(id)).toBe('cancelled')
  expect(await balance()).toBe(before)
})

test('a cancel is refused with a message if the payout may be at the bank, is already cancelled or is unknown', async () => {
  const sent = await paid()
  await world.bank.fault({ kind: 'reset', stage: 'after', times: null, match: toTransfers })
  const unknown = await paid()
  const cancelled = await aWaiting()
  await cancel(cancelled)

  const refusals = [await cancel(sent), await cancel(unknown), await cancel(cancelled), await cancel(payer.id)]

  expect(refusals.map(({ code, err }) => [code, err])).toEqual([
    [2, `It is too late to cancel the payout ${sent}: it is processing.\n`],
    [2, `It is too late to cancel the payout ${unknown}: the bank may already have it.\n`],
    [2, `The payout ${cancelled} is already cancelled.\n`],
    [2, `There is no payout ${payer.id}.\n`],
  ])
  for (const id of [sent, unknown]) expect(await actorsOf(id)).toEqual({ inActivity: [], inTimeline: [] })
  expect(await world.transfersOf(sent)).toHaveLength(1)
  expect(JSON.parse((await cancel(sent, '--json')).err).error).toMatchObject({
    code: 'invalid_state',
    details: { status: 'processing' },
  })
})

test('without a worker the command fails, but the next worker cancels the payout, and the activity list names the operator', async () => {
  await world.stopWorkers()
  const id = await paid()

  const { code, err } = await cancel(id)
  const statusBefore = await statusOf(id)
  await world.startWorkers()
  await until('the cancel was decided', async () => (await statusOf(id)) !== 'pending')

  expect([code, err]).toEqual([
    1,
    'The cancellation is not decided yet: check that Temporal and a worker are running, then repeat the command.\n',
  ])
  expect([statusBefore, await statusOf(id)]).toEqual(['pending', 'cancelled'])
  expect(await actorsOf(id)).toEqual({ inActivity: ['ops:grace'], inTimeline: ['ops:grace'] })
})

test('a wrong Temporal namespace and an unavailable server have their own errors, and no operator is recorded', async () => {
  const id = await aWaiting()

  const wrong = await cancelAt({ TEMPORAL_NAMESPACE: 'nowhere' }, id)
  const withoutTemporal = await cancelAt({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, id)

  expect([wrong.code, withoutTemporal.code]).toEqual([1, 1])
  expect(wrong.err).toContain('Namespace nowhere is not found.')
  expect(withoutTemporal.err).toBe('Temporal does not answer: check that it is running, then repeat the command.\n')
  expect(await actorsOf(id)).toEqual({ inActivity: [], inTimeline: [] })
})

const toTransfers = { method: 'POST', path: '/v0/transfers' }

function cancelAt(elsewhere: Readonly<Record<string, string>>, id: string): Promise<Ran> {
  return runWith({ ...environment(), ...elsewhere }, ['payout', 'cancel', id])
}

function ops(...argv: string[]): Promise<Ran> {
  return runWith(environment(), ['payout', ...argv])
}

function environment(): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: world.api.databaseUrl,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    PAYOUT_ANSWER_MS: '3000',
    OPS_USER: 'grace',
  }
}

function cancel(id: string, ...more: string[]): Promise<Ran> {
  return ops('cancel', id, ...more)
}

async function paid(): Promise<string> {
  return String((await world.pay(payer)).body['id'])
}

async function aWaiting(): Promise<string> {
  await pauseRail(world.api.db, { environment: 'sandbox', by: 'ops:ada', reason: null, at: systemClock.now() })
  return paid()
}

/** The actors who requested the cancellation, according to the activity list and the payout's timeline. */
async function actorsOf(id: string): Promise<{ inActivity: string[]; inTimeline: string[] }> {
  const changes = await latestActivity(world.api.db, payer.id, 50, { filter: { kind: 'changes', environment: 'both' } })
  const asked = changes.filter(({ action, detail }) => action === 'payout.cancel' && detail === id)
  const events: { made_by: string }[] = await world.api.db.dataSource.query(
    `SELECT made_by FROM payout_events WHERE payout_id = $1 AND kind = 'cancel_asked'`,
    [id],
  )
  return { inActivity: asked.map(({ madeBy }) => madeBy), inTimeline: events.map(({ made_by }) => made_by) }
}

async function statusOf(id: string): Promise<unknown> {
  return (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.sandbox })).body['status']
}

async function balance(): Promise<unknown> {
  return (await world.api.get('/v1/balance', { key: payer.keys.sandbox })).body['usdc']
}
