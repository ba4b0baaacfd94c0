// The protocol's transport: keys, error formats, limits, and robustness against malformed input.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { useSandboxBank, webhookKeyOf } from '../support/bank/client'
import { aKycLink, aParty, aTransfer } from '../support/bank/parties'

const bank = useSandboxBank()

test('a missing Api-Key and a wrong one get 401 in the format of header errors', async () => {
  const missing = await bank.get('/customers', { headers: { 'Api-Key': '' } })
  const wrong = await bank.get('/customers', { headers: { 'Api-Key': 'sk-test-wrong' } })

  expect([missing.status, wrong.status]).toEqual([401, 401])
  expect(missing.json).toMatchObject({ code: 'required', location: 'header', name: 'Api-Key' })
  expect(wrong.json).toMatchObject({ code: 'invalid', location: 'header', name: 'Api-Key' })
})

test('sandbox and live share no data', async () => {
  const party = await aParty(bank)
  const sent = await bank.post('/transfers', aTransfer(party))

  const live = { environment: 'live' } as const
  expect((await bank.get(`/customers/${party.customer}`, live)).status).toBe(404)
  expect((await bank.get(`/transfers/${sent.json.id}`, live)).status).toBe(404)
  expect((await bank.get('/transfers', live)).json).toEqual({ count: 0, data: [] })
  expect((await bank.post('/transfers', aTransfer(party), live)).json).toMatchObject({ code: 'not_found' })
})

test('an unknown path gets 404, an unsupported method 405, and a body that is not JSON an invalid_json error', async () => {
  expect((await bank.get('/nothing')).status).toBe(404)
  expect((await bank.get('/transfers/nothing')).json).toMatchObject({ code: 'not_found' })
  expect((await bank.send('PUT', '/transfers', {})).status).toBe(405)
  expect((await bank.post('/transfers', '{"a":')).json).toMatchObject({ code: 'invalid_json' })
})

test('a body over 256 KiB is refused, and the bank still answers', async () => {
  const answer = await bank.post('/kyc_links', { full_name: 'x'.repeat(300_000) }).catch(() => null)

  expect(answer === null || answer.status === 413).toBe(true)
  expect((await bank.get('/customers')).status).toBe(200)
})

test('the control API refuses requests from web pages', async () => {
  const answer = await fetch(`${bank.url}/_control/faults`, { headers: { Origin: 'https://evil.example' } })

  expect(answer.status).toBe(404)
})

test.each([
  ['evil.example', 404],
  ['evil.example:8300', 404],
  ['127.0.0.1.evil.example', 404],
  ['bank', 404],
  ['localhost:8300', 200],
  ['LOCALHOST', 200],
  ['127.0.0.1:8300', 200],
  ['[::1]:8300', 200],
])('a request with the host name %p gets %d from the control API', async (host, status) => {
  const request = get(`${bank.url}/_control/journal`, { headers: { Host: host } })
  const [answer]: IncomingMessage[] = await once(request, 'response')
  answer?.resume()

  expect(answer?.statusCode).toBe(status)
})

test('the journal shown by the control API has no private key', async () => {
  const url = 'https://payouts.example/webhooks/bank'
  await bank.post('/webhooks', { url, event_epoch: 'webhook_creation' })

  const shown = await bank.control('GET', '/journal')

  // Compares booleans, because a failure must not print the key.
  const has = (text: string) => ['PUBLIC KEY', 'PRIVATE KEY', 'privateKey'].map((name) => text.includes(name))
  expect(has(shown.text)).toEqual([true, false, false])
  expect(has(webhookKeyOf(bank, 'sandbox'))).toEqual([false, true, false])
})

test('random bodies and malformed paths never get a 5xx status', async () => {
  const party = await aParty(bank)
  const order = aTransfer(party)
  const paths = ['/transfers', '/kyc_links', `/customers/${party.customer}/external_accounts`, '/webhooks']
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constant({ ...order, source: null }),
    fc.constant({ ...order, destination: [] }),
  )
  const broken = fc
    .tuple(fc.constantFrom(...Object.keys(order)), fc.jsonValue())
    .map(([key, value]) => ({ ...order, [key]: value }))

  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.oneof(odd, broken), async (path, input) => {
      expect((await bank.post(path, input)).status).toBeLessThan(500)
    }),
    { numRuns: 150 },
  )
  for (const path of [
    '/transfers?limit=-1',
    '/transfers/%00',
    '/transfers/%zz',
    '/__proto__',
    '/transfers?limit=1e1',
    '//',
    '/customers//wallets',
  ]) {
    expect((await bank.get(path)).status).toBeLessThan(500)
  }
  for (const body of [
    '[]',
    'null',
    '"x"',
    '1',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    '{"__proto__":{"amount":"1"}}',
  ]) {
    expect((await bank.post('/transfers', body)).status).toBe(400)
    expect((await bank.control('POST', '/faults', body)).status).toBe(400)
  }
})

test('a KYC link requires a name, an email, a type and known endorsements', async () => {
  for (const change of [
    { full_name: null },
    { email: 'nobody' },
    { type: 'robot' },
    { endorsements: ['sepa'] },
    { redirect_uri: 'javascript:1' },
  ]) {
    expect((await bank.post('/kyc_links', aKycLink(change))).json).toMatchObject({ code: 'invalid_parameters' })
  }
})
