// A partner's members, who sign in to the dashboard by email.
import { assert } from '../../domain/assert'
import type { MemberRole, PartnerStatus } from '../../domain/partners/partner'
import { columnsOf, entity, id, idOf, orNull, text, time } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { sql } from '../sql'

export interface MemberRow {
  readonly id: string
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly role: MemberRole
  readonly lastLoginAt: Date | null
  readonly createdAt: Date
}

export const member = entity<MemberRow>('Member', 'members', {
  id,
  partnerId: idOf('Partner'),
  email: text,
  name: orNull(text),
  role: text,
  lastLoginAt: orNull(time),
  createdAt: time,
})

export interface NewMember {
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly role: MemberRole
  readonly at: Date
}

export async function insertMember(tx: Tx, added: NewMember): Promise<MemberRow | 'already_member'> {
  const { partnerId, email, name, role, at } = added
  const [row] = await tx.sql<MemberRow>`INSERT INTO members (id, partner_id, email, name, role, created_at)
    VALUES (${newId(at)}, ${partnerId}, ${email.toLowerCase()}, ${name}, ${role}, ${at})
    ON CONFLICT (partner_id, email) DO NOTHING
    RETURNING ${columns}`
  return row ?? 'already_member'
}

/** Lists the members oldest first. */
export async function listMembers(db: Queryable, partnerId: string): Promise<MemberRow[]> {
  return db.repo(member).find({ where: { partnerId }, order: { createdAt: 'ASC', id: 'ASC' } })
}

/** Returns whether a member of any partner has this email address and may sign in. */
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
  /** Null while the member has only been invited. */
  readonly lastLoginAt: Date | null
}

/** Lists the partners that a person may sign in to, most recently used first. */
export async function membershipsOf(db: Queryable, email: string, at: Date): Promise<Membership[]> {
  return db.sql<Membership>`SELECT m.id AS member_id, p.id AS partner_id, p.slug, p.name AS partner_name, m.last_login_at
    FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = ${email.toLowerCase()} AND ${maySignIn(at)} ORDER BY m.last_login_at DESC NULLS LAST, m.created_at, m.id`
}

/**
 * Expects the aliases `m` for `members` and `p` for `partners`. Only admins can sign in to a closed partner, and only
 * for a limited time.
 */
export const maySignIn = (at: Date) => sql`(p.status <> 'closed' OR (m.role = 'admin' AND p.readable_until > ${at}))`

/**
 * Counts the partners whose first member has this email address and is still a member. The lock serializes concurrent
 * sign-ups.
 */
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

/** Changes a member's role. Refuses to promote a member to admin if the partner is not active. */
export async function changeRole(
  tx: Tx,
  { partnerId, id, role }: { partnerId: string; id: string; role: MemberRole },
): Promise<ChangedMember> {
  const known = await lockToChange(tx, partnerId, id)
  if (known === null) return { outcome: 'not_found' }
  if (known.isLastAdmin && role !== 'admin') return { outcome: 'last_admin' }
  const isPromotion = role === 'admin' && known.role !== 'admin'
  if (isPromotion && known.partnerStatus !== 'active') return { outcome: 'partner_not_active' }
  const [changed] = await tx.sql<MemberRow>`UPDATE members SET role = ${role} WHERE id = ${id} RETURNING ${columns}`
  return changed === undefined
    ? { outcome: 'not_found' }
    : { outcome: 'changed', member: changed, roleBefore: known.role }
}

/** Also ends the member's sessions. */
export async function removeMember(
  tx: Tx,
  { partnerId, id }: { partnerId: string; id: string },
): Promise<ChangedMember> {
  const known = await lockToChange(tx, partnerId, id)
  if (known === null) return { outcome: 'not_found' }
  if (known.isLastAdmin) return { outcome: 'last_admin' }
  // A concurrent sign-in by this member waits for this lock and then no longer finds the member.
  await tx.sql`SELECT id FROM members WHERE id = ${id} FOR UPDATE`
  await tx.sql`DELETE FROM sessions WHERE member_id = ${id}`
  const [changed] = await tx.sql<MemberRow>`DELETE FROM members WHERE id = ${id} RETURNING ${columns}`
  return changed === undefined
    ? { outcome: 'not_found' }
    : { outcome: 'changed', member: changed, roleBefore: known.role }
}

/** Returns null if there is no longer an invitation, because the member has signed in or was removed. */
export async function declineInvitation(
  tx: Tx,
  { partnerId, memberId }: Pick<Membership, 'partnerId' | 'memberId'>,
): Promise<MemberRow | null> {
  await lockPartner(tx, partnerId)
  const [declined] = await tx.sql<MemberRow>`DELETE FROM members
    WHERE id = ${memberId} AND last_login_at IS NULL RETURNING ${columns}`
  return declined ?? null
}

/**
 * The lock on the partner's row serializes changes. Without it, two concurrent requests could remove the last two
 * admins.
 */
async function lockToChange(
  tx: Tx,
  partnerId: string,
  memberId: string,
): Promise<{ readonly role: MemberRole; readonly isLastAdmin: boolean; readonly partnerStatus: PartnerStatus } | null> {
  const partnerStatus = await lockPartner(tx, partnerId)
  const all = await listMembers(tx, partnerId)
  const known = all.find((each) => each.id === memberId.toLowerCase())
  if (known === undefined) return null
  const admins = all.filter(isUsableAdmin)
  const isLastAdmin = isUsableAdmin(known) && admins.length === 1
  return { role: known.role, isLastAdmin, partnerStatus }
}

async function lockPartner(tx: Tx, id: string): Promise<PartnerStatus> {
  const [partner] = await tx.sql<{
    status: PartnerStatus
  }>`SELECT status FROM partners WHERE id = ${id} FOR NO KEY UPDATE`
  assert(partner !== undefined, 'the partner of a member must exist')
  return partner.status
}

/** An invited admin might never sign in, so only admins who have signed in count. */
function isUsableAdmin({ role, lastLoginAt }: MemberRow): boolean {
  return role === 'admin' && lastLoginAt !== null
}

const columns = columnsOf(member)
