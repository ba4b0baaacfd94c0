// Idempotency-Key: one answer per key and body, for a day, including requests in flight.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { openTestBank, still, until, useSandboxBank } from '../support/bank/client'
import { aParty, aTransfer, balanceOf, useParty } from '../support/bank/parties'

const bank = useSandboxBank({ delaysMs: still })
const party = useParty(bank)

async function transfersOf(reference: string): Promise<number> {
  return (await bank.control('GET', `/transfers?client_reference_id=${reference}`)).json.count
}

test('every POST except verify needs a key', async () => {
  const headers = { 'Idempotency-Key': '' }
  const refused = await bank.post('/transfers', aTransfer(party), { headers })
  const verified = await bank.post(
    `/customers/${party.customer}/external_accounts/${party.account}/verify`,
    undefined,
    { headers },
  )

  expect(refused.status).toBe(400)
  expect(refused.json).toMatchObject({ code: 'required', location: 'header', name: 'Idempotency-Key' })
  expect(verified.status).toBe(200)
})

test('the same key and body get the first response and move no more money', async () => {
  const key = randomUUID()
  const order = aTransfer(party)

  const first = await bank.post('/transfers', order, { key })
  const between = await balanceOf(bank, party)
  const again = await bank.post('/transfers', order, { key })

  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.text).toBe(first.text)
  expect(await balanceOf(bank, party)).toBe(between)
  expect(await transfersOf(order.client_reference_id)).toBe(1)
})

test('the same key with a different body gets 400 not_truly_idempotent, even when only the field order differs', async () => {
  const key = randomUUID()
  const order = aTransfer(party)
  await bank.post('/transfers', order, { key })

  const turned = Object.fromEntries(Object.entries(order).toReversed())
  const other = await bank.post('/transfers', turned, { key })

  expect(other.status).toBe(400)
  expect(other.json).toMatchObject({ code: 'not_truly_idempotent' })
})

test('a key that was used in one environment is unknown in the other', async () => {
  const key = randomUUID()
  await bank.post('/transfers', aTransfer(party), { key })

  const live = await bank.post('/transfers', aTransfer(party), { key, environment: 'live' })

  expect(live.json).toMatchObject({ code: 'not_found' })
})

test('a request with an expired key gets 422', async () => {
  const short = await openTestBank({ idempotencyWindowMs: 30 })
  const other = await aParty(short)
  const key = randomUUID()
  const order = aTransfer(other)
  await short.post('/transfers', order, { key })
  await pause(60)

  const late = await short.post('/transfers', order, { key })

  expect(late.status).toBe(422)
  expect((await short.control('GET', '/transfers')).json.count).toBe(1)
  await short.close()
})

test('a refusal leaves the key free, unless the bank is configured to replay refusals', async () => {
  const strict = await openTestBank({ refusals: 'replayed' })
  const outcomes: number[] = []
  for (const each of [bank, strict]) {
    const poor = await aParty(each)
    const order = aTransfer(poor, { destination: { amount: '9000.00' } })
    const key = randomUUID()
    const refused = await each.post('/transfers', order, { key })
    await each.post(`/customers/${poor.customer}/wallets/${poor.wallet}/simulate_deposit`, {
      amount: '5000.00',
      currency: 'usdc',
    })
    const again = await each.post('/transfers', order, { key })
    outcomes.push(refused.status, again.status)
  }
  await strict.close()

  expect(outcomes).toEqual([400, 201, 400, 400])
})

test('identical concurrent requests wait for the first one and get its response', async () => {
  const key = randomUUID()
  const order = aTransfer(party)
  await bank.fault({ kind: 'hang', ms: 150, match: { client_reference_id: order.client_reference_id } })
  const started = Date.now()

  const timed = async () => ({ ...(await bank.post('/transfers', order, { key })), tookMs: Date.now() - started })
  const answers = await Promise.all(Array.from({ length: 20 }, timed))

  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect(Math.min(...answers.map(({ tookMs }) => tookMs))).toBeGreaterThanOrEqual(140)
  expect(await transfersOf(order.client_reference_id)).toBe(1)
})

test('another body with a key in flight is refused immediately', async () => {
  const key = randomUUID()
  const order = aTransfer(party)
  const fault = await bank.fault({ kind: 'hang', ms: 600, match: { client_reference_id: order.client_reference_id } })
  const first = bank.post('/transfers', order, { key })
  await until('the first request has arrived', async () => (await bank.counts(fault)).fired === 1)

  const other = await bank.post('/transfers', aTransfer(party), { key })

  expect(other.json).toMatchObject({ code: 'not_truly_idempotent' })
  expect((await first).status).toBe(201)
})

test('the same client_reference_id with another key creates a second transfer, so that double payments are visible', async () => {
  const order = aTransfer(party)

  await bank.post('/transfers', order)
  await bank.post('/transfers', order)

  expect(await transfersOf(order.client_reference_id)).toBe(2)
})
