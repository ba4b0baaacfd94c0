// Partners' logos. We store them, so that our pages load no picture from another site.
import { createHash } from 'node:crypto'
import type { Logo } from '../../domain/partners/logo'
import type { Queryable, Tx } from '../database'

/** Null takes it away. */
export async function storeLogo(tx: Tx, partnerId: string, logo: Logo | null): Promise<void> {
  if (logo === null) {
    await tx.sql`DELETE FROM partner_logos WHERE partner_id = ${partnerId}`
    return
  }
  const digest = createHash('sha256').update(logo.bytes).digest('base64url')
  await tx.sql`INSERT INTO partner_logos (partner_id, type, bytes, digest) VALUES (${partnerId}, ${logo.type}, ${logo.bytes}, ${digest})
    ON CONFLICT (partner_id) DO UPDATE SET type = ${logo.type}, bytes = ${logo.bytes}, digest = ${digest}`
}

/** Of a partner that is not closed. */
export async function findLogo(
  db: Queryable,
  slug: string,
): Promise<{ readonly type: string; readonly bytes: Buffer; readonly digest: string } | null> {
  const [logo] = await db.sql<{
    type: string
    bytes: Buffer
    digest: string
  }>`SELECT l.type, l.bytes, l.digest FROM partner_logos l JOIN partners p ON p.id = l.partner_id
    WHERE p.slug = ${slug} AND p.status <> 'closed'`
  return logo ?? null
}

/** What names its bytes; null where none is stored. */
export async function findLogoDigest(db: Queryable, partnerId: string): Promise<string | null> {
  const [logo] = await db.sql<{ digest: string }>`SELECT digest FROM partner_logos WHERE partner_id = ${partnerId}`
  return logo?.digest ?? null
}
