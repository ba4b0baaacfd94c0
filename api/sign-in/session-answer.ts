// The session as the API returns it: person, partner and expiry.
import { type Static, Type } from 'typebox'
import { findMember, type MemberRow, membershipsOf } from '../../db/partners/members'
import { findPartnerById, type PartnerRow } from '../../db/partners/partners'
import type { PersonCaller } from '../../db/sign-in/callers'
import { sessionExpiry } from '../../db/sign-in/sessions'
import { memberRoles, partnerStatuses } from '../../domain/partners/partner'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { Answer, Component, Constant, DateTime, Email, Nullable, OneOf, Uri, Uuid } from '../http/schema'
import { requestedName } from '../partners/account'
import { logoUrlOf } from '../partners/logo'
import { exampleMailSettings, mailSettings, presentMailSettings } from '../partners/mail-settings'

const sessionMember = {
  id: Uuid(),
  email: Email(),
  name: Nullable(Type.String()),
  role: OneOf(memberRoles),
  last_login_at: Nullable(DateTime()),
  created_at: DateTime(),
}

const sessionPartner = {
  slug: Type.String(),
  name: Type.String(),
  invited: Type.Boolean({
    description:
      'Whether this is an open invitation, which any account can send. Switching to it accepts it. DELETE /v1/auth/invitations/{slug} declines it.',
  }),
}

export const Session = Component('Session', {
  object: Constant('session'),
  member: Answer(sessionMember),
  partner: Answer({
    id: Uuid(),
    slug: Type.String(),
    name: Type.String(),
    requested_name: requestedName,
    logo_url: Nullable(Uri()),
    brand_color: Nullable(Type.String()),
    status: OneOf(partnerStatuses),
    billing_email: Nullable(Email()),
    contact_email: Nullable(Email()),
    billing_address: Nullable(Type.String({ description: 'The address as printed on invoices, line by line.' })),
    ...mailSettings,
  }),
  partners: Type.Array(Answer(sessionPartner), {
    description:
      'All accounts that this email address is a member of or invited to. POST /v1/auth/session/partner switches between them.',
  }),
  live: Type.Boolean({ description: 'Whether business verification is approved.' }),
  expires_at: DateTime(),
  temporal_ui_url: Nullable(
    Uri({
      description:
        'The Temporal Web UI, for admins of a verified business. Null unless the link is enabled for this installation.',
    }),
  ),
})

export const exampleSession: Static<typeof Session> = {
  object: 'session',
  member: {
    id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a59',
    email: 'ada@acme.example.com',
    name: 'Ada Lovelace',
    role: 'admin',
    last_login_at: '2026-11-16T09:00:00.000Z',
    created_at: '2026-10-01T09:00:00.000Z',
  },
  partner: {
    id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55',
    slug: 'acme',
    name: 'Acme Ltd',
    requested_name: null,
    logo_url: null,
    brand_color: '#0f766e',
    status: 'active',
    billing_email: 'billing@acme.example.com',
    contact_email: 'ada@acme.example.com',
    billing_address: null,
    ...exampleMailSettings,
  },
  partners: [{ slug: 'acme', name: 'Acme Ltd', invited: false }],
  live: true,
  expires_at: '2026-11-23T09:00:00.000Z',
  temporal_ui_url: null,
}

type Signed = Pick<PersonCaller, 'sessionId' | 'memberId' | 'email'> & { readonly partnerId: string }

export async function describeSession(
  { sessionId, memberId, email, partnerId }: Signed,
  deps: Pick<ApiDeps, 'db' | 'config' | 'clock'>,
): Promise<Static<typeof Session>> {
  const { db, config } = deps
  const [member, partner, memberships, expiresAt] = await Promise.all([
    findMember(db, memberId),
    findPartnerById(db, partnerId),
    membershipsOf(db, email, deps.clock.now()),
    sessionExpiry(db, sessionId),
  ])
  // The member was removed or the session ended between the statements.
  if (member === null || partner === null || expiresAt === null) throw new ApiError('unauthorized')
  const live = partner.verificationStatus === 'approved'
  return {
    object: 'session',
    member: presentSessionMember(member),
    partner: presentSessionPartner(partner, await logoUrlOf(partner, deps)),
    partners: memberships.map(({ slug, partnerName, lastLoginAt }) => {
      return { slug, name: partnerName, invited: lastLoginAt === null }
    }),
    live,
    expires_at: expiresAt.toISOString(),
    // Anyone who signs up becomes an admin, so only a verified partner's admins get the address of the Temporal Web UI.
    temporal_ui_url: member.role === 'admin' && live ? config.temporalUiUrl : null,
  }
}

function presentSessionMember({ id, email, name, role, lastLoginAt, createdAt }: MemberRow) {
  const last_login_at = lastLoginAt?.toISOString() ?? null
  return { id, email, name, role, last_login_at, created_at: createdAt.toISOString() }
}

function presentSessionPartner(partner: PartnerRow, logoUrl: string | null) {
  const { id, slug, name, status } = partner
  return {
    id,
    slug,
    name,
    requested_name: partner.requestedName,
    logo_url: logoUrl,
    brand_color: partner.brandColor,
    status,
    billing_email: partner.billingEmail,
    contact_email: partner.contactEmail,
    billing_address: partner.billingAddress,
    ...presentMailSettings(partner),
  }
}
