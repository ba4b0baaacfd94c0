// The changes to a payout's row. Every decision that can cost money is one conditional UPDATE.
import type { KeptVerdict, PayoutStatus, Refusal } from '../../domain/payouts/payout'
import { isPayoutRailPaused } from '../bank/rail-pauses'
import type { Queryable, Tx } from '../database'
import { type Sql, sql } from '../sql'
import type { StoredPayout } from './payout'

export interface StepRow
  extends Omit<
    StoredPayout,
    | 'idempotencyKey'
    | 'fingerprint'
    | 'fingerprintKeyId'
    | 'fieldFingerprints'
    | 'country'
    | 'createdVia'
    | 'createdBy'
    | 'recipientName'
    | 'accountLast4'
    | 'accountHash'
    | 'accountHashKeyId'
    | 'bankKeyRenewals'
    | 'transferState'
    | 'verdictAt'
    | 'returnedAt'
    | 'requestId'
    | 'updatedAt'
  > {
  readonly walletRef: string | null
  /** Why the debited payout has to wait. Null if its first bank call can start. */
  readonly heldBy: 'rail paused' | 'partner not active' | null
}

/** The attempt that a step belongs to. A step for an older attempt changes nothing. */
interface AttemptRef {
  readonly payoutId: string
  readonly attempt: number
}

export async function loadStep(db: Queryable, payoutId: string): Promise<StepRow> {
  return found(await db.sql<StepRow>`${selectStep} WHERE p.id = ${payoutId}`)
}

/** Loads the payout and locks its row until the transaction ends. */
export async function lockStep(tx: Tx, payoutId: string): Promise<StepRow> {
  return found(await tx.sql<StepRow>`${selectStep} WHERE p.id = ${payoutId} FOR UPDATE OF p`)
}

interface FirstCall {
  readonly key: string
  readonly body: string
}

/**
 * Reserves the first call to the bank. Only the activity run that gets a result may make the call with this bank key.
 * Returns null if another run has reserved the call, the payout has ended, the rail is paused, or the partner is not
 * active.
 */
export async function beginSubmit(
  db: Queryable,
  { payoutId, attempt, body, at }: AttemptRef & { body: string; at: Date },
): Promise<FirstCall | null> {
  // `begin_submit` and a rail pause use conflicting locks, so they never run at the same time (db/bank/rail-pauses.ts).
  const [call] = await db.sql<FirstCall>`SELECT body, key FROM begin_submit(${payoutId}, ${attempt}, ${body}, ${at})`
  return call ?? null
}

/**
 * Only for the activity run that made the only call under `key` and can prove that the bank moved no money. The payout
 * becomes unsent again and can be cancelled. Its next call is a first call with a new key, because a bank may repeat a
 * refusal for as long as it remembers a key. Returns false if another run has recorded the outcome as unknown, because
 * the proof then does not cover every call.
 */
export async function withdrawSubmit(
  db: Queryable,
  { payoutId, attempt, key, newKey }: AttemptRef & { key: string; newKey: string },
): Promise<boolean> {
  const withdrawn = await db.sql`UPDATE payouts SET submit_started_at = NULL, bank_body = NULL, bank_key = ${newKey},
      bank_key_renewals = bank_key_renewals + 1
    WHERE id = ${payoutId} AND attempt = ${attempt} AND bank_key = ${key} AND submit_started_at IS NOT NULL
      AND verdict IS NULL AND transfer_ref IS NULL AND released_at IS NULL AND status = 'pending'
    RETURNING id`
  return withdrawn.length > 0
}

interface Kept extends AttemptRef {
  readonly verdict: KeptVerdict
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly transferRef: string | null
  readonly transferState: string | null
  readonly event: string
  readonly afterwards: 'open' | 'closed'
  readonly at: Date
}

/** Records the verdict on a payout that keeps its key. Returns false if another step has already changed the row. */
export async function keepPayout(db: Queryable, kept: Kept): Promise<boolean> {
  const { payoutId, attempt, verdict, status, failureReason, transferRef, transferState, event, at } = kept
  const closedAt = kept.afterwards === 'closed' ? at : null
  const isSettled = sql`(${transferRef}::text IS NOT NULL OR ${closedAt}::timestamptz IS NOT NULL)`
  const recorded = await db.sql`WITH ${before(payoutId)}, kept AS (
      UPDATE payouts p SET verdict = ${verdict}, verdict_at = coalesce(verdict_at, ${at}), status = ${status},
        failure_reason = ${failureReason}, transfer_ref = ${transferRef}, transfer_state = ${transferState},
        updated_at = ${at}, closed_at = ${closedAt},
        attention = CASE
          WHEN ${transferRef}::text IS NOT NULL AND attention IN ('bank_misconfigured', 'bank_insufficient') THEN NULL
          WHEN ${closedAt}::timestamptz IS NOT NULL AND attention = 'bank_misconfigured' THEN NULL
          ELSE ${attentionUnless(isSettled)} END
      FROM before
      WHERE p.id = before.id AND p.attempt = ${attempt} AND p.status = 'pending' AND p.released_at IS NULL
        AND p.transfer_ref IS NULL AND p.verdict IS DISTINCT FROM ${verdict}
        -- A call that was withdrawn after the caller read the row does not count as unknown.
        AND (${verdict} <> 'unknown' OR p.submit_started_at IS NOT NULL)
      RETURNING p.id, p.partner_id, p.environment, p.created_by, p.request_id, unseen
    ), seen AS (${recordCreation(sql`kept`, at)})
    INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
    SELECT id, ${at}, ${event}, ${status}, 'bank', ${failureReason} FROM kept
    RETURNING payout_id`
  return recorded.length > 0
}

