// A payout's timeline, including the events that users and operators cause, and its failed bank calls.

import type { PayoutStatus } from '../../domain/payouts/payout'
import { entity, idOf, integer, orNull, primary, sequence, text, time } from '../columns'
import type { Queryable, Tx } from '../database'

export interface PayoutEventRow {
  readonly id: bigint
  readonly payoutId: string
  readonly at: Date
  readonly kind: string
  /** The payout's status after the event. */
  readonly status: PayoutStatus
  readonly madeBy: string
  readonly detail: string | null
}

export const payoutEvent = entity<PayoutEventRow>('PayoutEvent', 'payout_events', {
  id: sequence,
  payoutId: idOf('Payout'),
  at: time,
  kind: text,
  status: text,
  madeBy: text,
  detail: orNull(text),
})

/** Kinds of events that a person causes, as opposed to the bank or the service. */
export const manualEventKinds = [
  'resolved',
  'retried',
  'cancel_asked',
  'shredded',
  'attended',
  'case_opened',
  'case_resolved',
] as const

interface ManualEvent extends Pick<PayoutEventRow, 'payoutId' | 'at' | 'madeBy'> {
  readonly kind: (typeof manualEventKinds)[number]
  /** Must not contain names or account numbers. */
  readonly detail: string | null
}

/** Stores the payout's current status with the event. It may have changed since the caller read the payout. */
export async function recordPayoutEvent(tx: Tx, { payoutId, at, kind, madeBy, detail }: ManualEvent): Promise<void> {
  await tx.sql`INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
    SELECT id, ${at}::timestamptz, ${kind}::text, status, ${madeBy}::text, ${detail}::text FROM payouts
    WHERE id = ${payoutId} FOR UPDATE`
}

/**
 * Records who asks to cancel a pending payout. Repeated requests of one caller add one event, and a request after the
 * end adds none.
 */
export async function recordCancelRequest(
  tx: Tx,
  { payoutId, at, madeBy }: Pick<PayoutEventRow, 'payoutId' | 'at' | 'madeBy'>,
): Promise<void> {
  // Locks first, so that the next statement sees the events of concurrent requests.
  await tx.sql`SELECT id FROM payouts WHERE id = ${payoutId} FOR UPDATE`
  await tx.sql`INSERT INTO payout_events (payout_id, at, kind, status, made_by)
    SELECT id, ${at}::timestamptz, 'cancel_asked', status, ${madeBy}::text FROM payouts
    WHERE id = ${payoutId} AND status = 'pending' AND ${madeBy}::text IS DISTINCT FROM
      (SELECT made_by FROM payout_events WHERE payout_id = ${payoutId} AND kind = 'cancel_asked' ORDER BY id DESC LIMIT 1)`
}

interface FailedCallRow {
  readonly payoutId: string
  readonly attempt: number
  readonly operation: string
  /** A fixed phrase such as `HTTP 500` or `timeout`. Contains no names or account numbers. */
  readonly cause: string
  readonly failures: number
  readonly firstAt: Date
  readonly lastAt: Date
}

export const failedBankCall = entity<FailedCallRow>('FailedBankCall', 'failed_bank_calls', {
  payoutId: primary(idOf('Payout')),
  attempt: primary(integer),
  operation: primary(text),
  cause: primary(text),
  failures: integer,
  firstAt: time,
  lastAt: time,
})

export type FailedCall = Omit<FailedCallRow, 'payoutId'>

interface NewFailedCall extends Pick<FailedCallRow, 'payoutId' | 'attempt' | 'operation' | 'cause'> {
  readonly at: Date
}

/** Counts failures per attempt, operation and cause, so that a payout whose calls fail for a day has few rows. */
export async function recordFailedCall(db: Queryable, failed: NewFailedCall): Promise<void> {
  const { payoutId, attempt, operation, cause, at } = failed
  await db.sql`INSERT INTO failed_bank_calls AS f (payout_id, attempt, operation, cause, failures, first_at, last_at)
    VALUES (${payoutId}, ${attempt}, ${operation}, ${cause}, 1, ${at}, ${at})
    ON CONFLICT (payout_id, attempt, operation, cause) DO UPDATE SET failures = f.failures + 1,
      last_at = greatest(f.last_at, excluded.last_at)`
}

/** Sorts by last failure, oldest first. */
export async function listFailedCalls(db: Queryable, payoutId: string): Promise<FailedCall[]> {
  return db.sql<FailedCall>`SELECT attempt, operation, cause, failures, first_at, last_at FROM failed_bank_calls
    WHERE payout_id = ${payoutId} ORDER BY last_at, operation, cause`
}
