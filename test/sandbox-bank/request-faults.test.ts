// Connection and response faults. Each fires where configured and is counted, and the bank stores either the whole
// request or nothing.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Answer, type Json, still, until, useSandboxBank } from '../support/bank/client'
import { aParty, aTransfer, balanceOf, type Party } from '../support/bank/parties'

const bank = useSandboxBank({ delaysMs: still, controlPort: 0 })
let party: Party
beforeAll(async () => {
  party = await aParty(bank)
})
beforeEach(async () => {
  await bank.control('DELETE', '/faults')
})

interface Struck {
  readonly first: Answer | 'no answer'
  readonly stored: number
  readonly again: Answer
  readonly storedInAll: number
  readonly fault: { fired: number; remaining: number | null }
}

/** Sends a transfer that matches the fault, and then the same request again. */
async function strike(plan: Json): Promise<Struck> {
  const order = aTransfer(party, { destination: { amount: '1.00' } })
  const key = randomUUID()
  const count = async () =>
    (await bank.control('GET', `/transfers?client_reference_id=${order.client_reference_id}`)).json.count
  const id = await bank.fault({ ...plan, match: { client_reference_id: order.client_reference_id, method: 'POST' } })

  const first = await bank.post('/transfers', order, { key }).catch(() => 'no answer' as const)
  const stored = await count()
  const again = await bank.post('/transfers', order, { key })
  return { first, stored, again, storedInAll: await count(), fault: await bank.counts(id) }
}

function answered({ first }: Struck): Answer {
  if (first === 'no answer') throw new Error('the bank did not answer')
  return first
}

const once = { fired: 1, remaining: 0 }

test('a reset before storing sends no response and stores nothing, and the retry counts as the first request', async () => {
  const struck = await strike({ kind: 'reset' })

  expect(struck).toMatchObject({ first: 'no answer', stored: 0, again: { status: 201 }, storedInAll: 1, fault: once })
})

test('a reset after storing sends no response and stores one transfer, which the retry returns', async () => {
  const struck = await strike({ kind: 'reset', stage: 'after' })

  expect(struck).toMatchObject({ first: 'no answer', stored: 1, again: { status: 201 }, storedInAll: 1, fault: once })
})

test('a truncated response leaves one transfer', async () => {
  const struck = await strike({ kind: 'truncated' })

  expect(struck).toMatchObject({ first: 'no answer', stored: 1, again: { status: 201 }, storedInAll: 1, fault: once })
})

test('a 201 can have malformed JSON', async () => {
  const struck = await strike({ kind: 'malformed' })

  const { status, text } = answered(struck)
  expect(status).toBe(201)
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(struck).toMatchObject({ stored: 1, storedInAll: 1, fault: once })
})

test('500, 503 and 424 can be returned before or after storing, in the protocol’s formats', async () => {
  for (const status of [500, 503, 424]) {
    const before = await strike({ kind: 'status', status, retry_after: 7 })
    const after = await strike({ kind: 'status', status, stage: 'after' })

    expect(before).toMatchObject({ first: { status }, stored: 0, again: { status: 201 }, storedInAll: 1, fault: once })
    expect(after).toMatchObject({ first: { status }, stored: 1, again: { status: 201 }, storedInAll: 1, fault: once })
    expect(answered(before).headers.get('retry-after')).toBe('7')
    const body = answered(before).json
    expect(status === 500 ? body.errors[0].code : body.code).toBe(
      status === 500 ? 'unexpected' : 'external_dependency_failed',
    )
  }
})

test('a 429 response can have a Retry-After header or none', async () => {
  const withHeader = await strike({ kind: 'status', status: 429, retry_after: 1 })
  const withoutHeader = await strike({ kind: 'status', status: 429 })

  expect([withHeader, withoutHeader].map((each) => answered(each).headers.get('retry-after'))).toEqual(['1', null])
  expect([withHeader.stored, withoutHeader.stored]).toEqual([0, 0])
})

test('a slow body arrives completely after the configured time', async () => {
  const started = Date.now()
  const struck = await strike({ kind: 'slow_body', ms: 200 })

  expect(struck).toMatchObject({ first: { status: 201 }, stored: 1, fault: once })
  expect(Date.now() - started).toBeGreaterThanOrEqual(180)
})

test('a hanging request is still processed after its client has disconnected, and a retry without the fault joins it', async () => {
  const order = aTransfer(party, { destination: { amount: '1.00' } })
  await bank.fault({ kind: 'hang', ms: 200, match: { client_reference_id: order.client_reference_id } })
  const body = JSON.stringify(order)
  const headers = { 'Api-Key': 'sk-test-tests', 'Idempotency-Key': randomUUID() }

  await expect(
    fetch(`${bank.url}/v0/transfers`, { method: 'POST', headers, body, signal: AbortSignal.timeout(50) }),
  ).rejects.toThrow('aborted')
  const again = await bank.post('/transfers', body, { key: headers['Idempotency-Key'] })

  expect(again.status).toBe(201)
  expect((await bank.control('GET', `/transfers?client_reference_id=${order.client_reference_id}`)).json.count).toBe(1)
})

