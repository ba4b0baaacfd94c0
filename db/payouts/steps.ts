// The payout's row as its steps see it: every decision that could cost money is one conditional UPDATE of it.
import type { Environment, RailName } from '../../domain/environment'
import type { KeptVerdict, PayoutStatus, Refusal } from '../../domain/payouts/payout'
import { isRailPaused } from '../bank/rail-pauses'
import type { Queryable, Statement, Tx } from '../database'

export interface StepRow {
  readonly id: string
  readonly attempt: number
  readonly partnerId: string
  readonly environment: Environment
  readonly walletId: string
  readonly rail: RailName
  readonly customerRef: string | null
  readonly walletRef: string | null
  readonly status: PayoutStatus
  readonly reference: string | null
  readonly amountPence: bigint
  readonly feePence: bigint
  readonly feeInTransferPence: bigint
  readonly walletSendsMicroUsdc: bigint
  readonly gbpPerUsdNano: bigint
  readonly bankKey: string
  readonly bankBody: string | null
  readonly transferRef: string | null
  /** Of this attempt: nothing of it was sent before. */
  readonly createdAt: Date
  readonly submitStartedAt: Date | null
  readonly verdict: string | null
  readonly verdictDetails: Readonly<Record<string, string>> | null
  readonly answeredAt: Date | null
  readonly releasedAt: Date | null
  /** Not null for one that has come back since, too: its money had been paid out. */
  readonly completedAt: Date | null
  /** Nothing is left to do, neither at the bank nor in the ledger. */
  readonly closedAt: Date | null
  readonly attention: string | null
  /** Null when a first call may start; otherwise why the payout waits with its money set aside. */
  readonly heldBy: 'rail paused' | 'partner not active' | null
}

/** Which attempt of which payout a step is about; a step of an older attempt finds nothing to do. */
export interface AttemptRef {
  readonly payoutId: string
  readonly attempt: number
}

export async function loadStep(db: Queryable, payoutId: string): Promise<StepRow> {
  return found(await db.query<StepRow>(selectStep, [payoutId]))
}

/** Nobody else changes the row until the transaction ends. */
export async function lockStep(tx: Tx, payoutId: string): Promise<StepRow> {
  return found(await tx.query<StepRow>(lockedStep, [payoutId]))
}

export interface FirstCall {
  readonly key: string
  readonly body: string
}

/**
 * The moment before a first call to the bank. The caller that gets the call back is the only one to make it under this
 * bank key. Null: another run has made it, the payout is over, the rail is paused, or the partner is not active.
 */
export async function beginSubmit(
  db: Queryable,
  { payoutId, attempt, body, at }: AttemptRef & { body: string; at: Date },
): Promise<FirstCall | null> {
  const [call] = await db.query<FirstCall>(beginFirstCall, [payoutId, attempt, body, at])
  return call ?? null
}

/**
 * Only for the run that made the one call under `key` and holds proof that it sent nothing: the payout is unsent again, can be
 * cancelled, and its next call is a first one under a fresh key, since a bank may repeat a refusal for as long as it remembers a
 * key. False when another run has noted the call as unknown: the proof no longer covers every call.
 */
export async function withdrawSubmit(
  db: Queryable,
  { payoutId, attempt, key, newKey }: AttemptRef & { key: string; newKey: string },
): Promise<boolean> {
  return (await db.query(withdrawFirstCall, [payoutId, attempt, key, newKey])).length > 0
}

export interface Kept extends AttemptRef {
  readonly verdict: KeptVerdict
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly transferRef: string | null
  readonly transferState: string | null
  readonly event: string
  readonly afterwards: 'open' | 'closed'
  readonly at: Date
}

/** Records what is known of a payout that stays; false when the row had gone on already. */
export async function keepPayout(db: Queryable, kept: Kept): Promise<boolean> {
  const { payoutId, attempt, verdict, status, failureReason, transferRef, transferState, event, at } = kept
  const closedAt = kept.afterwards === 'closed' ? at : null
  const values = [payoutId, attempt, verdict, status, failureReason, transferRef, transferState, event, at, closedAt]
  return (await db.query(recordKept, values)).length > 0
}

/** Gives the key back, and the code that confirmed it; only before anybody was answered, and in the transaction that reverses the debit. */
export async function releaseRow(
  tx: Tx,
  { payoutId, verdict, details, at }: { payoutId: string; verdict: Refusal; details: object | null; at: Date },
): Promise<void> {
  await tx.query(release, [payoutId, verdict, details === null ? null : JSON.stringify(details), at])
}

/** Takes a release back: the attempt is as it was before its verdict, with a call to the bank made. The debit is posted in the same transaction. */
export async function undoRelease(tx: Tx, { payoutId, attempt, at }: AttemptRef & { at: Date }): Promise<void> {
  await tx.query(unrelease, [payoutId, attempt, at])
}

export interface Move {
  readonly payoutId: string
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly transferState: string
  readonly event: string | null
  readonly detail: string | null
  readonly afterwards: 'open' | 'closed'
  readonly at: Date
}

