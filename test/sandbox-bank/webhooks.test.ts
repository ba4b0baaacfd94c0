// Webhooks are signed over a double hash and retried with a new signature. Tests can cause faulty deliveries.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { readArguments } from '../../sandbox-bank/arguments'
import { type Json, openTestBank, quick, reached, until, useSandboxBank } from '../support/bank/client'
import { aParty, aTransfer, useParty } from '../support/bank/parties'
import { testSystem } from '../support/jest/system'

interface Received {
  readonly raw: string
  readonly signature: string
  readonly event: Json
}

const bank = useSandboxBank()
const party = useParty(bank)
let receiver: Server
let webhook: Json
const received: Received[] = []
/** Statuses for the next deliveries. The default is 200. */
const answers: number[] = []
/** Close functions of servers that a test opened. They run at the end, even if the test failed. */
const opened: (() => unknown)[] = []

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const raw = Buffer.concat(pieces).toString()
      received.push({ raw, signature: String(request.headers['x-webhook-signature']), event: JSON.parse(raw) })
      response.writeHead(answers.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  webhook = await register(['transfer'])
})
beforeEach(async () => {
  await bank.control('DELETE', '/faults')
  await bank.control('PUT', '/delays', quick)
  answers.length = 0
  received.length = 0
})
afterAll(async () => {
  for (const close of opened) await close()
  receiver.closeAllConnections()
  receiver.close()
})

