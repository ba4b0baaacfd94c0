// A request to any route of the table, for tests that try all of them.
import type { Route } from '../../api/http/route'
import { listApiKeys } from '../../db/partners/api-keys'
import type { PartnerRow } from '../../db/partners/partners'
import { aKey, anInvoice, aPayoutRow, type Stage } from '../support/api/fixtures'
import { aMember, anEmail } from '../support/api/people'

/** For an existing object of the partner that can be read or changed. */
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
  // A partner has one invoice for each month and few keys, so all callers share them.
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
