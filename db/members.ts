// A partner's people, who sign in to the dashboard by email (§2 Member).
import type { MemberRole } from '../domain/partner'
import type { Queryable, Statement, Tx } from './database'
import { newId } from './id'

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