function receiverUrl(): string {
  const address = receiver.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/bank`
}

async function register(event_categories: string[]): Promise<Json> {
  const { json } = await bank.post('/webhooks', {
    url: receiverUrl(),
    event_epoch: 'webhook_creation',
    event_categories,
  })
  await bank.send('PUT', `/webhooks/${json.id}`, { status: 'active' })
  return json
}

async function pay(reference?: string): Promise<string> {
  const { json } = await bank.post(
    '/transfers',
    aTransfer(party, { destination: { amount: '1.00' }, ...(reference ? { client_reference_id: reference } : {}) }),
  )
  return json.id
}

const of = (id: string) => received.filter(({ event }) => event.event_object_id === id)
const categories = () => new Set(received.map(({ event }) => event.event_category))
const states = (id: string) => of(id).map(({ event }) => event.event_object_status)

function check({ raw, signature }: Received): { double: boolean; single: boolean; ageMs: number } {
  const [, t = '', v0 = ''] = /^t=(\d+),v0=(.+)$/.exec(signature) ?? []
  const signed = Buffer.from(v0, 'base64')
  const digest = createHash('sha256').update(`${t}.${raw}`).digest()
  return {
    double: verify('RSA-SHA256', digest, webhook.public_key, signed),
    single: verify('RSA-SHA256', Buffer.from(`${t}.${raw}`), webhook.public_key, signed),
    ageMs: Date.now() - Number(t),
  }
}

test('a webhook is created disabled with a public key, requires https for remote hosts, and can be deleted', async () => {
  const body = { url: 'https://partner.example/hook', event_epoch: 'webhook_creation', event_categories: ['transfer'] }
  const { status, json } = await bank.post('/webhooks', body)

  const listed = await bank.get('/webhooks')
  const plain = await bank.post('/webhooks', { ...body, url: 'http://partner.example/hook' })
  const deleted = await bank.send('DELETE', `/webhooks/${json.id}`)

  expect(status).toBe(201)
  expect(json).toMatchObject({
    id: expect.stringMatching(/^wep_/),
    status: 'disabled',
    public_key: expect.stringContaining('BEGIN PUBLIC KEY'),
  })
  expect(JSON.stringify(json)).not.toContain('PRIVATE')
  expect(listed.json.data.map(({ id }: Json) => id)).toContain(json.id)
  expect(plain.json.source.key).toBe('url')
  expect(deleted.json.status).toBe('deleted')
  expect((await bank.get(`/webhooks/${json.id}`)).status).toBe(404)
})

test('the first webhooks use the given keys, and each further one gets a new key', async () => {
  const [first = '', second = ''] = readArguments(['--webhook-keys-file', testSystem().webhookKeysPath]).webhookKeys
  const another = await openTestBank({ webhookKeys: [first, second] })
  const create = async (environment: 'sandbox' | 'live') => {
    const url = 'https://partner.example/hook'
    const { json } = await another.post('/webhooks', { url, event_epoch: 'webhook_creation' }, { environment })
    return json.public_key
  }

  const created = [await create('sandbox'), await create('live'), await create('sandbox')]

  await another.close()
  const given = [first, second].map((key) => createPublicKey(key).export({ type: 'spki', format: 'pem' }))
  expect(created).toEqual([...given, expect.stringContaining('BEGIN PUBLIC KEY')])
  expect(new Set(created).size).toBe(3)
})

test('every state change sends an event with the whole transfer, signed over the double hash', async () => {
  const id = await pay()
  await until('all state changes were delivered', async () => states(id).length === 4)

  // Events may arrive out of order.
  const created = of(id).filter(({ event }) => event.event_type === 'transfer.created')
  const changed = of(id).filter(({ event }) => event.event_type === 'transfer.updated.status_transitioned')
  expect(new Set(states(id))).toEqual(new Set(['pending', 'funds_received', 'payment_submitted', 'payment_processed']))
  expect(created.map(({ event }) => event)).toMatchObject([
    {
      api_version: 'v0',
      event_id: expect.stringMatching(/^wh_/),
      event_category: 'transfer',
      event_object_status: 'pending',
    },
  ])
  const whole = { event_object: { id, on_behalf_of: party.customer } }
  expect(changed.map(({ event }) => event)).toMatchObject([whole, whole, whole])
  for (const each of of(id)) {
    expect(check(each)).toMatchObject({ double: true, single: false })
    expect(check(each).ageMs).toBeLessThan(10_000)
    expect(check({ ...each, raw: `${each.raw} ` }).double).toBe(false)
  }
})

test('a delivery is logged and retried until a 2xx response, with the same bytes and a new signature', async () => {
  await bank.control('PUT', '/delays', { pending: 600_000 })
  answers.push(500, 302, 404)
  const id = await pay()
  await until('the fourth attempt has arrived', async () => of(id).length === 4)
  await pause(100)

  expect(of(id)).toHaveLength(4)
  expect(new Set(of(id).map(({ raw }) => raw)).size).toBe(1)
  expect(new Set(of(id).map(({ signature }) => signature)).size).toBe(4)
  expect(of(id).every((each) => check(each).double)).toBe(true)
  const logs = await bank.get(`/webhooks/${webhook.id}/logs?limit=4`)
  expect(logs.json.data.map(({ response_status }: Json) => response_status)).toEqual([200, 404, 302, 500])
})

test('events are listed even when they were not delivered, and sent again on request', async () => {
  await bank.control('PUT', '/delays', { pending: 600_000 })
  const lost = await bank.fault({ kind: 'webhook_lost', match: { client_reference_id: 'lost' } })
  const id = await pay('lost')
  await pause(80)
  const silent = of(id).length
  const events = await bank.get(`/webhooks/${webhook.id}/events?limit=1`)
  await bank.post(`/webhooks/${webhook.id}/send`, { event_id: events.json.data[0].event_id })
  await until('the event has arrived', async () => of(id).length === 1)

  expect(silent).toBe(0)
  expect(events.json.data[0].event_object_id).toBe(id)
  expect(await bank.counts(lost)).toEqual({ fired: 1, remaining: 0 })
})

test('duplicates have the same event_id and the same bytes', async () => {
  await bank.control('PUT', '/delays', { pending: 600_000 })
  await bank.fault({ kind: 'webhook_duplicate', copies: 4, match: { client_reference_id: 'twice' } })
  const id = await pay('twice')
  await until('all copies have arrived', async () => of(id).length === 5)

  expect(new Set(of(id).map(({ raw }) => raw)).size).toBe(1)
})

test('an event can be late, and can be overtaken by the next one', async () => {
  await bank.fault({ kind: 'webhook_late', ms: 1_500, match: { client_reference_id: 'late', state: 'pending' } })
  await bank.fault({ kind: 'webhook_reorder', match: { client_reference_id: 'overtaken', state: 'payment_submitted' } })
  const [late, overtaken] = [await pay('late'), await pay('overtaken')]
  await until(
    'all state changes were delivered',
    async () => states(late).length === 4 && states(overtaken).length === 4,
  )

  expect(states(late).at(-1)).toBe('pending')
  expect(states(overtaken).indexOf('payment_submitted')).toBe(3)
})

test('a wrong or expired signature can be sent once, and the retry is valid', async () => {
  await bank.control('PUT', '/delays', { pending: 600_000 })
  await bank.fault({ kind: 'webhook_bad_signature', match: { client_reference_id: 'forged' } })
  await bank.fault({ kind: 'webhook_expired', match: { client_reference_id: 'expired' } })
  answers.push(400)
  const forged = await pay('forged')
  await until('the retry has arrived', async () => of(forged).length === 2)
  answers.push(400)
  const expired = await pay('expired')
  await until('the retry has arrived', async () => of(expired).length === 2)

  expect(of(forged).map((each) => check(each).double)).toEqual([false, true])
  expect(of(expired).map((each) => check(each).double)).toEqual([true, true])
  expect(of(expired).map((each) => check(each).ageMs > 600_000)).toEqual([true, false])
})

test('an event can have an unknown category', async () => {
  await bank.fault({ kind: 'webhook_unknown_category', match: { client_reference_id: 'strange' } })
  const id = await pay('strange')
  await reached(bank, id, 'payment_processed')
  await until('all state changes were delivered', async () => states(id).length === 4)

  expect(of(id).filter(({ event }) => event.event_category === 'moon_phase')).toHaveLength(1)
})

test('a delivery that hangs times out and is retried until the bank gives up', async () => {
  const hanging = createServer(() => {})
  opened.push(
    () => hanging.close(),
    () => hanging.closeAllConnections(),
  )
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  const address = hanging.address()
  const slow = await openTestBank({ webhookTimeoutMs: 50, webhookGiveUpMs: 300 })
  opened.push(() => slow.close())
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const { json } = await slow.post('/webhooks', {
    url,
    event_epoch: 'webhook_creation',
    event_categories: ['kyc_link'],
  })
  await slow.send('PUT', `/webhooks/${json.id}`, { status: 'active' })
  await aParty(slow)

  const logs = await until('several attempts are logged', async () => {
    const { data } = (await slow.get(`/webhooks/${json.id}/logs?limit=100`)).json
    return data.length >= 2 && data
  })
  await pause(400)
  const after = (await slow.get(`/webhooks/${json.id}/logs?limit=100`)).json.count
  await pause(200)

  expect(logs[0]).toMatchObject({ outcome: 'timeout', response_status: null })
  expect((await slow.get(`/webhooks/${json.id}/logs?limit=100`)).json.count).toBe(after)
})

test('every category sends its own events', async () => {
  const all = await register([])
  const other = await aParty(bank)
  await bank.control('POST', `/customers/${other.customer}/kyc`, { status: 'paused' })
  await bank.control('POST', `/external_accounts/${other.account}`, { deactivation_reason: 'invalid_account_number' })
  const wanted = ['kyc_link', 'customer', 'external_acccount', 'bridge_wallet.activity']
  await until('every category has sent an event', async () => wanted.every((category) => categories().has(category)))
  await bank.send('DELETE', `/webhooks/${all.id}`)

  expect([...categories()]).toEqual(expect.arrayContaining(wanted))
})
