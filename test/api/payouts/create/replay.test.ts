// Idempotency of POST /v1/payouts: a key pays once, and later requests with the key return the same payout.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { readPayoutRequest } from '../../../../api/payouts/request/order'
import { changePrices } from '../../../../db/invoices/price-lists'
import { fingerprintOf } from '../../../../db/payouts/fingerprint'
import { conflictsPerCallerAndHour } from '../../../../domain/limits'
import { type Answer, startApi, testKeyring } from '../../../support/api/client'
import { aKey, aPartner, aPayoutRow, changePartner } from '../../../support/api/fixtures'
import { aRequest, type Payer, usePayoutWorld } from '../../../support/api/payout-world'
import type { Json } from '../../../support/bank/client'
import { until } from '../../../support/until'

const world = usePayoutWorld()
let payer: Payer

beforeAll(async () => {
  payer = await world.aPayer()
})
afterEach(() => world.bank.control('DELETE', '/faults'))

const newKey = () => `order-${randomUUID()}`

/** The stored fingerprint of a payout created from the body. */
function fingerprintFor(body: Json) {
  const { whole, keyId, fields } = fingerprintOf(testKeyring, readPayoutRequest(body).fields)
  return { fingerprint: whole, fingerprintKeyId: keyId, fieldFingerprints: fields }
}

const replayed = ({ status, headers }: Answer) => [status, headers.get('Idempotent-Replayed')]

describe('a body that an earlier version accepted and the current version refuses', () => {
  const old = aRequest({ reference: 'Invoice\n1042', recipient: { first_name: '\u202eAda', address: { city: ' ' } } })
  const refusal = [422, 'invalid_recipient']
  const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

  async function aStored(fields: Parameters<typeof aPayoutRow>[2] = {}) {
    const partner = await aPartner(world.api)
    const apiKey = await aKey(world.api, partner, 'sandbox')
    const { id, idempotencyKey } = await aPayoutRow(world.api, partner, { ...fingerprintFor(old), ...fields })
    const post = (body: Json, key: string = idempotencyKey) =>
      world.api.post('/v1/payouts', body, { key: apiKey, headers: { 'Idempotency-Key': key } })
    return { partner, id, post }
  }

  test('is still 200 with its stored payout, even for a suspended partner', async () => {
    const { partner, id, post } = await aStored()

    const again = await post(old)
    await changePartner(world.api, partner, { status: 'suspended' })
    const suspended = await post(old)

    expect([replayed(again), again.body['id']]).toEqual([[200, 'true'], id])
    expect([replayed(suspended), suspended.body['id']]).toEqual([[200, 'true'], id])
  })

  test('is 422 with a new key, and with its own key if values differ', async () => {
    const { post } = await aStored()

    const answers = [
      await post(old, newKey()),
      await post({ ...old, amount_gbp: '2.00' }),
      await post({ ...old, recipient: { ...old['recipient'], first_name: ' ' } }),
    ]

    expect(answers.map(codeOf)).toEqual([refusal, refusal, refusal])
  })

  test('is 422 with its own key once that key is free again', async () => {
    const released = { releasedAt: new Date(), verdict: 'payout_not_created', status: 'pending' } as const
    const { post } = await aStored({ ...released, completedAt: null })

    expect(codeOf(await post(old))).toEqual(refusal)
  })

  test('is 422 with its own key if the name is changed to an empty one, which no version accepted', async () => {
    const { post } = await aStored()

    expect(codeOf(await post({ ...old, recipient: { ...old['recipient'], first_name: '' } }))).toEqual(refusal)
  })

  test('is 400 if it contains a lone surrogate, which was stored as U+FFFD and therefore matched other bodies', async () => {
    const { partner, post } = await aStored()
    const named = (last_name: string): Json => ({ ...old, recipient: { ...old['recipient'], last_name } })
    const { idempotencyKey } = await aPayoutRow(world.api, partner, fingerprintFor(named('A\ud800')))

    const answers: Answer[] = []
    for (const name of ['A\ufffd', 'A\ud800', 'A\udc00']) answers.push(await post(named(name), idempotencyKey))

    expect(answers.map(codeOf)).toEqual([
      [200, undefined],
      [400, 'invalid_json'],
      [400, 'invalid_json'],
    ])
  })
})

