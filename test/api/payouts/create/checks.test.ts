// POST /v1/payouts runs its checks in a fixed order: authentication, rate limit, rights, idempotency key, JSON,
// body, replay, state, rate, balance.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { RailUnavailable } from '../../../../rail/rail'
import { simulatedRail } from '../../../../rail/simulated'
import { type Answer, startApi, useApi } from '../../../support/api/client'
import { aKey, aPartner, changePartner } from '../../../support/api/fixtures'
import { aRequest } from '../../../support/api/payout-world'
import { withoutRandom } from '../../../support/personal'

/** No worker is running, so a request that passes every check gets 201 pending after the answer timeout. */
const api = useApi({ answerTimeoutMs: 100 })
const rails = { simulated: { rate: () => Promise.reject(new RailUnavailable('rate')) } }
const bankless = useApi(() => ({ database: api.databaseUrl, rails, answerTimeoutMs: 100 }))

const inShort = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ''}`.trim()
const keyHeader = (key = `order-${randomUUID()}`) => ({ 'Idempotency-Key': key })
const faulty = aRequest({ amount_gbp: 'much' })

async function post(body: unknown, key: string, headers: Record<string, string> = keyHeader(), to = api) {
  return inShort(await to.post('/v1/payouts', body, { key, headers }))
}

/** Sends the body unchanged. */
async function send(text: string, key: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${api.url}/v1/payouts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: text,
  })
  const { error } = JSON.parse(await response.text())
  return `${response.status} ${error?.code}`
}

describe('refusals have a fixed order', () => {
  test('401 comes before all others', async () => {
    expect(await post(faulty, 'kp_sandbox_x', {})).toBe('401 unauthorized')
  })

  test('429 comes before 403', async () => {
    const limited = await startApi({ database: api.databaseUrl, rateLimit: 'on', answerTimeoutMs: 100 })
    const partner = await aPartner(api, { rateLimitSandbox: 1, status: 'suspended' })
    const key = await aKey(api, partner, 'sandbox')

    const answers = await Promise.all(Array.from({ length: 8 }, () => post(faulty, key, {}, limited)))
    await limited.close()

    expect(new Set(answers)).toEqual(new Set(['403 partner_not_active', '429 rate_limited']))
  })

  test.each([
    ['suspended', { status: 'suspended' }, 'sandbox', 'partner_not_active'],
    ['closed', { status: 'closed' }, 'sandbox', 'partner_not_active'],
    ['not verified, in live mode', { verificationStatus: 'in_review' }, 'live', 'verification_required'],
    [
      'suspended and not verified, in live mode',
      { status: 'suspended', verificationStatus: 'pending' },
      'live',
      'partner_not_active',
    ],
  ] as const)('403 comes before 400 and 422 for a partner that is %s', async (_, changes, environment, code) => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, environment)
    await changePartner(api, partner, changes)

    expect(await post(aRequest(), key)).toBe(`403 ${code}`)
    expect(await post(faulty, key)).toBe(`403 ${code}`)
    expect(await post(faulty, key, {})).toBe(`403 ${code}`)
    expect(await send('{', key, keyHeader())).toBe(`403 ${code}`)
  })

  test.each([
    ['missing', {}],
    ['empty', keyHeader('')],
    ['too short', keyHeader('1234567')],
    ['too long', keyHeader('x'.repeat(101))],
    ['malformed', keyHeader('order 1001')],
  ])('400 idempotency_key_required comes before 415 and 400 invalid_json for a key that is %s', async (_, headers) => {
    const key = await aKey(api, await aPartner(api), 'sandbox')

    expect(await send('{', key, headers)).toBe('400 idempotency_key_required')
    expect(await send('{', key, { ...headers, 'Content-Type': 'text/plain' })).toBe('400 idempotency_key_required')
  })

  test('400, 413 and 415 come before 422', async () => {
    const key = await aKey(api, await aPartner(api), 'sandbox')

    expect(await send('{"amount_gbp": ', key, keyHeader())).toBe('400 invalid_json')
    expect(await send(`"${'x'.repeat(70_000)}"`, key, keyHeader())).toBe('413 payload_too_large')
    expect(await send('{}', key, { ...keyHeader(), 'Content-Type': 'text/plain' })).toBe('415 unsupported_media_type')
  })

  test('422 for the body comes before errors about the account, the rate and the balance', async () => {
    const partner = await aPartner(api, { enabledCountries: [] })
    const key = await aKey(api, partner, 'sandbox')

    expect(await post(faulty, key, keyHeader(), bankless)).toBe('422 invalid_amount')
    expect(await post(aRequest({ recipient: { first_name: '' } }), key)).toBe('422 invalid_recipient')
    expect(await post(aRequest({ country: 'FR' }), key)).toBe('422 corridor_not_enabled')
    expect(await post(aRequest({ note: 'x' }), key)).toBe('422 invalid_request')
    expect(await post(aRequest(), key, keyHeader(), bankless)).toBe('422 corridor_not_enabled')
  })

  test('422 invalid_amount, with the account’s own limits, comes before an error about the rate', async () => {
    const partner = await aPartner(api, { minPayoutPence: 500n, maxPayoutPence: 10_000n })
    const key = await aKey(api, partner, 'sandbox')

    const { status, body } = await bankless.post('/v1/payouts', aRequest(), { key, headers: keyHeader() })

    expect([status, body.error?.code, body.error?.details]).toEqual([
      422,
      'invalid_amount',
      { min: '5.00', max_per_payout: '100.00' },
    ])
  })

  test('502 payout_not_created, with Retry-After, for a missing rate comes before 402 and before any row is stored', async () => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, 'sandbox')

    const answer = await bankless.post('/v1/payouts', aRequest({ amount_gbp: '20000.00' }), {
      key,
      headers: keyHeader(),
    })

    expect(inShort(answer)).toBe('502 payout_not_created')
    expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect(await rowsOf(partner.id)).toBe(0)
  })

  test('402 comes before any row is stored', async () => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, 'sandbox')

    expect(await post(aRequest({ amount_gbp: '20000.00' }), key)).toBe('402 insufficient_funds')
    expect(await rowsOf(partner.id)).toBe(0)
  })
})

describe('a request is accepted', () => {
  test('from a partner that is not verified, in the sandbox', async () => {
    const partner = await aPartner(api, { verificationStatus: 'not_started' })

    expect(await post(aRequest(), await aKey(api, partner, 'sandbox'))).toBe('201')
  })

  test('with an Idempotency-Key of 8 or of 100 characters', async () => {
    const key = await aKey(api, await aPartner(api), 'sandbox')

    expect(await post(aRequest(), key, keyHeader('a_-:.Z09'))).toBe('201')
    expect(await post(aRequest(), key, keyHeader('k'.repeat(100)))).toBe('201')
  })
})

describe('while no worker is running', () => {
  test('an acknowledged payout is 201 pending, is in the list, and replays as 200 without waiting', async () => {
    const key = await aKey(api, await aPartner(api), 'sandbox')
    const headers = keyHeader()
    const request = aRequest()

    const created = await api.post('/v1/payouts', request, { key, headers })
    const again = await api.post('/v1/payouts', request, { key, headers })
    const list = await api.get('/v1/payouts', { key })
    const { body: activity } = await api.get('/v1/activity', { key })

    const { quote, ...payout } = created.body
    expect([created.status, payout['status'], quote === undefined]).toEqual([201, 'pending', false])
    expect([again.status, again.body]).toEqual([200, payout])
    expect(list.body.data).toEqual([payout])
    expect(activity.data?.filter(({ action }) => action === 'payout.create').map(({ status }) => status)).toEqual([
      200, 201,
    ])
  })

  test('a payout is 201 pending, never 502, even without Temporal', async () => {
    const withoutTemporal = await startApi({
      database: api.databaseUrl,
      temporalAddress: '127.0.0.1:1',
      answerTimeoutMs: 200,
    })
    const key = await aKey(api, await aPartner(api), 'sandbox')

    const { status, body } = await withoutTemporal.post('/v1/payouts', aRequest(), { key, headers: keyHeader() })
    await withoutTemporal.close()

    expect([status, body['status']]).toEqual([201, 'pending'])
  })

  test('the recipient’s data is stored only in encrypted form', async () => {
    const key = await aKey(api, await aPartner(api), 'sandbox')
    const request = aRequest({ recipient: { email: 'canary@example.com', address: { line1: 'Canary Wharf' } } })
    const { body } = await api.post('/v1/payouts', request, { key, headers: keyHeader() })

    const [row] = await api.db.dataSource.query('SELECT p::text AS payout FROM payouts p WHERE id = $1', [body['id']])
    const [sealed] = await api.db.dataSource.query(
      'SELECT octet_length(sealed) AS length FROM sealed_recipients WHERE payout_id = $1',
      [body['id']],
    )

    expect(sealed.length).toBeGreaterThan(200)
    expect(withoutRandom(row.payout)).not.toMatch(/canary|Wharf|200415/i)
    expect(row.payout).not.toContain(request.recipient.bank.account_number)
  })
})

test('a quote uses the simulated rail’s rate while no bank is connected', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  const { body } = await api.post('/v1/payouts', aRequest(), { key, headers: keyHeader() })

  const { gbpPerUsdNano } = await simulatedRail.rate()
  expect(body['quote']).toMatchObject({ exchange_rate: { gbp_per_usd: Number(gbpPerUsdNano) / 1e9 } })
})

async function rowsOf(partnerId: string): Promise<number> {
  const [{ count }] = await api.db.dataSource.query(
    'SELECT count(*)::int AS count FROM payouts WHERE partner_id = $1',
    [partnerId],
  )
  return count
}
