// Calls every route as every kind of caller. The first test fails if a route is missing from the table below.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { type Route, roleFor } from '../../api/http/route'
import { routes } from '../../api/routes'
import type { PartnerRow } from '../../db/partners/partners'
import { type CallOptions, useApi } from '../support/api/client'
import { aKey, aPartner, aSession, revokeKey } from '../support/api/fixtures'
import { fromOurPages } from '../support/api/people'
import { aCallOf } from './route-calls'

const callers = [
  'unauthenticated',
  'a revoked key',
  'a sandbox key',
  'a live key',
  'a stranger’s key',
  'a viewer',
  'an admin',
  'a stranger’s admin',
] as const
type CallerKind = (typeof callers)[number]

const open = (status: number) => Array.from({ length: callers.length }, () => status)
/** Reads the caller's own partner, which every caller with a valid credential may do. */
const read = [401, 401, 200, 200, 200, 200, 200, 200]
/** Reads a single sandbox object. */
const readOne = [401, 401, 200, 404, 404, 200, 200, 404]
/** Reads an invoice, which a sandbox key cannot see. */
const readInvoice = [401, 401, 404, 200, 404, 200, 200, 404]
// Routes that only signed-in people may call.
/** Admins of any partner may call it. */
const forAdmins = (status: number) => [401, 401, 403, 403, 403, 403, status, status]
/** Only admins of the partner that owns the object may call it. */
const forAdminsOfIt = (status: number) => [401, 401, 403, 403, 403, 403, status, 404]
/** Admins and viewers of any partner may call it. */
const forMembers = (status: number) => [401, 401, 403, 403, 403, status, status, status]

/** Statuses in the order of `callers`. */
const expected: Readonly<Record<string, readonly number[]>> = {
  'GET /': open(200),
  'GET /v1': open(200),
  'GET /v1/public/partners/:slug': open(200),
  // No logo is stored.
  'GET /v1/public/partners/:slug/logo': open(404),
  // No member has this ID.
  'GET /v1/public/invitations/:id': open(404),
  'POST /v1/auth/codes': open(202),
  'POST /v1/auth/signups': open(202),
  'POST /v1/auth/sessions': open(401),

  'GET /v1/account': read,
  'GET /v1/balance': [401, 401, 200, 502, 200, 200, 200, 200],
  'GET /v1/wallet/entries': read,
  'GET /v1/wallet/balances': read,
  'GET /v1/wallet/entries.csv': read,
  'GET /v1/compliance': read,
  // Both partners are approved.
  'POST /v1/compliance/verification': forAdmins(409),
  'GET /v1/activity': read,
  'GET /v1/activity.csv': read,
  'GET /v1/recipients': read,
  'POST /v1/quotes': [401, 401, 200, 502, 200, 200, 200, 200],
  'GET /v1/payouts': read,
  'GET /v1/payouts.csv': read,
  'GET /v1/payouts/totals': read,
  'GET /v1/payouts/:id': readOne,
  'GET /v1/payouts/:id/details': readOne,
  'GET /v1/payouts/:id/events': readOne,
  'POST /v1/payouts/:id/notes': forAdminsOfIt(201),
  'GET /v1/payouts/:id/notes': [401, 401, 403, 403, 403, 200, 200, 404],
  // The payout is already completed, so callers with the required right get 409.
  'POST /v1/payouts/:id/cancel': [401, 401, 409, 404, 404, 403, 409, 404],
  'GET /v1/payouts/:id/cases': readOne,
  'POST /v1/payouts/check': [401, 401, 200, 200, 200, 403, 200, 200],
  'GET /v1/usage': read,
  'GET /v1/usage/history': read,
  'GET /v1/invoices': read,
  'GET /v1/invoices/:id.pdf': readInvoice,
  'GET /v1/invoices/:id.csv': readInvoice,
  'GET /v1/invoices/:id': readInvoice,
  'GET /v1/invoices/:id/charges': readInvoice,
  'GET /v1/invoices/:id/charges.csv': readInvoice,
  'GET /v1/keys': read,

  'POST /v1/payouts': [401, 401, 201, 502, 201, 403, 201, 201],
  'POST /v1/payouts/:id/cases': [401, 401, 201, 404, 404, 403, 201, 404],
  // The sandbox needs no confirm code. This API has no bank, so simulations and top-ups fail.
  'POST /v1/payouts/confirm-codes': forAdmins(409),
  'POST /v1/sandbox/payouts/:id/simulate': [401, 401, 409, 403, 404, 403, 409, 404],
  'POST /v1/live/simulated-top-ups': forAdmins(409),
  'POST /v1/sandbox/top-ups': [401, 401, 502, 403, 502, 403, 502, 502],

  'GET /v1/auth/session': forMembers(200),
  'POST /v1/auth/session/partner': [401, 401, 403, 403, 403, 200, 200, 404],
  'DELETE /v1/auth/session': forMembers(200),
  'DELETE /v1/auth/sessions': forMembers(200),
  'GET /v1/auth/sessions': forMembers(200),
  'DELETE /v1/auth/sessions/others': forMembers(200),
  // The ID is not one of the caller's sessions.
  'DELETE /v1/auth/sessions/:id': forMembers(404),
  // Every signed-in caller is already a member, so there is no invitation to decline.
  'DELETE /v1/auth/invitations/:slug': forMembers(404),
  'GET /v1/overview': forMembers(200),
  'GET /v1/members': forMembers(200),
  'POST /v1/members': forAdmins(201),
  'PATCH /v1/members/:id': forAdminsOfIt(200),
  'DELETE /v1/members/:id': forAdminsOfIt(200),
  'POST /v1/members/:id/invitation': forAdminsOfIt(202),
  'POST /v1/keys': forAdmins(201),
  'POST /v1/keys/:id/revoke': forAdminsOfIt(200),
  'PATCH /v1/account': forAdmins(200),
  'POST /v1/keys/confirm-codes': forAdmins(202),
  'POST /v1/members/confirm-codes': forAdmins(202),
  'POST /v1/members/:id/confirm-codes': forAdminsOfIt(202),
  'POST /v1/account/confirm-codes': forAdmins(202),
}

