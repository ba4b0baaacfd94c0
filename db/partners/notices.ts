// Notices for a partner's admins. The transaction that records an event also stores its notice, which is mailed once.
import type { Environment } from '../../domain/environment'
import type { NoticeKind, SwitchableNotice } from '../../domain/partners/partner'
import type { CaseKind, CaseOutcome } from '../../domain/payouts/case'
import { entity, idOf, orNull, sequence, text, time, uuid } from '../columns'
import type { Queryable, Tx } from '../database'
import { sql } from '../sql'

interface NoticeRow {
  readonly id: bigint
  readonly partnerId: string
  readonly environment: Environment
  readonly kind: NoticeKind
  /** The ID of a payout, movement or case, or a code such as the new status. Never personal data. */
  readonly about: string
  readonly at: Date
  /** Set when the notice was mailed, or when the partner does not want the email. Null while no one can receive it. */
  readonly toldAt: Date | null
  readonly payerId: string | null
}

export const notice = entity<NoticeRow>('Notice', 'notices', {
  id: sequence,
  partnerId: idOf('Partner'),
  environment: text,
  kind: text,
  about: text,
  at: time,
  toldAt: orNull(time),
  payerId: orNull(uuid),
})

type NewNotice = Omit<NoticeRow, 'id' | 'toldAt' | 'payerId'>

/**
 * Must run in the transaction that records the event. Does nothing in the sandbox. `first_payout` notices are stored by
 * the statement that claims a payout.
 */
export async function addNotice(
  tx: Queryable,
  { partnerId, environment, kind, about, at }: NewNotice & { readonly kind: SwitchableNotice },
): Promise<void> {
  if (environment !== 'live') return
  await tx.sql`INSERT INTO notices (partner_id, environment, kind, about, at)
    VALUES (${partnerId}, ${environment}, ${kind}, ${about}, ${at})`
}

/** Identifies the notices that one email contains. */
export type NoticeGroup = Pick<NewNotice, 'partnerId' | 'environment' | 'kind'>

/**
 * Lists the groups of unsent notices for partners that have an email recipient. Other partners' notices wait, and are
 * excluded so that they do not use up the limit.
 */
export async function listNoticeGroups(db: Queryable, limit: number): Promise<NoticeGroup[]> {
  return db.sql<NoticeGroup>`SELECT DISTINCT partner_id, environment, kind FROM notices JOIN partners p ON p.id = partner_id
    WHERE told_at IS NULL AND ${hasReader} ORDER BY partner_id, environment, kind LIMIT ${limit}`
}

/** Counts the partner's notices that no one can receive. */
export async function countUndeliverableNotices(db: Queryable, partnerId: string): Promise<number> {
  const [row] = await db.sql<{
    count: bigint
  }>`SELECT count(*) AS count FROM notices JOIN partners p ON p.id = partner_id
    WHERE told_at IS NULL AND partner_id = ${partnerId} AND NOT ${hasReader}`
  return Number(row?.count ?? 0)
}

export interface UndeliverableNotices {
  readonly slug: string
  readonly count: number
  /** The time of the oldest undeliverable notice. */
  readonly since: Date
}

/** Lists the partners whose notices no one can receive, longest waiting first. */
export async function listUndeliverableNotices(db: Queryable, limit: number): Promise<UndeliverableNotices[]> {
  return db.sql<UndeliverableNotices>`SELECT p.slug, count(*)::integer AS count, min(notices.at) AS since
    FROM notices JOIN partners p ON p.id = partner_id
    WHERE told_at IS NULL AND NOT ${hasReader} GROUP BY p.slug ORDER BY since, p.slug LIMIT ${limit}`
}

/** Whether partner `p` has a contact email address, or an admin who has signed in. */
const hasReader = sql`(p.contact_email IS NOT NULL OR EXISTS (
  SELECT FROM members m WHERE m.partner_id = p.id AND m.role = 'admin' AND m.last_login_at IS NOT NULL))`

/**
 * Claims up to `limit` of a group's notices and returns their `about` values, oldest first. No other process claims the
 * same notices.
 */
export async function takeNotices(
  tx: Tx,
  { partnerId, environment, kind }: NoticeGroup,
  { at, limit }: { at: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.sql<{ about: string }>`WITH taken AS (
      UPDATE notices SET told_at = ${at} WHERE id IN (
        SELECT id FROM notices WHERE partner_id = ${partnerId} AND environment = ${environment} AND kind = ${kind} AND told_at IS NULL
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING id, about
    )
    SELECT about FROM taken ORDER BY id`
  return rows.map(({ about }) => about)
}

interface NoticePayout {
  readonly payoutId: string
  readonly amountPence: bigint
  readonly recipientName: string | null
  readonly accountLast4: string | null
  readonly failureReason: string | null
  /** An email address, or `key:` and the key's prefix. */
  readonly createdBy: string
}

interface NoticeCase {
  readonly caseId: string
  readonly payoutId: string
  readonly kind: CaseKind
  readonly outcome: CaseOutcome | null
  readonly amountPence: bigint
}

type Scope = Pick<NoticeRow, 'partnerId' | 'environment'>

/** Loads details for the email, in the order of `ids`. Skips other partners' payouts. */
export async function loadNoticePayouts(
  db: Queryable,
  { partnerId, environment }: Scope,
  ids: readonly string[],
): Promise<NoticePayout[]> {
  return db.sql<NoticePayout>`SELECT id AS payout_id, amount_pence, recipient_name, account_last4, failure_reason, created_by
    FROM payouts WHERE id = ANY(${ids}::uuid[]) AND partner_id = ${partnerId} AND environment = ${environment}
    ORDER BY array_position(${ids}::uuid[], id)`
}

export async function loadNoticeCases(
  db: Queryable,
  { partnerId, environment }: Scope,
  ids: readonly string[],
): Promise<NoticeCase[]> {
  return db.sql<NoticeCase>`SELECT cases.id AS case_id, payout_id, kind, outcome, amount_pence
    FROM cases JOIN payouts ON payouts.id = cases.payout_id
    WHERE cases.id = ANY(${ids}::uuid[]) AND partner_id = ${partnerId} AND environment = ${environment}
    ORDER BY array_position(${ids}::uuid[], cases.id)`
}

/** Returns the amounts that these bank movements added to the wallet, immediately or after an operator's decision. */
export async function loadNoticeDeposits(
  db: Queryable,
  { partnerId, environment }: Scope,
  bankRefs: readonly string[],
): Promise<bigint[]> {
  const rows = await db.sql<{ amountMicroUsdc: bigint }>`SELECT entry.amount_micro_usdc
    FROM wallets JOIN ledger_sets ON ledger_sets.wallet_id = wallets.id
      JOIN ledger_accounts account ON account.wallet_id = wallets.id AND account.kind = 'wallet'
      JOIN ledger_entries entry ON entry.set_id = ledger_sets.id AND entry.account_id = account.id
    WHERE wallets.partner_id = ${partnerId} AND wallets.environment = ${environment} AND ledger_sets.cause_ref = ANY(${bankRefs}::text[])
      AND ledger_sets.cause IN ('deposit', 'held_credit')
    ORDER BY array_position(${bankRefs}::text[], ledger_sets.cause_ref)`
  return rows.map(({ amountMicroUsdc }) => amountMicroUsdc)
}