test('a request can hang forever, before or after storing, until the faults are reset', async () => {
  for (const [stage, count] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    const order = aTransfer(party, { destination: { amount: '1.00' } })
    const id = await bank.fault({ kind: 'hang', stage, match: { client_reference_id: order.client_reference_id } })
    const hanging = bank.post('/transfers', order).catch(() => 'no answer')
    await until('the fault has fired', async () => (await bank.counts(id)).fired === 1)
    await bank.control('DELETE', '/faults')

    expect(await hanging).toBe('no answer')
    expect((await bank.control('GET', `/transfers?client_reference_id=${order.client_reference_id}`)).json.count).toBe(
      count,
    )
  }
})

test('the busy fault refuses with 400 although the wallet covers the transfer, and stores nothing', async () => {
  const before = await balanceOf(bank, party)
  const struck = await strike({ kind: 'busy' })

  expect(struck).toMatchObject({
    first: { status: 400 },
    stored: 0,
    again: { status: 201 },
    storedInAll: 1,
    fault: once,
  })
  expect(await balanceOf(bank, party)).toBe(before - 1_280_000n)
})

test('the busy fault can be limited to requests that lose a real race', async () => {
  const racing = await aParty(bank)
  await bank.fault({ kind: 'busy', racing: 'only', times: null, match: { wallet_id: racing.wallet } })
  const order = () => aTransfer(racing, { destination: { amount: '1.00' } })

  const alone = await bank.post('/transfers', order())
  const together = await Promise.all(Array.from({ length: 10 }, () => bank.post('/transfers', order())))

  expect(alone.status).toBe(201)
  const accepted = together.filter(({ status }) => status === 201).length
  expect(accepted).toBeGreaterThanOrEqual(1)
  expect(accepted).toBeLessThan(10)
  expect((await bank.control('GET', `/transfers?customer_id=${racing.customer}`)).json.count).toBe(1 + accepted)
})

test('a fault applies to the next N requests to a path and shows the remaining count', async () => {
  const id = await bank.fault({ kind: 'status', status: 503, times: 3, match: { path: '/v0/exchange_rates' } })
  const rate = () => bank.get('/exchange_rates?from=usd&to=gbp')

  await bank.get('/transfers')
  const first = [await rate(), await rate()]
  const between = await bank.counts(id)
  const rest = [await rate(), await rate()]

  expect([...first, ...rest].map(({ status }) => status)).toEqual([503, 503, 503, 200])
  expect(between).toEqual({ fired: 2, remaining: 1 })
})

test('a fault for a transfer ID applies to reads of that transfer', async () => {
  const { json } = await bank.post('/transfers', aTransfer(party, { destination: { amount: '1.00' } }))
  await bank.fault({ kind: 'status', status: 404, match: { transfer_id: json.id } })

  expect((await bank.get(`/transfers/${json.id}`)).json.code).toBe('not_found')
  expect((await bank.get(`/transfers/${json.id}`)).status).toBe(200)
})

test('during an outage connections are refused, but the control API answers', async () => {
  await bank.control('POST', '/outage', { ms: 60_000 })
  await until('the port is closed', () =>
    bank.get('/customers').then(
      () => false,
      () => true,
    ),
  )
  const failure = await bank.get('/customers').catch((error: Error & { cause?: Json }) => error.cause?.code)
  const control = await bank.control('GET', '/health')
  await bank.control('DELETE', '/outage')
  const short = await bank.control('POST', '/outage', { ms: 50 })
  const after = await until('the port is open', () => bank.get('/customers').catch(() => null))

  expect(failure).toBe('ECONNREFUSED')
  expect([control.status, short.status, after.status]).toEqual([200, 200, 200])
})

test('an invalid fault is refused', async () => {
  const wrong = [
    { kind: 'nothing' },
    { kind: 'status' },
    { kind: 'reset', sttage: 'after' },
    { kind: 'reset', match: { id: 'x' } },
    { kind: 'hang', ms: -1 },
    { kind: 'reset', stage: 'later' },
    { kind: 'reset', times: 0 },
    { kind: 'rate_jump', sell_rate: '0' },
    {},
  ]
  for (const plan of wrong) expect((await bank.control('POST', '/faults', plan)).status).toBe(400)
  expect((await bank.control('GET', '/faults')).json.data).toEqual([])
})
