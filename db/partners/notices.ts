// What a partner's admins are to be mailed about: written with what it tells, told once.
import type { Environment } from '../../domain/environment'
import type { NoticeKind, SwitchableNotice } from '../../domain/partners/notice'
import type { Queryable, Statement, Tx } from '../database'

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
  if (environment === 'live') await tx.query(insert, [partnerId, environment, kind, about, at])
}

/** What goes into one mail. */
export type NoticeGroup = Pick<NewNotice, 'partnerId' | 'environment' | 'kind'>

export async function listNoticeGroups(db: Queryable, limit: number): Promise<NoticeGroup[]> {
  return db.query<NoticeGroup>(selectGroups, [limit])
}

/** What each of them is about, oldest first; whoever takes them is the only one who tells them. */
export async function takeNotices(
  tx: Tx,
  { partnerId, environment, kind }: NoticeGroup,
  { at, limit }: { at: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ about: string }>(take, [partnerId, environment, kind, at, limit])
  return rows.map(({ about }) => about)
}

const insert: Statement = {
  name: 'notice-insert',
  text: 'INSERT INTO notices (partner_id, environment, kind, about, at) VALUES ($1, $2, $3, $4, $5)',
}

const selectGroups: Statement = {
  name: 'notice-groups',
  text: `SELECT DISTINCT partner_id AS "partnerId", environment, kind FROM notices WHERE told_at IS NULL
    ORDER BY partner_id, environment, kind LIMIT $1`,
}

const take: Statement = {
  name: 'notices-take',
  text: `WITH told AS (
      UPDATE notices SET told_at = $4 WHERE id IN (
        SELECT id FROM notices WHERE partner_id = $1 AND environment = $2 AND kind = $3 AND told_at IS NULL
        ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED
      ) RETURNING id, about
    )
    SELECT about FROM told ORDER BY id`,
}
