// Live payouts from the dashboard: how a lost answer and a refusal by the bank affect the confirm code.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { takeMails } from '../../../../db/partners/mails'
import { testKeyring } from '../../../support/api/client'
import { aSession } from '../../../support/api/fixtures'
import { aRequest, type Payer, usePayoutWorld } from '../../../support/api/payout-world'
import { withoutRandom } from '../../../support/personal'
import { textOfHistory } from '../../../support/temporal/history-text'

const world = usePayoutWorld()
let payer: Payer
let session: string

beforeAll(async () => {
  payer = await world.aPayer()
  session = await aSession(world.api, payer)
})
afterEach(() => world.bank.control('DELETE', '/faults'))

const post = (path: string, body: object, key: string) =>
  world.api.post(`${path}?environment=live`, body, { session, headers: { 'Idempotency-Key': key } })

async function codeFor(request: object, key: string): Promise<string> {
  await post('/v1/payouts/confirm-codes', request, key)
  const at = world.api.clock.now()
  const leaseUntil = new Date(at.getTime() + 3_600_000)
  const [taken] = await takeMails(world.api.db, testKeyring, { at, leaseUntil, limit: 1 })
  return taken?.mail?.subject.slice(0, 6) ?? ''
}

const toTransfers = { method: 'POST', path: '/v0/transfers' }

test('a confirmed payout is sent to the bank once, and its timeline names the admin', async () => {
  const request = aRequest()
  const key = `order-${randomUUID()}`
  const confirm_code = await codeFor(request, key)

  const { status, body } = await post('/v1/payouts', { ...request, confirm_code }, key)

  expect([status, body['status'], body['created_via']]).toEqual([201, 'processing', 'dashboard'])
  expect(body['idempotency_key']).toBe(key)
  expect(await world.transfersOf(body['id'])).toHaveLength(1)
  const timeline = await world.api.get(`/v1/payouts/${String(body['id'])}/events?environment=live`, { session })
  expect(timeline.body.data?.[0]).toMatchObject({ event: 'requested', by: expect.stringMatching(/@people\.test$/) })
})

test('after a released attempt (502), the code is usable again, and the same request then pays once', async () => {
  const request = aRequest()
  const key = `order-${randomUUID()}`
  const confirm_code = await codeFor(request, key)
  await world.bank.fault({ kind: 'status', status: 401, match: toTransfers })

  const refused = await post('/v1/payouts', { ...request, confirm_code }, key)
  const without = await post('/v1/payouts', request, key)
  const again = await post('/v1/payouts', { ...request, confirm_code }, key)

  expect([refused.status, without.body.error?.code, again.status]).toEqual([502, 'invalid_confirm_code', 201])
  expect(await world.transfersOf(again.body['id'])).toHaveLength(1)
})

test('a request whose response was lost is replayed without a second code', async () => {
  const request = aRequest()
  const key = `order-${randomUUID()}`
  const confirm_code = await codeFor(request, key)
  await world.bank.fault({ kind: 'reset', stage: 'after', match: toTransfers })

  const first = await post('/v1/payouts', { ...request, confirm_code }, key)
  const again = await post('/v1/payouts', request, key)

  expect([first.status, again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 200, 'true'])
  expect(again.body['id']).toBe(first.body['id'])
})

test('the workflow history contains no personal data and no confirm code', async () => {
  const request = aRequest({ recipient: { first_name: 'Canary', bank: { account_number: '87654321' } } })
  const key = `order-${randomUUID()}`
  const confirm_code = await codeFor(request, key)
  await post('/v1/payouts', { ...request, confirm_code }, key)

  const handle = world.temporal.workflow.getHandle(`payout/live/${payer.id}/${key}`)
  const history = textOfHistory(await handle.fetchHistory())

  expect(history).toContain(payer.slug)
  expect(withoutRandom(history)).not.toMatch(new RegExp(`Canary|87654321|people\\.test|${confirm_code}`))
})