/** Under lockStep: the status and the bank's word change together, and the timeline tells it when `event` is given; only a new status is news to readers. */
export async function movePayout(tx: Tx, move: Move): Promise<void> {
  const { payoutId, status, failureReason, transferState, event, detail, at } = move
  const closedAt = move.afterwards === 'closed' ? at : null
  await tx.query(recordMove, [payoutId, status, failureReason, transferState, event, detail, at, closedAt])
}

/** The API answers `pending`: from now on the payout is there for good. False when a verdict came first, or a release. */
export async function markAnswered(
  db: Queryable,
  { payoutId, attempt, at }: AttemptRef & { at: Date },
): Promise<boolean> {
  return (await db.query(markAnsweredNow, [payoutId, attempt, at])).length > 0
}

/** For people: why this payout waits for them. What is about money gives way only to a transfer that our books do not know. False when nothing changed. */
export async function setAttention(db: Queryable, payoutId: string, attention: string): Promise<boolean> {
  return (await db.query(noteAttention, [payoutId, attention])).length > 0
}

/** False when people are told about it already, unless it was only of its being overdue. */
export async function raiseAttention(db: Queryable, payoutId: string, attention: string): Promise<boolean> {
  return (
    (
      await db.sql`UPDATE payouts SET attention = ${attention}
    WHERE id = ${payoutId} AND (attention IS NULL OR attention IN ('outcome_overdue', 'settlement_overdue')) RETURNING id`
    ).length > 0
  )
}

/** What the bank's own word had asked for is over when its word is an ordinary one again. */
export async function clearBankAttention(db: Queryable, payoutId: string): Promise<void> {
  await db.sql`UPDATE payouts SET attention = NULL WHERE id = ${payoutId} AND attention ~ '^(bank_says|can_not_book)_'`
}

function found(rows: readonly StepRow[]): StepRow {
  const [row] = rows
  if (row === undefined) throw new Error('a step was asked for a payout that does not exist')
  return row
}

const stepColumns = `p.id, p.attempt, p.partner_id AS "partnerId", p.environment, p.wallet_id AS "walletId", p.rail,
  p.customer_ref AS "customerRef", w.wallet_ref AS "walletRef", p.status, p.reference, p.amount_pence AS "amountPence",
  p.fee_pence AS "feePence", p.fee_in_transfer_pence AS "feeInTransferPence",
  p.wallet_sends_micro_usdc AS "walletSendsMicroUsdc", p.gbp_per_usd_nano AS "gbpPerUsdNano", p.bank_key AS "bankKey", p.bank_body AS "bankBody",
  p.transfer_ref AS "transferRef", p.created_at AS "createdAt", p.submit_started_at AS "submitStartedAt", p.verdict,
  p.verdict_details AS "verdictDetails", p.answered_at AS "answeredAt", p.released_at AS "releasedAt",
  p.completed_at AS "completedAt", p.closed_at AS "closedAt", p.attention,
  CASE WHEN ${isRailPaused('p.environment')} THEN 'rail paused'
    WHEN NOT EXISTS (SELECT FROM partners WHERE partners.id = p.partner_id AND partners.status = 'active')
    THEN 'partner not active' END AS "heldBy"`

/** The bank may have a transfer for it that our books do not know: nothing more is sent under its key before people have looked. */
export const isDisputed = (attention: string) =>
  `coalesce(${attention} ~ '^(bank_contradicts_|unaccounted_transfer$)', false)`

/** Reasons that end without an operator: by what is awaited, by the bank's next answer, or by another attempt. */
export const isPassing = (attention: string) =>
  `coalesce(${isAwaited(attention)} OR ${attention} ~ '^(bank_says_|can_not_book_|bank_misconfigured$)', false)`

/** What asked for people only because something was awaited is over when that has come; what is about money stays. */
const awaited = (came: string) => `CASE WHEN ${came} AND ${isAwaited('attention')} THEN NULL ELSE attention END`

function isAwaited(attention: string): string {
  return `${attention} IN ('outcome_unknown', 'outcome_overdue', 'settlement_overdue', 'refund_missing', 'refund_unexplained')`
}

const selectStep: Statement = {
  name: 'payout-step',
  text: `SELECT ${stepColumns} FROM payouts p JOIN wallets w ON w.id = p.wallet_id WHERE p.id = $1`,
}

const lockedStep: Statement = {
  name: 'payout-step-locked',
  text: `SELECT ${stepColumns} FROM payouts p JOIN wallets w ON w.id = p.wallet_id WHERE p.id = $1 FOR UPDATE OF p`,
}

/** It and a pause of the rail wait for each other (`db/bank/rail-pauses.ts`). */
const beginFirstCall: Statement = {
  name: 'payout-begin-submit',
  text: 'SELECT body, key FROM begin_submit($1, $2, $3, $4)',
}

