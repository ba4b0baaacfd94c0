// Rules that every route in the table must follow.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { errorTable } from '../../api/http/errors'
import { compileSchema } from '../../api/http/requests/validate'
import type { Route } from '../../api/http/route'
import { errorsOf, errorsWithoutPages, repliesOf } from '../../api/http/route'
import { routes } from '../../api/routes'
import { readActions } from '../../db/controls/activity'
import { newApiKeySecret } from '../../db/partners/api-key-secret'
import type { PartnerRow } from '../../db/partners/partners'
import { type Answer, type Api, type CallOptions, startApi } from '../support/api/client'
import { aKey, anInvoice, aPartner, aPayoutRow, aSession, changePartner, revokeKey } from '../support/api/fixtures'
import { fromOurPages } from '../support/api/people'
import { faultsOf } from '../support/api/promised'
import { keptLog } from '../support/kept-logs'
import { withoutRandom } from '../support/personal'
import { endpoints } from './route-calls'

let api: Api
let lines = ''

beforeAll(async () => {
  const write = (line: string) => {
    lines += line
  }
  api = await startApi({ answerTimeoutMs: 100, log: keptLog({ level: 'debug', write }) })
})
afterAll(() => api.close())

/**
 * These routes need a worker or a bank, and there is none. The existing payout is completed, so it cannot be
 * cancelled.
 */
const withoutOthers: Readonly<Record<string, number>> = {
  createSandboxTopUp: 502,
  simulatePayout: 409,
  cancelPayout: 409,
}
const writes = ['createPayout', 'createSandboxTopUp', 'simulatePayout', 'createCase']

const nameOf = (route: Route) => `${route.method} ${route.path}`
const withKey = routes.filter((route) => route.access.by === 'key')
const named = (some: readonly Route[]) => some.map((route) => [nameOf(route), route] as const)

