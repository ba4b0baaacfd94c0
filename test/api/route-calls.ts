// All endpoints, and a valid request for each of them, for tests that cover every route.
import type { Route } from '../../api/http/route'
import { listApiKeys } from '../../db/partners/api-keys'
import type { PartnerRow } from '../../db/partners/partners'
import { aKey, anInvoice, aPayoutRow, type Stage } from '../support/api/fixtures'
import { aMember, anEmail } from '../support/api/people'

/** Every endpoint of the specification, and the documented additions, in the order of the route table. */
export const endpoints: readonly string[] = [
  'POST /v1/payouts',
  'GET /v1/payouts',
  'GET /v1/payouts/totals',
  'GET /v1/payouts/:id',
  'POST /v1/payouts/:id/cancel',
  'GET /v1/payouts/:id/details',
  'GET /v1/payouts/:id/events',
  'POST /v1/payouts/:id/notes',
  'GET /v1/payouts/:id/notes',
  'POST /v1/quotes',
  'POST /v1/payouts/check',
  'GET /v1/recipients',
  'GET /v1/payouts.csv',
  'POST /v1/payouts/:id/cases',
  'GET /v1/payouts/:id/cases',
  'GET /v1/balance',
  'GET /v1/wallet/entries',
  'GET /v1/wallet/balances',
  'GET /v1/wallet/entries.csv',
  'POST /v1/sandbox/top-ups',
  'POST /v1/sandbox/payouts/:id/simulate',
  'POST /v1/live/simulated-top-ups',
  'GET /v1/account',
  'PATCH /v1/account',
  'GET /v1/compliance',
  'POST /v1/compliance/verification',
  'POST /v1/keys',
  'GET /v1/keys',
  'POST /v1/keys/:id/revoke',
  'GET /v1/usage',
  'GET /v1/usage/history',
  'GET /v1/invoices',
  'GET /v1/invoices/:id.pdf',
  'GET /v1/invoices/:id.csv',
  'GET /v1/invoices/:id',
  'GET /v1/invoices/:id/charges',
  'GET /v1/invoices/:id/charges.csv',
  'GET /v1/activity',
  'GET /v1/activity.csv',
  'GET /v1/overview',
  'POST /v1/members',
  'GET /v1/members',
  'PATCH /v1/members/:id',
  'DELETE /v1/members/:id',
  'POST /v1/members/:id/invitation',
  'POST /v1/auth/codes',
  'POST /v1/auth/sessions',
  'GET /v1/auth/session',
  'POST /v1/auth/session/partner',
  'DELETE /v1/auth/session',
  'DELETE /v1/auth/sessions',
  'GET /v1/auth/sessions',
  'DELETE /v1/auth/sessions/others',
  'DELETE /v1/auth/sessions/:id',
  'POST /v1/auth/signups',
  'DELETE /v1/auth/invitations/:slug',
  'POST /v1/payouts/confirm-codes',
  'POST /v1/keys/confirm-codes',
  'POST /v1/members/confirm-codes',
  'POST /v1/members/:id/confirm-codes',
  'POST /v1/account/confirm-codes',
  'GET /v1',
  'GET /',
  'GET /v1/public/partners/:slug',
  'GET /v1/public/partners/:slug/logo',
  'GET /v1/public/invitations/:id',
]

/** A valid request. An ID in its path belongs to an existing object of the partner. */
export async function aCallOf(
  route: Route,
  partner: PartnerRow,
  stage: Stage,
): Promise<{ readonly path: string; readonly body: unknown }> {
  return { path: await pathOf(route, partner, stage), body: bodyOf(route, partner) }
}

async function pathOf({ path }: Route, partner: PartnerRow, stage: Stage): Promise<string> {
  const filled = path.replace(':slug', partner.slug)
  return filled.includes(':id') ? filled.replace(':id', await idFor(path, partner, stage)) : filled
}

async function idFor(path: string, partner: PartnerRow, stage: Stage): Promise<string> {
  if (path.startsWith('/v1/members')) return (await aMember(stage, partner)).id
  if (/^\/v1\/(sandbox\/)?payouts/.test(path)) return (await aPayoutRow(stage, partner)).id
  // A partner can have one invoice per month and only a few keys, so all callers share them.
  const make = path.startsWith('/v1/keys') ? aKeyId : anInvoiceId
  const known = made.get(path + partner.id) ?? (await make(partner, stage))
  made.set(path + partner.id, known)
  return known
}

const made = new Map<string, string>()

async function anInvoiceId(partner: PartnerRow, stage: Stage): Promise<string> {
  return (await anInvoice(stage, partner, { period: '2026-10-01' })).id
}

async function aKeyId(partner: PartnerRow, stage: Stage): Promise<string> {
  const secret = await aKey(stage, partner, 'sandbox')
  const key = (await listApiKeys(stage.db, partner.id)).find(({ keyPrefix }) => secret.startsWith(keyPrefix))
  return key?.id ?? ''
}

function bodyOf({ body, operationId }: Route, partner: PartnerRow): unknown {
  if (operationId === 'switchPartner') return { slug: partner.slug }
  if (operationId === 'inviteMember') return { email: anEmail(), role: 'viewer' }
  if (operationId === 'requestCode') return { email: anEmail() }
  if (operationId === 'signUp') return { business_name: 'Acme Ltd', email: anEmail() }
  return body?.example
}