/** Releases an unacknowledged payout's key and confirmation code. The same transaction must reverse the debit. */
export async function releaseRow(
  tx: Tx,
  { payoutId, verdict, details, at }: { payoutId: string; verdict: Refusal; details: object | null; at: Date },
): Promise<void> {
  const json = details === null ? null : JSON.stringify(details)
  await tx.sql`WITH given_back AS (
      UPDATE codes SET used_at = NULL FROM payouts
      WHERE payouts.id = ${payoutId} AND payouts.created_via = 'dashboard' AND codes.used_for = payouts.id
        AND codes.purpose = 'confirm'
    )
    UPDATE payouts SET verdict = ${verdict}, verdict_details = ${json}::jsonb, verdict_at = ${at}, released_at = ${at},
      updated_at = ${at}, attention = ${attentionUnless(sql`true`)}
    WHERE id = ${payoutId}`
}

/**
 * Undoes a release. The attempt then has a started bank call and no verdict. The caller posts the debit again in the
 * same transaction.
 */
export async function undoRelease(tx: Tx, { payoutId, attempt, at }: AttemptRef & { at: Date }): Promise<void> {
  await tx.sql`UPDATE payouts SET verdict = NULL, verdict_details = NULL, verdict_at = NULL, released_at = NULL,
      submit_started_at = coalesce(submit_started_at, ${at}),
      attention = CASE WHEN ${isDisputed(sql`payouts.attention`)} THEN NULL ELSE attention END
    WHERE id = ${payoutId} AND attempt = ${attempt} AND released_at IS NOT NULL`
}

export interface Move {
  readonly payoutId: string
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly transferState: string
  readonly networkCostMicropounds?: bigint | null
  readonly event: string | null
  readonly detail: string | null
  readonly afterwards: 'open' | 'closed'
  readonly at: Date
}

/** The caller must have called `lockStep`. Adds `event` to the timeline. Only a new status changes `updated_at`. */
export async function movePayout(tx: Tx, move: Move): Promise<void> {
  const { payoutId, status, failureReason, transferState, networkCostMicropounds = null, event, detail, at } = move
  const closedAt = move.afterwards === 'closed' ? at : null
  await tx.sql`WITH moved AS (
      UPDATE payouts SET transfer_state = ${transferState}, status = ${status},
        failure_reason = coalesce(${failureReason}, failure_reason),
        network_cost_micropounds = coalesce(${networkCostMicropounds}, network_cost_micropounds),
        completed_at = CASE WHEN ${status} = 'completed' THEN coalesce(completed_at, ${at}) ELSE completed_at END,
        returned_at = CASE WHEN ${status} = 'returned' THEN coalesce(returned_at, ${at}) ELSE returned_at END,
        updated_at = CASE WHEN status = ${status} THEN updated_at ELSE ${at} END, closed_at = ${closedAt},
        attention = ${attentionUnless(sql`${closedAt}::timestamptz IS NOT NULL`)}
      WHERE id = ${payoutId}
      RETURNING id
    )
    INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
    SELECT id, ${at}, ${event}, ${status}, 'bank', ${detail} FROM moved WHERE ${event}::text IS NOT NULL`
}

/** Marks the payout as finished. The caller must have called `lockStep`. */
export async function closePayout(tx: Tx, payoutId: string, at: Date): Promise<void> {
  await tx.sql`UPDATE payouts SET closed_at = ${at},
      attention = CASE WHEN attention = 'can_not_book_charge' THEN NULL ELSE ${attentionUnless(sql`true`)} END
    WHERE id = ${payoutId} AND closed_at IS NULL`
}

/**
 * Locks the partner's live payouts that completed before the given time and are not closed. They might not have been
 * charged yet.
 */
export async function lockUnclosedCompleted(tx: Tx, partnerId: string, before: Date): Promise<StepRow[]> {
  return tx.sql<StepRow>`${selectStep} WHERE p.partner_id = ${partnerId} AND ${isUnclosedCompleted(before)}
    ORDER BY p.id FOR UPDATE OF p`
}

/** Expects the `payouts` table under the alias `p`. */
export function isUnclosedCompleted(before: Date): Sql {
  return sql`p.environment = 'live' AND p.status = 'completed' AND p.completed_at < ${before}
    AND p.released_at IS NULL AND p.closed_at IS NULL`
}