const api = useApi({ answerTimeoutMs: 100 })

/** Declining an invitation and signing out only withdraw rights. */
const withdrawals = [
  'DELETE /v1/auth/invitations/:slug',
  'DELETE /v1/auth/session',
  'DELETE /v1/auth/sessions',
  'DELETE /v1/auth/sessions/:id',
  'DELETE /v1/auth/sessions/others',
]

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('the table covers every route and nothing else', () => {
  expect(Object.keys(expected).toSorted()).toEqual(routes.map(nameOf).toSorted())
})

test('a viewer can only read, get quotes, decline an invitation, switch partners and sign out', () => {
  const allowed = routes.filter(
    (route) => route.access.by !== 'anyone' && route.method !== 'GET' && roleFor(route) === 'viewer',
  )

  expect(allowed.map(nameOf).toSorted()).toEqual([...withdrawals, 'POST /v1/auth/session/partner', 'POST /v1/quotes'])
})

test('a suspended partner can only make writes that neither move money nor grant rights', () => {
  const allowed = routes.filter(
    ({ access, method }) => access.by !== 'anyone' && method !== 'GET' && access.partner === 'any',
  )

  expect(allowed.map(nameOf).toSorted()).toEqual([
    ...withdrawals,
    'DELETE /v1/members/:id',
    // Making the member an admin is refused.
    'PATCH /v1/members/:id',
    'POST /v1/auth/session/partner',
    'POST /v1/keys/:id/revoke',
    'POST /v1/payouts/:id/cancel',
    // These change nothing.
    'POST /v1/payouts/check',
    'POST /v1/quotes',
  ])
})

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  test('answers each kind of caller with the expected status', async () => {
    const [partner, stranger] = [await aPartner(api), await aPartner(api)]
    const statuses: number[] = []
    const bodies: string[] = []
    for (const kind of callers) {
      const call = { ...(await credentialsOf(kind, partner, stranger)), ...unsafe(route, kind) }
      const { path, body } = await aCallOf(route, partner, api)
      const answer = await api.send(route.method, path, body, call)
      statuses.push(answer.status)
      if (kind.startsWith('a stranger')) bodies.push(answer.bytes.toString('utf8'))
    }

    expect(Object.fromEntries(callers.map((kind, at) => [kind, statuses[at]]))).toEqual(
      Object.fromEntries(callers.map((kind, at) => [kind, expected[name]?.[at]])),
    )
    expect(bodies.filter((body) => route.access.by !== 'anyone' && body.includes(partner.id))).toEqual([])
  })
})

async function credentialsOf(kind: CallerKind, partner: PartnerRow, stranger: PartnerRow): Promise<CallOptions> {
  if (kind === 'unauthenticated') return {}
  if (kind === 'a viewer') return { session: await aSession(api, partner, 'viewer') }
  if (kind === 'an admin') return { session: await aSession(api, partner) }
  if (kind === 'a stranger’s admin') return { session: await aSession(api, stranger) }
  const key = await aKey(
    api,
    kind === 'a stranger’s key' ? stranger : partner,
    kind === 'a live key' ? 'live' : 'sandbox',
  )
  if (kind === 'a revoked key') await revokeKey(api, partner, key)
  return { key }
}

/** The headers that a write needs besides its credential: an Idempotency-Key, and for members an Origin. */
function unsafe({ method, access }: Route, kind: CallerKind): Pick<CallOptions, 'headers'> {
  if (method === 'GET') return {}
  const origin = kind.includes('key') && access.by !== 'anyone' ? {} : fromOurPages.headers
  return { headers: { 'Idempotency-Key': `order-${randomUUID()}`, ...origin } }
}
