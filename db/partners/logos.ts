// Partners' logos. They are stored in our database, so that our pages load no image from another site.
import { createHash } from 'node:crypto'
import type { Logo } from '../../domain/partners/logo'
import { bytes, entity, idOf, primary, text } from '../columns'
import type { Queryable, Tx } from '../database'

/** Logos have their own table, so that reading a partner does not load an image. */
interface LogoRow {
  readonly partnerId: string
  readonly type: string
  readonly bytes: Buffer
  /** The SHA-256 hash of the bytes. */
  readonly digest: string
}

export const partnerLogo = entity<LogoRow>('PartnerLogo', 'partner_logos', {
  partnerId: primary(idOf('Partner')),
  type: text,
  bytes,
  digest: text,
})

/** Stores the logo, or removes it if `logo` is null. */
export async function storeLogo(tx: Tx, partnerId: string, logo: Logo | null): Promise<void> {
  if (logo === null) {
    await tx.repo(partnerLogo).delete({ partnerId })
    return
  }
  const digest = createHash('sha256').update(logo.bytes).digest('base64url')
  await tx.sql`INSERT INTO partner_logos (partner_id, type, bytes, digest)
    VALUES (${partnerId}, ${logo.type}, ${logo.bytes}, ${digest})
    ON CONFLICT (partner_id) DO UPDATE SET type = ${logo.type}, bytes = ${logo.bytes}, digest = ${digest}`
}

/** Returns null if the partner is closed or has no logo. */
export async function findLogo(db: Queryable, slug: string): Promise<Omit<LogoRow, 'partnerId'> | null> {
  const [logo] = await db.sql<Omit<LogoRow, 'partnerId'>>`SELECT l.type, l.bytes, l.digest
    FROM partner_logos l JOIN partners p ON p.id = l.partner_id WHERE p.slug = ${slug} AND p.status <> 'closed'`
  return logo ?? null
}

/** Returns null if the partner has no logo. */
export async function findLogoDigest(db: Queryable, partnerId: string): Promise<string | null> {
  const [logo] = await db.sql<{ digest: string }>`SELECT digest FROM partner_logos WHERE partner_id = ${partnerId}`
  return logo?.digest ?? null
}