describe('the same key with the same body', () => {
  test('is 200 with the stored payout and Idempotent-Replayed, and pays only once', async () => {
    const [key, request] = [newKey(), aRequest()]
    const first = await world.pay(payer, request, { key })
    const again = await world.pay(payer, request, { key })

    const { quote: _, ...payout } = first.body
    expect([first.status, replayed(again)]).toEqual([201, [200, 'true']])
    expect(again.body).toEqual(payout)
    expect(await world.transfersOf(payout['id'])).toHaveLength(1)
  })

  test('is 200 even if field order, spaces, defaults, leading zeros or the confirm code differ', async () => {
    const [key, request] = [newKey(), aRequest({ amount_gbp: '1.00' })]
    const { recipient, amount_gbp: _, ...rest } = request
    const { address, bank, ...person } = recipient
    await world.pay(payer, request, { key })

    const other = {
      recipient: { bank, address, type: 'individual', ...person },
      confirm_code: '123456',
      country: 'GB',
      ...rest,
      amount_gbp: '01.00',
    }
    const response = await fetch(`${world.api.url}/v1/payouts`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${payer.keys.sandbox}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(other, null, 3),
    })

    expect(response.status).toBe(200)
  })

  test('returns the stored payout even if limits, countries and prices have changed', async () => {
    const someone = await world.aPayer()
    const [key, request] = [newKey(), aRequest()]
    const first = await world.pay(someone, request, { key })
    await changePartner(world.api, someone, { minPayoutPence: 1_000_000n, enabledCountries: [] })
    const at = world.api.clock.now()
    const dearer = { partnerId: someone.id, changes: { payoutFixedPence: 500n }, from: at, at }
    await world.api.db.transaction((tx) => changePrices(tx, dearer))

    const again = await world.pay(someone, request, { key })
    const other = await world.pay(someone, request)

    expect([again.status, again.body['fee_gbp']]).toEqual([200, first.body['fee_gbp']])
    expect(other.status).toBe(422)
  })

  test('is 200 even for a suspended partner, which gets 403 for all other payout requests', async () => {
    const someone = await world.aPayer()
    const [key, request] = [newKey(), aRequest()]
    const first = await world.pay(someone, request, { key })
    await changePartner(world.api, someone, { status: 'suspended' })

    const again = await world.pay(someone, request, { key })
    const other = await world.pay(someone, { ...request, amount_gbp: '5.00' }, { key })
    const faulty = await world.pay(someone, { ...request, amount_gbp: 'x' }, { key })
    const fresh = await world.pay(someone, request)

    expect([again.status, again.body['id']]).toEqual([200, first.body['id']])
    for (const { status, body } of [other, faulty, fresh]) {
      expect([status, body.error?.code]).toEqual([403, 'partner_not_active'])
    }
  })

  test('needs neither a worker nor the bank', async () => {
    const [key, request] = [newKey(), aRequest()]
    const first = await world.pay(payer, request, { key })
    await world.stopWorkers()
    await world.bank.control('POST', '/outage', { ms: 60_000 })

    const again = await world.pay(payer, request, { key })

    await world.bank.control('DELETE', '/outage')
    await world.startWorkers()
    expect([again.status, again.body['id']]).toEqual([200, first.body['id']])
  })
})

test('a new payout is 403 and claims nothing if its partner is suspended between authorization and the claim', async () => {
  const someone = await world.aPayer()
  const { dataSource } = world.api.db
  const holder = dataSource.createQueryRunner()
  await holder.startTransaction()
  // The lock makes an authorized request wait when it reads its prices.
  await holder.query('LOCK TABLE price_lists IN ACCESS EXCLUSIVE MODE')
  const asked = world.pay(someone, aRequest())
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await until('it waits', async () => (await dataSource.query(waiting)).length > 0)
  await changePartner(world.api, someone, { status: 'suspended' })
  await holder.commitTransaction()
  await holder.release()

  const { status, body } = await asked

  expect([status, body.error?.code]).toEqual([403, 'partner_not_active'])
  expect(await dataSource.query('SELECT FROM payouts WHERE partner_id = $1', [someone.id])).toEqual([])
})

describe('the same key with another body', () => {
  const changes: readonly [string, Json, string[]][] = [
    ['the amount', { amount_gbp: '120.01' }, ['amount_gbp']],
    ['the reference', { reference: 'Invoice 1043' }, ['reference']],
    ['a missing reference', { reference: undefined }, ['reference']],
    ['one digit of the account number', { recipient: { bank: { account_number: '38290009' } } }, ['recipient']],
    ['an added address line', { recipient: { address: { line2: 'x' } } }, ['recipient']],
    [
      'several fields',
      { amount_gbp: '1.00', recipient: { type: 'business', last_name: 'Byron', address: { city: 'York' } } },
      ['amount_gbp', 'recipient'],
    ],
  ]

  test.each(changes)(
    'is 422 idempotency_key_reused and names the differing fields: %s',
    async (_, change, differing_fields) => {
      const key = newKey()
      const bank = { account_number: '38290008', ...change.recipient?.bank }
      const first = await world.pay(payer, { recipient: { bank: { account_number: '38290008' } } }, { key })

      const other = await world.pay(payer, { ...change, recipient: { ...change.recipient, bank } }, { key })

      expect([other.status, other.body.error?.code]).toEqual([422, 'idempotency_key_reused'])
      expect(other.body.error?.details).toEqual({ payout_id: first.body['id'], differing_fields })
    },
  )
})

