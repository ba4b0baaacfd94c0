// A partner's people, who sign in to the dashboard by email.

import { assert } from '../../domain/assert'
import type { MemberRole, PartnerStatus } from '../../domain/partners/partner'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { session } from '../sign-in/session-entity'
import { type MemberRow, member } from './entities/member'

export type { MemberRow } from './entities/member'

import { sql } from '../sql'

export interface NewMember {
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly role: MemberRole
  readonly at: Date
}

export async function insertMember(tx: Tx, added: NewMember): Promise<MemberRow | 'already_member'> {
  const { partnerId, email, name, role, at } = added
  const [row] =
    await tx.sql<MemberRow>`INSERT INTO members (id, partner_id, email, name, role, created_at) VALUES (${newId(at)}, ${partnerId}, ${email.toLowerCase()}, ${name}, ${role}, ${at})
    ON CONFLICT (partner_id, email) DO NOTHING
    RETURNING ${columns}`
  return row ?? 'already_member'
}

/** Oldest first. */
export async function listMembers(db: Queryable, partnerId: string): Promise<MemberRow[]> {
  return db.repo(member).find({ where: { partnerId }, order: { createdAt: 'ASC', id: 'ASC' } })
}

/** Whether anybody has this email and may sign in with it, at whichever partner. */
export async function isMember(db: Queryable, email: string, at: Date): Promise<boolean> {
  const found = await db.sql`SELECT FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = ${email.toLowerCase()} AND ${maySignIn(at)} LIMIT 1`
  return found.length > 0
}

export interface Membership {
  readonly memberId: string
  readonly partnerId: string
  readonly slug: string
  readonly partnerName: string
  /** Null while it is only an invitation. */
  readonly lastLoginAt: Date | null
}

/** The partners that one person may sign in to, the one they were at last first. */
export async function membershipsOf(db: Queryable, email: string, at: Date): Promise<Membership[]> {
  return db.sql<Membership>`SELECT m.id AS member_id, p.id AS partner_id, p.slug, p.name AS partner_name, m.last_login_at
    FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = ${email.toLowerCase()} AND ${maySignIn(at)} ORDER BY m.last_login_at DESC NULLS LAST, m.created_at, m.id`
}

/** Of a member `m` of the partner `p`: a closed one is open to its admins only, and only for a while. */
export const maySignIn = (at: Date) => sql`(p.status <> 'closed' OR (m.role = 'admin' AND p.readable_until > ${at}))`

/** Those whose first member they are, and still a member; two openings at once count one after the other. */
export async function countPartnersOpenedBy(tx: Tx, email: string): Promise<number> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('opener/' || ${email.toLowerCase()}, 0))`
  const [row] = await tx.sql<{
    count: bigint
  }>`SELECT count(*) AS count FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = ${email.toLowerCase()} AND m.created_at = p.created_at`
  return Number(row?.count ?? 0)
}

export async function findMember(db: Queryable, id: string): Promise<MemberRow | null> {
  return db.repo(member).findOneBy({ id })
}

export type ChangedMember =
  | { readonly outcome: 'changed'; readonly member: MemberRow; readonly roleBefore: MemberRole }
  | { readonly outcome: 'not_found' | 'last_admin' | 'partner_not_active' }

/** Also for a suspended partner, unless it gives a member more power than before. */
export async function changeRole(
  tx: Tx,
  { partnerId, id, role }: { partnerId: string; id: string; role: MemberRole },
): Promise<ChangedMember> {
  const known = await lockToChange(tx, partnerId, id)
  if (known === null) return { outcome: 'not_found' }
  if (known.isLastAdmin && role !== 'admin') return { outcome: 'last_admin' }
  const isPromotion = role === 'admin' && known.role !== 'admin'
  if (isPromotion && known.partnerStatus !== 'active') return { outcome: 'partner_not_active' }
  const [member] = await tx.sql<MemberRow>`UPDATE members SET role = ${role} WHERE id = ${id} RETURNING ${columns}`
  return member === undefined ? { outcome: 'not_found' } : { outcome: 'changed', member, roleBefore: known.role }
}

/** Their sessions end with them. */
export async function removeMember(
  tx: Tx,
  { partnerId, id }: { partnerId: string; id: string },
): Promise<ChangedMember> {
  const known = await lockToChange(tx, partnerId, id)
  if (known === null) return { outcome: 'not_found' }
  if (known.isLastAdmin) return { outcome: 'last_admin' }
  // A concurrent sign-in of this member waits for this lock and then finds no member.
  await tx.sql`SELECT id FROM members WHERE id = ${id} FOR UPDATE`
  await tx.repo(session).delete({ memberId: id })
  const [member] = await tx.sql<MemberRow>`DELETE FROM members WHERE id = ${id} RETURNING ${columns}`
  return member === undefined ? { outcome: 'not_found' } : { outcome: 'changed', member, roleBefore: known.role }
}

/** Null where it is none any more: they have signed in there, or were removed. */
export async function declineInvitation(
  tx: Tx,
  { partnerId, memberId }: Pick<Membership, 'partnerId' | 'memberId'>,
): Promise<MemberRow | null> {
  await lockPartner(tx, partnerId)
  const [member] =
    await tx.sql<MemberRow>`DELETE FROM members WHERE id = ${memberId} AND last_login_at IS NULL RETURNING ${columns}`
  return member ?? null
}

/** Two removals at once would each see the other admin; the partner's row lets them in one after the other. */
async function lockToChange(
  tx: Tx,
  partnerId: string,
  id: string,
): Promise<{ readonly role: MemberRole; readonly isLastAdmin: boolean; readonly partnerStatus: PartnerStatus } | null> {
  const partnerStatus = await lockPartner(tx, partnerId)
  const all = await listMembers(tx, partnerId)
  const member = all.find((each) => each.id === id.toLowerCase())
  if (member === undefined) return null
  const admins = all.filter(isUsableAdmin)
  const isLastAdmin = isUsableAdmin(member) && admins.length === 1
  return { role: member.role, isLastAdmin, partnerStatus }
}

async function lockPartner(tx: Tx, id: string): Promise<PartnerStatus> {
  const [partner] = await tx.sql<{
    status: PartnerStatus
  }>`SELECT status FROM partners WHERE id = ${id} FOR NO KEY UPDATE`
  assert(partner !== undefined, 'a member belongs to a partner that exists')
  return partner.status
}

/** Who was invited and never signed in may never do so: the account must not be left to them, and they may always decline. */
function isUsableAdmin({ role, lastLoginAt }: MemberRow): boolean {
  return role === 'admin' && lastLoginAt !== null
}

const columns = sql`id, partner_id, email, name, role,
  last_login_at, created_at`