/** One path may match several routes: `check` could also be the ID of a payout. */
function patternOf({ path }: Route): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`)
}

function call(route: Route, options: CallOptions, id = '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56'): Promise<Answer> {
  const path = route.path.replace(':id', id).replace(':slug', 'nobody')
  if (route.method === 'GET') return api.get(path, options)
  const headers = { 'Idempotency-Key': `order-${randomUUID()}`, ...options.headers }
  return api.post(path, route.body?.example, { ...options, headers })
}

/** Creates an object that the route can show, and returns its ID. */
async function idFor({ path }: Route, partner: PartnerRow): Promise<string> {
  const row = path.startsWith('/v1/invoices')
    ? await anInvoice(api, partner, { period: '2026-10-01' })
    : await aPayoutRow(api, partner)
  return row.id
}

/** Invoices exist in live mode only. */
const environmentOf = ({ path }: Route) => (path.startsWith('/v1/invoices') ? 'live' : 'sandbox')

test('the table contains every endpoint of the specification, and the documented additions', () => {
  expect(routes.map(nameOf)).toEqual(endpoints)
  expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length)
})

test.each(routes.map((route) => [nameOf(route), route] as const))(
  'the schemas of %s can be compiled, which the API does for the first request',
  (_name, { params, query, body }) => {
    const schemas = [params, query, body?.schema, body?.repeats].flatMap((schema) => schema ?? [])

    expect(() => schemas.map(compileSchema)).not.toThrow()
  },
)

test('only the public endpoints and sign-in are open to anyone', () => {
  expect(routes.filter((route) => route.access.by === 'anyone').map(({ path }) => path)).toEqual([
    '/v1/auth/codes',
    '/v1/auth/sessions',
    '/v1/auth/signups',
    '/v1',
    '/',
    '/v1/public/partners/:slug',
    '/v1/public/partners/:slug/logo',
    '/v1/public/invitations/:id',
  ])
})

test('a balance can be refused only with 401, 403, 422 or 502, apart from general errors, and a quote never with 403', () => {
  const codes = (path: string) => errorsWithoutPages(routes.find((route) => route.path === path) ?? routes[0]!)

  expect(codes('/v1/balance').toSorted()).toEqual([
    'internal_error',
    'invalid_request',
    'partner_not_active',
    'provider_unavailable',
    'rate_limited',
    'service_unavailable',
    'unauthorized',
  ])
  expect(codes('/v1/quotes')).not.toContain('partner_not_active')
})

test('payout creation can be refused only with 400, 401, 402, 403, 422 or 502, apart from general errors', () => {
  const createPayout = routes.find(({ operationId }) => operationId === 'createPayout') ?? routes[0]!
  const statuses = new Set(errorsWithoutPages(createPayout).map((code) => errorTable[code].status))

  expect([...statuses].toSorted((a, b) => a - b)).toEqual([400, 401, 402, 403, 413, 415, 422, 429, 500, 502, 503])
})

test('the partner’s routes refuse a request from another partner’s page, but the session’s routes accept it', () => {
  const ofPartner = routes.filter(({ access, path }) => access.by !== 'anyone' && !path.startsWith('/v1/auth/'))
  const others = routes.filter((route) => !ofPartner.includes(route))

  for (const route of ofPartner) expect(errorsOf(route)).toContain('invalid_state')
  for (const route of others) expect(errorsOf(route)).toEqual(errorsWithoutPages(route))
})

describe.each(named(routes))('%s', (_name, route) => {
  test('has examples that match its schemas', () => {
    const shapes = [...repliesOf(route).filter(({ type }) => type === undefined), ...(route.body ? [route.body] : [])]

    expect(shapes.map(({ schema, example }) => faultsOf(schema, example))).toEqual(shapes.map(() => null))
  })

  test('answers an unsupported method with 405 and an Allow header', async () => {
    const path = route.path.replace(':id', 'x').replace(':slug', 'x')
    const { status, headers } = await fetch(api.url + path, { method: 'PUT' })

    const fixed = routes.filter((other) => other.path === path)
    const taken = fixed.length > 0 ? fixed : routes.filter((other) => patternOf(other).test(path))
    const methods = new Set(taken.map(({ method }) => method))
    const allowed = [...methods].flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method]))
    expect([status, headers.get('Allow')?.split(', ').toSorted()]).toEqual([405, allowed.toSorted()])
  })
})

describe('query parameters', () => {
  let partner: PartnerRow

  beforeAll(async () => {
    partner = await aPartner(api)
  })

  /** Calls the route with the required rights, and with an existing object if the path names a payout. */
  async function ask(route: Route, query: string, as: 'key' | 'person'): Promise<Answer> {
    const id = route.path.startsWith('/v1/payouts/:id') ? await idFor(route, partner) : randomUUID()
    const path = route.path.replace(':id', id).replace(':slug', partner.slug)
    const who = as === 'key' ? { key: await aSharedKey() } : { session: await aSession(api, partner) }
    const credentials = route.access.by === 'anyone' ? {} : who
    const headers = { 'Idempotency-Key': `order-${randomUUID()}`, ...(as === 'key' ? {} : fromOurPages.headers) }
    return api.send(route.method, `${path}${query}`, route.body?.example, { ...credentials, headers })
  }

  let shared: string | undefined
  const aSharedKey = async () => (shared ??= await aKey(api, partner, 'sandbox'))
  const callerOf = ({ access }: Route) => (access.by === 'key' ? 'key' : 'person')

  test.each(named(routes))('an unknown parameter is 422 at %s', async (_name, route) => {
    const { status, body } = await ask(route, '?surprise=1&environment=sandbox', callerOf(route))

    expect([status, body.error?.code, body.error?.details]).toEqual([
      422,
      'invalid_request',
      { errors: ['surprise (unknown field)'] },
    ])
  })

  test.each(named(routes))('environment is accepted at %s', async (_name, route) => {
    const { body } = await ask(route, '?environment=sandbox', callerOf(route))

    expect(body.error?.code).not.toBe('invalid_request')
  })

  test.each(named(withKey))('environment is ignored for a key at %s', async (_name, route) => {
    const { body } = await ask(route, '?environment=nonsense&environment=live', 'key')

    expect(body.error?.code).not.toBe('invalid_request')
    expect(body['environment'] ?? 'sandbox').toBe('sandbox')
  })
})

describe('the headers of a response', () => {
  test('include a Bearer challenge for 401, which names an error only if a key was sent', async () => {
    const challenge = async (options: CallOptions) =>
      (await api.get('/v1/account', options)).headers.get('WWW-Authenticate')

    expect(await challenge({})).toBe('Bearer realm="payouts"')
    expect(await challenge({ headers: { Authorization: 'Basic eDp5' } })).toBe('Bearer realm="payouts"')
    expect(await challenge({ session: 'A'.repeat(43) })).toBe('Bearer realm="payouts"')
    expect(await challenge({ key: newApiKeySecret('sandbox') })).toBe('Bearer realm="payouts", error="invalid_token"')
  })

  test('include a Location for 201, which the same caller can read', async () => {
    const partner = await aPartner(api)
    const [key, session] = [await aKey(api, partner, 'sandbox'), await aSession(api, partner)]
    const payout = await aPayoutRow(api, partner)
    const live = await aPayoutRow(api, partner, { environment: 'live' })
    const example = (operationId: string) => routes.find((route) => route.operationId === operationId)?.body?.example
    const headers = { 'Idempotency-Key': `order-${randomUUID()}` }

    const made = [
      [{ key }, await api.post('/v1/payouts', example('createPayout'), { key, headers })],
      [{ key }, await api.post(`/v1/payouts/${payout.id}/cases`, example('createCase'), { key })],
      [
        { session },
        await api.post(`/v1/payouts/${live.id}/cases?environment=live`, example('createCase'), { session }),
      ],
      [{ session }, await api.post('/v1/keys', example('createKey'), { session })],
      [{ session }, await api.post('/v1/members', example('inviteMember'), { session })],
    ] as const
    const locations = made.map(([, { headers: answered }]) => answered.get('Location') ?? '')
    const read = await Promise.all(made.map(([as], at) => api.get(locations[at] ?? '', as)))

    expect(made.map(([, { status }]) => status)).toEqual([201, 201, 201, 201, 201])
    expect(locations).toEqual([
      `/v1/payouts/${String(made[0][1].body['id'])}`,
      `/v1/payouts/${payout.id}/cases`,
      `/v1/payouts/${live.id}/cases?environment=live`,
      '/v1/keys',
      '/v1/members',
    ])
    expect(read.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})

describe.each(named(withKey))('%s', (_name, route) => {
  test('is 401 unauthorized without a key, with a malformed key and with an unknown key', async () => {
    const unknown = newApiKeySecret('sandbox')
    const mistyped = `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`
    const headers = [
      {},
      { Authorization: '' },
      { Authorization: 'Bearer' },
      { Authorization: `Basic ${unknown}` },
      { Authorization: unknown },
      { Authorization: `Bearer ${unknown} ${unknown}` },
      { Authorization: 'Bearer kp_sandbox_' },
      { Authorization: `Bearer ${mistyped}` },
      { Authorization: `Bearer ${unknown.toUpperCase()}` },
      { Authorization: `Bearer ${'x'.repeat(8000)}` },
      { Authorization: `Bearer ${unknown}` },
      { Cookie: `__Host-session=${'A'.repeat(43)}` },
      { Cookie: '__Host-session=' },
    ]

    const answers = await Promise.all(headers.map((each) => call(route, { headers: each })))

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.error?.code}`))).toEqual(
      new Set(['401 unauthorized']),
    )
  })

  test('is 401 with a revoked key', async () => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, environmentOf(route))
    const id = await idFor(route, partner)
    const before = await call(route, { key }, id)

    await revokeKey(api, partner, key)
    const after = await call(route, { key }, id)

    expect(before.status).toBe(withoutOthers[route.operationId] ?? route.reply.status)
    expect([after.status, after.body.error?.code]).toEqual([401, 'unauthorized'])
  })

  test('refuses a suspended partner only if it shows the balance or makes a write other than a cancel', async () => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, environmentOf(route))
    const id = await idFor(route, partner)
    await changePartner(api, partner, { status: 'suspended' })

    const { status } = await call(route, { key }, id)

    const refused = route.path === '/v1/balance' || writes.includes(route.operationId)
    // A cancel sends no money, so a suspended partner can call it. This payout is already completed.
    const allowed = route.operationId === 'cancelPayout' ? 409 : 200
    expect(status).toBe(refused ? 403 : allowed)
  })
})