describe('when a caller guesses the bank details of a stored payout', () => {
  const withAccount = (body: Json, account_number: string) => ({
    ...body,
    recipient: { ...body['recipient'], bank: { ...body['recipient'].bank, account_number } },
  })

  /** Two API processes on one database, and a payout whose account number is guessed. */
  async function aVictim(status: 'active' | 'suspended' = 'active') {
    const apis = await Promise.all(
      [1, 2].map(() => startApi({ database: world.api.databaseUrl, rateLimit: 'on', temporalAddress: '127.0.0.1:1' })),
    )
    const partner = await aPartner(world.api, { rateLimitSandbox: 1_000, status })
    const apiKey = await aKey(world.api, partner, 'sandbox')
    const body = withAccount(aRequest(), '12340008')
    const { idempotencyKey } = await aPayoutRow(world.api, partner, fingerprintFor(body))
    const guess = (at: number, account: string, key = apiKey) =>
      (apis[at] ?? world.api).post('/v1/payouts', withAccount(body, account), {
        key,
        headers: { 'Idempotency-Key': idempotencyKey },
      })
    const close = () => Promise.all(apis.map((api) => api.close()))
    return { partner, guess, close }
  }

  const wrong = (n: number) => `${2000 + n}0008`

  test.each([
    ['active', 422],
    ['suspended', 403],
  ] as const)(
    'an API key of a partner that is %s allows few guesses, and then even a correct one is 429',
    async (status, conflict) => {
      const { guess, close } = await aVictim(status)

      const guesses: Answer[] = []
      for (let n = 0; n <= conflictsPerCallerAndHour; n++) guesses.push(await guess(0, wrong(n)))
      const right = await guess(0, '12340008')
      // The other process reads the count from the database on its first conflict.
      const elsewhere = [await guess(1, wrong(0)), await guess(1, '12340008')]

      const expected = [...Array(conflictsPerCallerAndHour).fill(conflict), 429]
      expect(guesses.map((each) => each.status)).toEqual(expected)
      expect([right, ...elsewhere].map((each) => each.status)).toEqual([429, 429, 429])
      expect([right.body.error?.code, right.headers.get('Retry-After')]).toEqual(['rate_limited', '120'])
      await close()
    },
  )

  test('conflicts caused by one API key neither limit another key nor stop its replays', async () => {
    const { partner, guess, close } = await aVictim()
    const other = await aKey(world.api, partner, 'sandbox')
    for (let n = 0; n <= conflictsPerCallerAndHour; n++) await guess(0, wrong(n))

    const replays = [await guess(0, '12340008', other), await guess(0, '12340008', other)]

    expect(replays.map(replayed)).toEqual([
      [200, 'true'],
      [200, 'true'],
    ])
    await close()
  })

  test('replays never count as guesses', async () => {
    const { guess, close } = await aVictim()

    const answers: Answer[] = []
    for (let n = 0; n < conflictsPerCallerAndHour + 5; n++) answers.push(await guess(0, '12340008'))

    expect(new Set(answers.map((each) => each.status))).toEqual(new Set([200]))
    await close()
  })
})

describe('a key belongs to one partner and environment', () => {
  test('the same key creates another payout for another partner, and in the other environment', async () => {
    const [key, request, other] = [newKey(), aRequest(), await world.aPayer()]

    const answers = [
      await world.pay(payer, request, { key }),
      await world.pay(other, request, { key }),
      await world.pay(payer, request, { key, environment: 'live' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(3)
  })
})

describe('many requests with one key', () => {
  test('get one 201 and 199 responses with 200, and create one payout and one transfer', async () => {
    const [key, request] = [newKey(), aRequest()]

    const answers = await Promise.all(Array.from({ length: 200 }, () => world.pay(payer, request, { key })))

    const counts = answers.map(({ status }) => status)
    expect([counts.filter((s) => s === 201).length, counts.filter((s) => s === 200).length]).toEqual([1, 199])
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1)
    expect(await world.transfersOf(answers[0]?.body['id'])).toHaveLength(1)
  })

  test('get one 201 and otherwise 200 after an earlier 502, and create one transfer', async () => {
    const [key, request] = [newKey(), aRequest()]
    await world.bank.control('POST', '/outage', { ms: 60_000 })
    const refused = await world.pay(payer, request, { key })
    await world.bank.control('DELETE', '/outage')

    const answers = await Promise.all(Array.from({ length: 50 }, () => world.pay(payer, request, { key })))

    expect(refused.status).toBe(502)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
    expect(await world.transfersOf(answers[0]?.body['id'])).toHaveLength(1)
  })

  test('all get the refusal if the payout is refused', async () => {
    const someone = await world.aPayer()
    const [key, request] = [newKey(), aRequest()]
    await world.bank.fault({
      kind: 'status',
      status: 400,
      code: 'invalid_parameters',
      match: { method: 'POST', path: '/v0/customers/*' },
      times: null,
    })

    const answers = await Promise.all(Array.from({ length: 20 }, () => world.pay(someone, request, { key })))

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.error?.code}`))).toEqual(
      new Set(['422 recipient_account_rejected']),
    )
    expect((await world.api.get('/v1/balance', { key: someone.keys.sandbox })).body['usdc']).toBe('10000.00')
  })
})
