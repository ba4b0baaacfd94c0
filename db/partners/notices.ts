// What a partner's admins are to be mailed about: written with what it tells, told once.
import type { Environment } from '../../domain/environment'
import type { NoticeKind, SwitchableNotice } from '../../domain/partners/partner'
import type { Queryable, Tx } from '../database'

export interface NewNotice {
  readonly partnerId: string
  readonly environment: Environment
  readonly kind: NoticeKind
  /** A payout, a movement, a case, or a word such as the new status: never anything personal. */
  readonly about: string
  readonly at: Date
}

/**
 * Runs in the transaction of the event. Notices about the sandbox are not stored. The statement that claims a payout adds
 * `first_payout`.
 */
export async function addNotice(
  tx: Queryable,
  { partnerId, environment, kind, about, at }: NewNotice & { readonly kind: SwitchableNotice },
): Promise<void> {
  if (environment === 'live')
    await tx.sql`INSERT INTO notices (partner_id, environment, kind, about, at) VALUES (${partnerId}, ${environment}, ${kind}, ${about}, ${at})`
}

/** What goes into one mail. */
export type NoticeGroup = Pick<NewNotice, 'partnerId' | 'environment' | 'kind'>

export async function listNoticeGroups(db: Queryable, limit: number): Promise<NoticeGroup[]> {
  return db.sql<NoticeGroup>`SELECT DISTINCT partner_id, environment, kind FROM notices WHERE told_at IS NULL
    ORDER BY partner_id, environment, kind LIMIT ${limit}`
}

/** What each of them is about, oldest first; whoever takes them is the only one who tells them. */
export async function takeNotices(
  tx: Tx,
  { partnerId, environment, kind }: NoticeGroup,
  { at, limit }: { at: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.sql<{ about: string }>`WITH told AS (
      UPDATE notices SET told_at = ${at} WHERE id IN (
        SELECT id FROM notices WHERE partner_id = ${partnerId} AND environment = ${environment} AND kind = ${kind} AND told_at IS NULL
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING id, about
    )
    SELECT about FROM told ORDER BY id`
  return rows.map(({ about }) => about)
}
