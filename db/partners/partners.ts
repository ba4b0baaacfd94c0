// Partners: the businesses that pay out, with their status, limits, verification and settings.
import { assert } from '../../domain/assert'
import { columnsOf } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { type PartnerRow, partner } from './entities/partner'

export type { PartnerRow } from './entities/partner'

export interface NewPartner {
  readonly slug: string
  readonly name: string
  readonly contactEmail: string | null
  readonly billingEmail: string | null
  readonly at: Date
}

export type PartnerChanges = Partial<
  Omit<PartnerRow, 'id' | 'slug' | 'closedAt' | 'readableUntil' | 'billedUntil' | 'createdAt' | 'updatedAt'>
>

export async function findPartnerById(db: Queryable, id: string): Promise<PartnerRow | null> {
  return db.repo(partner).findOneBy({ id })
}

export async function findPartnerBySlug(db: Queryable, slug: string): Promise<PartnerRow | null> {
  return db.repo(partner).findOneBy({ slug })
}

/** By slug. */
export async function listPartners(db: Queryable): Promise<PartnerRow[]> {
  return db.repo(partner).find({ order: { slug: 'ASC' } })
}

/** As it is now and stays until the transaction ends, for those who decide by it and then change it. */
export async function lockPartnerBySlug(tx: Tx, slug: string): Promise<PartnerRow | null> {
  const [locked] = await tx.sql<PartnerRow>`SELECT ${columns} FROM partners WHERE slug = ${slug} FOR NO KEY UPDATE`
  return locked ?? null
}

/** The same by id. */
export async function lockPartner(tx: Tx, id: string): Promise<PartnerRow | null> {
  const [locked] = await tx.sql<PartnerRow>`SELECT ${columns} FROM partners WHERE id = ${id} FOR NO KEY UPDATE`
  return locked ?? null
}

export async function insertPartner(tx: Tx, added: NewPartner): Promise<PartnerRow | 'slug_taken'> {
  const { slug, name, contactEmail, billingEmail, at } = added
  const [row] = await tx.sql<PartnerRow>`
    INSERT INTO partners (id, slug, name, contact_email, billing_email, created_at, updated_at)
    VALUES (${newId(at)}, ${slug}, ${name}, ${contactEmail}, ${billingEmail}, ${at}, ${at})
    ON CONFLICT (slug) DO NOTHING
    RETURNING ${columns}`
  return row ?? 'slug_taken'
}

/** As lockPartnerBySlug, and none of its API keys changes anything before the transaction ends: for those who stop a partner. */
export async function lockPartnerToStop(tx: Tx, slug: string): Promise<PartnerRow | null> {
  // Stronger than the lock of the others: a write by an API key takes a lock on its partner's row that waits for this one.
  const [locked] = await tx.sql<PartnerRow>`SELECT ${columns} FROM partners WHERE slug = ${slug} FOR UPDATE`
  return locked ?? null
}

/** For good. Under lockPartnerToStop. */
export async function closePartner(
  tx: Tx,
  { id, at, readableUntil }: { readonly id: string; readonly at: Date; readonly readableUntil: Date },
): Promise<PartnerRow> {
  const [row] = await tx.sql<PartnerRow>`
    UPDATE partners SET status = 'closed', closed_at = ${at}, readable_until = ${readableUntil}, updated_at = ${at},
      continue_url = NULL, terms_url = NULL, verification_awaited_since = NULL
    WHERE id = ${id} AND status <> 'closed'
    RETURNING ${columns}`
  assert(row !== undefined, 'the partner to close must exist and be open')
  return row
}

/** The partner must exist. A closed one stays closed: what it owed until then is billed, and nothing after. */
export async function updatePartner(tx: Tx, id: string, changes: PartnerChanges, at: Date): Promise<PartnerRow> {
  const before = await lockPartner(tx, id)
  assert(before !== null, 'the partner to change must exist')
  const after = { ...before, ...changes, updatedAt: at }
  assert(before.status !== 'closed' || after.status === 'closed', 'a closed partner stays closed')
  const closedAt = after.status === 'closed' ? (before.closedAt ?? at) : null
  const { affected } = await tx.repo(partner).update({ id }, { ...changes, updatedAt: at, closedAt })
  assert(affected === 1, 'a locked partner must still be there')
  return { ...after, closedAt }
}

const columns = columnsOf(partner)
