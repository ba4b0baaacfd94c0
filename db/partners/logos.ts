// Partners' logos: kept by us, so that our pages ask nobody else for a picture.
import { createHash } from 'node:crypto'
import type { Logo } from '../../domain/partners/logo'
import type { Queryable, Statement, Tx } from '../database'

/** Null takes it away. */
export async function storeLogo(tx: Tx, partnerId: string, logo: Logo | null): Promise<void> {
  if (logo === null) {
    await tx.query(remove, [partnerId])
    return
  }
  const digest = createHash('sha256').update(logo.bytes).digest('base64url')
  await tx.query(upsert, [partnerId, logo.type, logo.bytes, digest])
}

/** Of a partner that is not closed. */
export async function findLogo(
  db: Queryable,
  slug: string,
): Promise<{ readonly type: string; readonly bytes: Buffer; readonly digest: string } | null> {
  const [logo] = await db.query<{ type: string; bytes: Buffer; digest: string }>(selectBySlug, [slug])
  return logo ?? null
}

/** What names its bytes; null where none is stored. */
export async function findLogoDigest(db: Queryable, partnerId: string): Promise<string | null> {
  const [logo] = await db.query<{ digest: string }>(selectDigest, [partnerId])
  return logo?.digest ?? null
}

const upsert: Statement = {
  name: 'partner-logo-store',
  text: `INSERT INTO partner_logos (partner_id, type, bytes, digest) VALUES ($1, $2, $3, $4)
    ON CONFLICT (partner_id) DO UPDATE SET type = $2, bytes = $3, digest = $4`,
}

const remove: Statement = { name: 'partner-logo-remove', text: 'DELETE FROM partner_logos WHERE partner_id = $1' }

const selectBySlug: Statement = {
  name: 'partner-logo-by-slug',
  text: `SELECT l.type, l.bytes, l.digest FROM partner_logos l JOIN partners p ON p.id = l.partner_id
    WHERE p.slug = $1 AND p.status <> 'closed'`,
}

const selectDigest: Statement = {
  name: 'partner-logo-digest',
  text: 'SELECT digest FROM partner_logos WHERE partner_id = $1',
}
