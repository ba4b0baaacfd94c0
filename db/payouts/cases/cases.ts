// Recalls and traces of payouts. A payout has at most one open case of each kind. Each case is marked late at most
// once, and ends once.

import { assert } from '../../../domain/assert'
import type { Environment } from '../../../domain/environment'
import { type CaseKind, type CaseOutcome, canOpen } from '../../../domain/payouts/case'
import type { PayoutStatus } from '../../../domain/payouts/payout'
import { bigint, entity, id, idOf, orNull, sequence, text, time } from '../../columns'
import type { Queryable, Tx } from '../../database'
import { newId } from '../../id'
import { sql } from '../../sql'
import { recordPayoutEvent } from '../events'
import { isVisible } from '../payouts'

interface StoredCase {
  readonly id: string
  readonly payoutId: string
  readonly kind: CaseKind
  readonly reason: string
  readonly openedBy: string
  readonly openedAt: Date
  readonly dueAt: Date
  readonly overdueAt: Date | null
  readonly resolvedAt: Date | null
  readonly resolvedBy: string | null
  readonly outcome: CaseOutcome | null
  readonly costMicropounds: bigint | null
}

interface StoredCaseNote {
  readonly id: bigint
  readonly caseId: string
  readonly at: Date
  readonly madeBy: string
  readonly note: string
}

export const payoutCase = entity<StoredCase>('Case', 'cases', {
  id,
  payoutId: idOf('Payout'),
  kind: text,
  reason: text,
  openedBy: text,
  openedAt: time,
  dueAt: time,
  overdueAt: orNull(time),
  resolvedAt: orNull(time),
  resolvedBy: orNull(text),
  outcome: orNull(text),
  costMicropounds: orNull(bigint),
})

export const caseNote = entity<StoredCaseNote>('CaseNote', 'case_notes', {
  id: sequence,
  caseId: idOf('Case'),
  at: time,
  madeBy: text,
  note: text,
})

export interface CaseRow extends Omit<StoredCase, 'resolvedBy' | 'costMicropounds'> {
  readonly partnerId: string
  readonly slug: string
  readonly environment: Environment
  readonly payoutStatus: PayoutStatus
  /** The amount charged to the partner. Null if nothing was charged, or if the amount is not known yet. */
  readonly chargeMicropounds: bigint | null
}

export type NewCase = Pick<StoredCase, 'payoutId' | 'kind' | 'reason' | 'openedBy' | 'openedAt' | 'dueAt'>

export type OpenedCase =
  | { readonly outcome: 'opened'; readonly case: CaseRow }
  | { readonly outcome: 'wrong_status'; readonly status: PayoutStatus }
  | { readonly outcome: 'already_open'; readonly case: CaseRow }
  | { readonly outcome: 'not_found' }

/** Locks the payout, so that two concurrent requests open only one case and the timeline remains in order. */
export async function openCase(tx: Tx, wanted: NewCase): Promise<OpenedCase> {
  const { payoutId, kind, reason, openedBy, openedAt, dueAt } = wanted
  const [payout] = await tx.sql<{ status: PayoutStatus }>`SELECT status FROM payouts
    WHERE id = ${payoutId} AND ${isVisible} FOR NO KEY UPDATE`
  if (payout === undefined) return { outcome: 'not_found' }
  if (!canOpen(kind, payout.status)) return { outcome: 'wrong_status', status: payout.status }
  const [made] = await tx.sql`INSERT INTO cases (id, payout_id, kind, reason, opened_by, opened_at, due_at)
    VALUES (${newId(openedAt)}, ${payoutId}, ${kind}, ${reason}, ${openedBy}, ${openedAt}, ${dueAt})
    ON CONFLICT (payout_id, kind) WHERE resolved_at IS NULL DO NOTHING RETURNING id`
  const [row] =
    await tx.sql<CaseRow>`${selected} WHERE c.payout_id = ${payoutId} AND c.kind = ${kind} AND c.resolved_at IS NULL`
  assert(row !== undefined, 'a case cannot end while its payout is locked')
  if (made === undefined) return { outcome: 'already_open', case: row }
  await recordPayoutEvent(tx, { payoutId, at: openedAt, madeBy: openedBy, kind: 'case_opened', detail: kind })
  return { outcome: 'opened', case: row }
}

export async function findCase(db: Queryable, id: string): Promise<CaseRow | null> {
  const [row] = await db.sql<CaseRow>`${selected} WHERE c.id = ${id}`
  return row ?? null
}