test('logs contain neither keys nor request data', async () => {
  const unknown = newApiKeySecret('live')
  const key = await aKey(api, await aPartner(api), 'sandbox')
  await api.get('/v1/payouts?reference=canary-reference', { key })
  await api.get('/v1/account', { key: unknown })
  await api.get('/v1/account', { headers: { Authorization: 'Bearer canary-token' } })
  await api.post('/v1/quotes', { amount_gbp: '1.00', canary: 'canary-body' }, { key })
  await api.post('/v1/auth/codes', { email: 'canary@people.test' }, fromOurPages)
  await api.post('/v1/auth/sessions', { email: 'canary@people.test', code: '918273' }, fromOurPages)
  const session = await aSession(api, await aPartner(api))
  await api.get('/v1/members', { session })
  const partner = await aPartner(api)
  const { id } = await aPayoutRow(api, partner)
  const admin = await aSession(api, partner)
  const headers = { 'Idempotency-Key': `note-${randomUUID()}` }
  const note = await api.post(`/v1/payouts/${id}/notes`, { text: 'canary-note' }, { session: admin, headers })
  expect(note.status).toBe(201)

  expect(lines).toContain('/v1/quotes')
  expect(lines).not.toMatch(/kp_(sandbox|live)_[a-f0-9]{9}/)
  expect(withoutRandom(lines)).not.toMatch(/canary|people\.test|918273/)
  expect(lines).not.toContain(session)
})

test('calls to GET routes, quotes and checks count as reads, which have the shorter retention period', () => {
  const actionsOf = (some: readonly Route[]) =>
    some.flatMap(({ access }) => (access.by === 'anyone' ? [] : access.action))
  const reads = actionsOf(routes.filter(({ method }) => method === 'GET'))
  const others = actionsOf(routes.filter(({ method }) => method !== 'GET'))

  expect(new Set(readActions)).toEqual(new Set([...reads, 'quote.create', 'payout.check']))
  expect(others.filter((action) => readActions.includes(action)).toSorted()).toEqual(['payout.check', 'quote.create'])
})
