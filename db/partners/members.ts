// A partner's people, who sign in to the dashboard by email (§2 Member).
import { assert } from '../../domain/assert'
import type { MemberRole, PartnerStatus } from '../../domain/partners/partner'
import type { Queryable, Statement, Tx } from '../database'
import { newId } from '../id'

export interface MemberRow {
  readonly id: string
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly role: MemberRole
  readonly lastLoginAt: Date | null
  readonly createdAt: Date
}

export interface NewMember {
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly role: MemberRole
  readonly at: Date
}

export async function insertMember(tx: Tx, member: NewMember): Promise<MemberRow | 'already_member'> {
  const { partnerId, email, name, role, at } = member
  const [row] = await tx.query<MemberRow>(insert, [newId(at), partnerId, email.toLowerCase(), name, role, at])
  return row ?? 'already_member'
}

/** Oldest first. */
export async function listMembers(db: Queryable, partnerId: string): Promise<MemberRow[]> {
  return db.query<MemberRow>(selectByPartner, [partnerId])
}

/** Whether anybody has this email and may sign in with it, at whichever partner. */
export async function isMember(db: Queryable, email: string, at: Date): Promise<boolean> {
  return (await db.query(selectExists, [email.toLowerCase(), at])).length > 0
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
  return db.query<Membership>(selectByEmail, [email.toLowerCase(), at])
}

/** Of a member `m` of the partner `p`: a closed one is open to its admins only, and only for a while. */
export const maySignIn = (at: string) => `(p.status <> 'closed' OR (m.role = 'admin' AND p.readable_until > ${at}))`

/** Those whose first member they are, and still a member; two openings at once count one after the other. */
export async function countPartnersOpenedBy(tx: Tx, email: string): Promise<number> {
  await tx.query(lockOpener, [email.toLowerCase()])
  const [row] = await tx.query<{ count: bigint }>(countOpened, [email.toLowerCase()])
  return Number(row?.count ?? 0)
}

export async function findMember(db: Queryable, id: string): Promise<MemberRow | null> {
  const [row] = await db.query<MemberRow>(selectById, [id])
  return row ?? null
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
  const [member] = await tx.query<MemberRow>(updateRole, [id, role])
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
  await tx.query(lockMember, [id])
  await tx.query(deleteSessions, [id])
  const [member] = await tx.query<MemberRow>(deleteMember, [id])
  return member === undefined ? { outcome: 'not_found' } : { outcome: 'changed', member, roleBefore: known.role }
}

/** Null where it is none any more: they have signed in there, or were removed. */
export async function declineInvitation(
  tx: Tx,
  { partnerId, memberId }: Pick<Membership, 'partnerId' | 'memberId'>,
): Promise<MemberRow | null> {
  await tx.query(lockPartner, [partnerId])
  const [member] = await tx.query<MemberRow>(deleteInvited, [memberId])
  return member ?? null
}

/** Two removals at once would each see the other admin; the partner's row lets them in one after the other. */
async function lockToChange(
  tx: Tx,
  partnerId: string,
  id: string,
): Promise<{ readonly role: MemberRole; readonly isLastAdmin: boolean; readonly partnerStatus: PartnerStatus } | null> {
  const [partner] = await tx.query<{ status: PartnerStatus }>(lockPartner, [partnerId])
  assert(partner !== undefined, 'a member belongs to a partner that exists')
  const all = await listMembers(tx, partnerId)
  const member = all.find((each) => each.id === id.toLowerCase())
  if (member === undefined) return null
  const admins = all.filter(isUsableAdmin)
  const isLastAdmin = isUsableAdmin(member) && admins.length === 1
  return { role: member.role, isLastAdmin, partnerStatus: partner.status }
}

/** Who was invited and never signed in may never do so: the account must not be left to them, and they may always decline. */
function isUsableAdmin({ role, lastLoginAt }: MemberRow): boolean {
  return role === 'admin' && lastLoginAt !== null
}

const columns = `id, partner_id AS "partnerId", email, name, role,
  last_login_at AS "lastLoginAt", created_at AS "createdAt"`

const insert: Statement = {
  name: 'member-insert',
  text: `INSERT INTO members (id, partner_id, email, name, role, created_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (partner_id, email) DO NOTHING
    RETURNING ${columns}`,
}

const selectByPartner: Statement = {
  name: 'members-by-partner',
  text: `SELECT ${columns} FROM members WHERE partner_id = $1 ORDER BY created_at, id`,
}

const selectById: Statement = { name: 'member-by-id', text: `SELECT ${columns} FROM members WHERE id = $1` }

const selectExists: Statement = {
  name: 'member-exists',
  text: `SELECT 1 AS found FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = $1 AND ${maySignIn('$2')} LIMIT 1`,
}

const selectByEmail: Statement = {
  name: 'memberships-by-email',
  text: `SELECT m.id AS "memberId", p.id AS "partnerId", p.slug, p.name AS "partnerName", m.last_login_at AS "lastLoginAt"
    FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = $1 AND ${maySignIn('$2')} ORDER BY m.last_login_at DESC NULLS LAST, m.created_at, m.id`,
}

const lockOpener: Statement = {
  name: 'member-lock-opener',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('opener/' || $1, 0))`,
}

const countOpened: Statement = {
  name: 'members-count-opened',
  text: `SELECT count(*) AS count FROM members m JOIN partners p ON p.id = m.partner_id
    WHERE m.email = $1 AND m.created_at = p.created_at`,
}

const lockPartner: Statement = {
  name: 'member-lock-partner',
  text: 'SELECT status FROM partners WHERE id = $1 FOR NO KEY UPDATE',
}

// Whoever signs in at this moment waits here, and then finds no member.
const lockMember: Statement = { name: 'member-lock', text: 'SELECT id FROM members WHERE id = $1 FOR UPDATE' }

const deleteSessions: Statement = { name: 'member-sessions-delete', text: 'DELETE FROM sessions WHERE member_id = $1' }

const updateRole: Statement = {
  name: 'member-role',
  text: `UPDATE members SET role = $2 WHERE id = $1 RETURNING ${columns}`,
}

const deleteMember: Statement = {
  name: 'member-delete',
  text: `DELETE FROM members WHERE id = $1 RETURNING ${columns}`,
}

const deleteInvited: Statement = {
  name: 'member-delete-invited',
  text: `DELETE FROM members WHERE id = $1 AND last_login_at IS NULL RETURNING ${columns}`,
}