/** Locks the case and its payout until the transaction ends. */
export async function lockCase(tx: Tx, id: string): Promise<CaseRow | null> {
  const [row] = await tx.sql<CaseRow>`${selected} WHERE c.id = ${id} FOR UPDATE OF c FOR SHARE OF p`
  return row ?? null
}

/** Lists the cases oldest first. */
export async function listCasesOf(db: Queryable, payoutId: string): Promise<CaseRow[]> {
  return db.sql<CaseRow>`${selected} WHERE c.payout_id = ${payoutId} ORDER BY c.opened_at, c.id`
}

/** Lists the open cases of all partners, by due date. */
export async function listOpenCases(db: Queryable, limit: number): Promise<CaseRow[]> {
  return db.sql<CaseRow>`${selected} WHERE c.resolved_at IS NULL ORDER BY c.due_at, c.id LIMIT ${limit}`
}

export interface Resolution {
  readonly outcome: CaseOutcome
  readonly costMicropounds: bigint
  readonly by: string
  readonly at: Date
}

/** The caller must have locked the case with `lockCase`. Returns false if the case has already ended. */
export async function endCase(
  tx: Tx,
  row: CaseRow,
  { outcome, costMicropounds, by, at }: Resolution,
): Promise<boolean> {
  const ended = await tx.sql`UPDATE cases SET outcome = ${outcome}, cost_micropounds = ${costMicropounds},
      resolved_by = ${by}, resolved_at = ${at}
    WHERE id = ${row.id} AND resolved_at IS NULL RETURNING id`
  if (ended.length === 0) return false
  const { payoutId, kind } = row
  await recordPayoutEvent(tx, { payoutId, at, madeBy: by, kind: 'case_resolved', detail: `${kind}: ${outcome}` })
  return true
}

export type LateCase = Pick<CaseRow, 'id' | 'payoutId' | 'environment' | 'kind' | 'dueAt'>

/**
 * Marks up to `limit` late cases and returns them. Each late case is returned only once, to the process that marks it.
 */
export async function markLate(db: Queryable, { at, limit }: { at: Date; limit: number }): Promise<LateCase[]> {
  return db.sql<LateCase>`UPDATE cases c SET overdue_at = ${at} FROM payouts p
    WHERE p.id = c.payout_id AND ${isOpen} AND c.id IN (
      SELECT id FROM cases c WHERE ${isOpen} AND c.due_at <= ${at} ORDER BY c.due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING ${lateColumns}`
}

/** Marks one case as late. Returns null if the case is not late, has ended or was already marked. */
export async function markOneLate(db: Queryable, id: string, at: Date): Promise<LateCase | null> {
  const [late] = await db.sql<LateCase>`UPDATE cases c SET overdue_at = ${at} FROM payouts p
    WHERE c.id = ${id} AND p.id = c.payout_id AND ${isOpen} AND c.due_at <= ${at} RETURNING ${lateColumns}`
  return late ?? null
}

export type CaseNote = Omit<StoredCaseNote, 'id'>

/** The partner can read the note. */
export async function addCaseNote(tx: Tx, note: CaseNote): Promise<void> {
  await tx.repo(caseNote).insert(note)
}

/** Lists the notes oldest first. */
export async function listCaseNotes(db: Queryable, caseIds: readonly string[]): Promise<CaseNote[]> {
  return db.sql<CaseNote>`SELECT case_id, at, made_by, note FROM case_notes
    WHERE case_id = ANY (${caseIds}::uuid[]) ORDER BY id`
}

const selected = sql`SELECT c.id, c.payout_id, p.partner_id, partners.slug, p.environment,
    p.status AS payout_status, c.kind, c.reason, c.opened_by, c.opened_at, c.due_at,
    c.overdue_at, c.resolved_at, c.outcome, charge.amount_micropounds AS charge_micropounds
  FROM cases c JOIN payouts p ON p.id = c.payout_id JOIN partners ON partners.id = p.partner_id
  LEFT JOIN charges charge ON charge.partner_id = p.partner_id AND charge.kind = 'exception'
    AND charge.cause_ref = 'case/' || c.id::text`

/** Matches cases that have neither ended nor been marked as late. */
const isOpen = sql`c.resolved_at IS NULL AND c.overdue_at IS NULL`

const lateColumns = sql`c.id, c.payout_id, p.environment, c.kind, c.due_at`
