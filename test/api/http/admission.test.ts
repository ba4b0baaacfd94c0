// An API process creates a limited number of payouts at a time. It refuses further ones before they have any effect.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, jest, test } from '@jest/globals'
import { type Admission, createAdmission } from '../../../api/http/admission'
import { asText } from '../../../runtime/metrics'
import { connectClient } from '../../../runtime/temporal/client'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { startMetrics } from '../../support/api/a-metrics-server'
import { startApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'
import { aRequest } from '../../support/api/payout-world'
import { forwardingTo, openedForEach } from '../../support/opened'
import { testTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

beforeAll(async () => {
  const temporal = connectClient(testTemporal())
  await requireSearchAttributes(temporal, wantedAttributes)
  await temporal.connection.close()
})

// No worker runs, so each payout stays in work until the API stops waiting for it.
const current = openedForEach(
  () => startApi({ payoutsAtOnce: 4, answerTimeoutMs: 600_000 }),
  (api) => api.close(),
)
const api = forwardingTo(() => current)
const finish = () => api.deps.workflows.stopWaiting()

async function aPayer() {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const pay = (order: string, body = aRequest()) =>
    api.post('/v1/payouts', body, { key, headers: { 'Idempotency-Key': order } })
  const stored = async () => {
    const rows = await api.db.sql<{ key: string }>`SELECT idempotency_key AS key FROM payouts
      WHERE partner_id = ${partner.id} ORDER BY idempotency_key`
    return rows.map((row) => row.key)
  }
  /** Sends as many payouts as one partner may have in work. */
  const fill = async (body = aRequest()) => {
    const orders = [anOrder(), anOrder()].toSorted()
    const answers = Promise.all(orders.map((order) => pay(order, body)))
    await until('both are in work', async () => (await stored()).length === 2)
    return { orders, answers }
  }
  return { pay, stored, fill }
}

const anOrder = () => `order-${randomUUID()}`

test('a partner with half of the places in work gets 429, which is counted, and the refused payout does not exist', async () => {
  const { pay, stored, fill } = await aPayer()
  const { orders, answers } = await fill()

  const refused = await pay(anOrder())

  expect([refused.status, refused.body.error?.code]).toEqual([429, 'rate_limited'])
  expect(refused.headers.get('Retry-After')).toBe('1')
  expect(await stored()).toEqual(orders)
  const metrics = await startMetrics(api)
  const figures = await (await fetch(`${metrics.url}/metrics`)).text()
  metrics.close()
  expect(figures).toContain('payouts_admission_refusals_total{environment="sandbox",reason="partner"} 1\n')
  finish()
  expect((await answers).map(({ status }) => status)).toEqual([201, 201])
})

test('another partner is served while one partner uses its share', async () => {
  const [flooding, other] = [await aPayer(), await aPayer()]
  const { answers } = await flooding.fill()

  const answer = other.pay(anOrder())

  await until('the other payout is in work', async () => (await other.stored()).length === 1)
  finish()
  expect((await answer).status).toBe(201)
  await answers
})

test('a repeated request is not refused while the partner uses its share', async () => {
  const { pay, fill } = await aPayer()
  const body = aRequest()
  const { orders, answers } = await fill(body)
  const isAnswered = jest.fn()

  const again = pay(orders[0] ?? '', body)
  again.then(isAnswered, isAnswered)

  // A request that is refused would be answered before this one.
  expect((await pay(anOrder())).status).toBe(429)
  expect(isAnswered).not.toHaveBeenCalled()
  finish()
  expect((await again).status).toBe(200)
  await answers
})

test('a refused request can be repeated with the same key when a place is free', async () => {
  const { pay, fill } = await aPayer()
  const { answers } = await fill()
  const order = anOrder()
  expect((await pay(order)).status).toBe(429)
  finish()
  await answers

  expect((await pay(order)).status).toBe(201)
})

test('when all places are taken, every partner gets 503 at once, and a place is free after an error', async () => {
  const admission = createAdmission(3)
  const of = (partnerId: string) => ({ partnerId, environment: 'live' }) as const
  const ends: ((error?: Error) => void)[] = []
  const work = () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())))
  const running = ['a', 'b', 'c'].map((partner) => admission.admit(of(partner), work))

  await expect(admission.admit(of('d'), work)).rejects.toMatchObject({ code: 'service_unavailable', status: 503 })
  await expect(admission.admit(of('a'), work)).rejects.toMatchObject({ code: 'rate_limited' })
  // A repeated key is answered, not refused.
  await admission.admit(of('d'), work, async () => undefined)
  expect(asText(admission.metrics())).toContain('total{environment="live",reason="all"} 1\n')
  expect(asText(admission.metrics())).toContain('total{environment="sandbox",reason="all"} 0\n')
  ends[0]?.(new Error('failed'))
  await expect(running[0]).rejects.toThrow('failed')
  const late = admission.admit(of('d'), work)
  for (const end of ends) end()
  await Promise.all([...running.slice(1), late])
})

test('a partner that arrives after three others have taken all they can get still finds a place', async () => {
  const admission = createAdmission(64)
  const admitted = new Map<string, number>()
  const flood = async (partnerId: string) => {
    while (await isAdmitted(admission, partnerId)) admitted.set(partnerId, (admitted.get(partnerId) ?? 0) + 1)
  }

  for (const partnerId of ['a', 'b', 'c', 'd']) await flood(partnerId)

  expect(Object.fromEntries(admitted)).toEqual({ a: 32, b: 16, c: 1, d: 1 })
})

test('payouts in the sandbox take no place of live ones', async () => {
  const admission = createAdmission(2)
  for (const partnerId of ['a', 'b']) void admission.admit({ partnerId, environment: 'sandbox' }, never)

  await expect(admission.admit({ partnerId: 'c', environment: 'live' }, async () => 'created')).resolves.toBe('created')
})

test.each([
  [1, 16],
  [2, 10],
  [3, 8],
  [31, 1],
])('with 32 places and %i partners, each partner gets %i', async (partners, share) => {
  const admission = createAdmission(32)
  const admitted = new Map<string, number>()
  for (let round = 0; round < 32; round++) {
    for (let n = 0; n < partners; n++) {
      const partner = `partner-${n}`
      if (await isAdmitted(admission, partner)) admitted.set(partner, (admitted.get(partner) ?? 0) + 1)
    }
  }

  expect(Math.min(...admitted.values())).toBe(share)
})

/** Requests a place and, if there is one, keeps it. */
async function isAdmitted(admission: Admission, partnerId: string): Promise<boolean> {
  let isRefused = false
  admission.admit({ partnerId, environment: 'live' }, never).catch(() => {
    isRefused = true
  })
  await setImmediate()
  return !isRefused
}

const never = () => new Promise<never>(() => undefined)