/** Acknowledges the payout before the API answers `pending`. Returns false if a verdict or a release came first. */
export async function markAnswered(
  db: Queryable,
  { payoutId, attempt, at }: AttemptRef & { at: Date },
): Promise<boolean> {
  const answered = await db.sql`WITH ${before(payoutId)}, answered AS (
      UPDATE payouts p SET answered_at = coalesce(answered_at, ${at}) FROM before
      WHERE p.id = before.id AND p.attempt = ${attempt} AND p.verdict_at IS NULL AND p.released_at IS NULL
      RETURNING p.id, p.partner_id, p.environment, p.created_by, p.request_id, unseen
    ), seen AS (${recordCreation(sql`answered`, at)})
    SELECT id FROM answered`
  return answered.length > 0
}

/**
 * Sets the attention code. Keeps a code that only an operator can clear, unless the new code reports a transfer that is
 * missing from our ledger. Returns false if nothing changed.
 */
export async function setAttention(db: Queryable, payoutId: string, attention: string): Promise<boolean> {
  const set = await db.sql`UPDATE payouts SET attention = ${attention}
    WHERE id = ${payoutId} AND attention IS DISTINCT FROM ${attention} AND (attention IS NULL
      OR ${isTransientAttention(sql`attention`)} OR (${isDisputed(sql`${attention}::text`)} AND NOT ${isDisputed(sql`attention`)}))
    RETURNING id`
  return set.length > 0
}

/** Returns false if the payout already needs attention for a reason other than being overdue. */
export async function raiseAttention(db: Queryable, payoutId: string, attention: string): Promise<boolean> {
  const raised = await db.sql`UPDATE payouts SET attention = ${attention}
    WHERE id = ${payoutId} AND (attention IS NULL OR attention IN ('outcome_overdue', 'settlement_overdue')) RETURNING id`
  return raised.length > 0
}

/** Clears attention about an unusual transfer state once the bank reports an ordinary state. */
export async function clearBankAttention(db: Queryable, payoutId: string): Promise<void> {
  await db.sql`UPDATE payouts SET attention = NULL WHERE id = ${payoutId} AND attention ~ '^(bank_says|can_not_book)_'`
}

function found(rows: readonly StepRow[]): StepRow {
  const [row] = rows
  if (row === undefined) throw new Error('the payout of this step does not exist')
  return row
}

const selectStep = sql`SELECT p.id, p.attempt, p.partner_id, p.environment, p.wallet_id, p.rail, p.customer_ref, w.wallet_ref,
    p.status, p.failure_reason, p.reference, p.amount_pence, p.fee_pence, p.fee_in_transfer_pence, p.wallet_sends_micro_usdc,
    p.gbp_per_usd_nano, p.bank_key, p.bank_body, p.transfer_ref, p.created_at, p.submit_started_at, p.verdict,
    p.verdict_details, p.answered_at, p.released_at, p.completed_at, p.network_cost_micropounds, p.closed_at,
    p.attention,
    CASE WHEN ${isPayoutRailPaused} THEN 'rail paused'
      WHEN NOT EXISTS (SELECT FROM partners WHERE partners.id = p.partner_id AND partners.status = 'active')
      THEN 'partner not active' END AS held_by
  FROM payouts p JOIN wallets w ON w.id = p.wallet_id`

/**
 * Matches attention codes for a transfer at the bank that may be missing from our ledger. An operator must decide
 * before a request with the same Idempotency-Key can pay.
 */
export function isDisputed(attention: Sql): Sql {
  return sql`coalesce(${attention} ~ '^(bank_contradicts_|unaccounted_transfer$)', false)`
}

/**
 * Matches attention codes that are cleared without an operator: by an awaited event, the bank's next answer or another
 * attempt.
 */
export function isTransientAttention(attention: Sql): Sql {
  return sql`coalesce(${isAwaited(attention)} OR ${attention} ~ '^(bank_says_|can_not_book_|bank_misconfigured$)', false)`
}

/** Clears the attention if its code only reports a missing event and that event has happened. Other codes remain. */
function attentionUnless(hasCome: Sql): Sql {
  return sql`CASE WHEN ${hasCome} AND ${isAwaited(sql`attention`)} THEN NULL ELSE attention END`
}

function isAwaited(attention: Sql): Sql {
  return sql`${attention} IN ('outcome_unknown', 'outcome_overdue', 'settlement_overdue', 'refund_missing', 'refund_unexplained')`
}

/** Locks the row and reads its old state, which shows whether the change makes the payout visible. */
function before(payoutId: string): Sql {
  return sql`before AS (
      SELECT id, verdict_at IS NULL AND answered_at IS NULL AS unseen FROM payouts WHERE id = ${payoutId} FOR UPDATE
    )`
}

/** Part of the statement that makes a payout visible, so that the activity list shows its creation immediately. */
function recordCreation(changed: Sql, at: Date): Sql {
  return sql`INSERT INTO activity
      (partner_id, at, environment, action, changes, status, made_by, detail, request_id)
      SELECT partner_id, ${at}, environment, 'payout.create', true, 201, created_by, id::text, request_id
      FROM ${changed} WHERE unseen`
}