const withdrawFirstCall: Statement = {
  name: 'payout-withdraw-submit',
  text: `UPDATE payouts SET submit_started_at = NULL, bank_body = NULL, bank_key = $4,
      bank_key_renewals = bank_key_renewals + 1
    WHERE id = $1 AND attempt = $2 AND bank_key = $3 AND submit_started_at IS NOT NULL AND verdict IS NULL
      AND transfer_ref IS NULL AND released_at IS NULL AND status = 'pending'
    RETURNING id`,
}

/**
 * The moment from which a payout is there for its readers is the moment from which its creation is in the activity list:
 * one statement writes both. `before` holds the row, because only its old state tells whether this is that moment.
 */
const before = `before AS (
      SELECT id, verdict_at IS NULL AND answered_at IS NULL AS unseen FROM payouts WHERE id = $1 FOR UPDATE
    )`

const seenFirst = (changed: string, at: string) => `INSERT INTO activity
      (partner_id, at, environment, action, changes, status, made_by, detail, request_id)
      SELECT partner_id, ${at}, environment, 'payout.create', true, 201, created_by, id::text, request_id
      FROM ${changed} WHERE unseen`

const recordKept: Statement = {
  name: 'payout-keep',
  text: `WITH ${before}, kept AS (
      UPDATE payouts p SET verdict = $3, verdict_at = coalesce(verdict_at, $9), status = $4, failure_reason = $5,
        transfer_ref = $6, transfer_state = $7, updated_at = $9, closed_at = $10,
        attention = CASE WHEN $6::text IS NOT NULL AND attention IN ('bank_misconfigured', 'bank_insufficient') THEN NULL
          WHEN $10::timestamptz IS NOT NULL AND attention = 'bank_misconfigured' THEN NULL
          ELSE ${awaited('($6::text IS NOT NULL OR $10::timestamptz IS NOT NULL)')} END
      FROM before
      WHERE p.id = before.id AND p.attempt = $2 AND p.status = 'pending' AND p.released_at IS NULL
        AND p.transfer_ref IS NULL AND p.verdict IS DISTINCT FROM $3
        -- A call that was withdrawn after the caller read the row is not unknown.
        AND ($3 <> 'unknown' OR p.submit_started_at IS NOT NULL)
      RETURNING p.id, p.partner_id, p.environment, p.created_by, p.request_id, unseen
    ), seen AS (${seenFirst('kept', '$9')})
    INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail) SELECT id, $9, $8, $4, 'bank', $5 FROM kept
    RETURNING payout_id`,
}

const release: Statement = {
  name: 'payout-release',
  text: `WITH given_back AS (
      UPDATE codes SET used_at = NULL FROM payouts
      WHERE payouts.id = $1 AND payouts.created_via = 'dashboard' AND codes.used_for = payouts.id AND codes.purpose = 'confirm'
    )
    UPDATE payouts SET verdict = $2, verdict_details = $3::jsonb, verdict_at = $4, released_at = $4, updated_at = $4,
      attention = ${awaited('true')}
    WHERE id = $1`,
}

const unrelease: Statement = {
  name: 'payout-undo-release',
  text: `UPDATE payouts SET verdict = NULL, verdict_details = NULL, verdict_at = NULL, released_at = NULL,
      submit_started_at = coalesce(submit_started_at, $3),
      attention = CASE WHEN ${isDisputed('payouts.attention')} THEN NULL ELSE attention END
    WHERE id = $1 AND attempt = $2 AND released_at IS NOT NULL`,
}

const recordMove: Statement = {
  name: 'payout-move',
  text: `WITH moved AS (
      UPDATE payouts SET transfer_state = $4, status = $2, failure_reason = coalesce($3, failure_reason),
        completed_at = CASE WHEN $2 = 'completed' THEN coalesce(completed_at, $7) ELSE completed_at END,
        returned_at = CASE WHEN $2 = 'returned' THEN coalesce(returned_at, $7) ELSE returned_at END,
        updated_at = CASE WHEN status = $2 THEN updated_at ELSE $7 END, closed_at = $8,
        attention = ${awaited('$8::timestamptz IS NOT NULL')}
      WHERE id = $1
      RETURNING id
    )
    INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
    SELECT id, $7, $5, $2, 'bank', $6 FROM moved WHERE $5::text IS NOT NULL`,
}

const markAnsweredNow: Statement = {
  name: 'payout-answered',
  text: `WITH ${before}, answered AS (
      UPDATE payouts p SET answered_at = coalesce(answered_at, $3) FROM before
      WHERE p.id = before.id AND p.attempt = $2 AND p.verdict_at IS NULL AND p.released_at IS NULL
      RETURNING p.id, p.partner_id, p.environment, p.created_by, p.request_id, unseen
    ), seen AS (${seenFirst('answered', '$3')})
    SELECT id FROM answered`,
}

const noteAttention: Statement = {
  name: 'payout-attention',
  text: `UPDATE payouts SET attention = $2 WHERE id = $1 AND attention IS DISTINCT FROM $2
    AND (attention IS NULL OR ${isPassing('attention')} OR (${isDisputed('$2::text')} AND NOT ${isDisputed('attention')}))
    RETURNING id`,
}
