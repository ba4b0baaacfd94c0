// The timeline of a payout, and the events that operators and partners add to it.

import type { PayoutStatus } from '../../domain/payouts/payout'
import { entity, idOf, orNull, sequence, text, time } from '../columns'
import type { Tx } from '../database'

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
  /** Without names and account numbers. */
  readonly detail: string | null
}

/** Records the payout's current status, which may have changed since the caller read it. */
export async function recordPayoutEvent(tx: Tx, { payoutId, at, kind, madeBy, detail }: ManualEvent): Promise<void> {
  await tx.sql`INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
    SELECT id, ${at}::timestamptz, ${kind}::text, status, ${madeBy}::text, ${detail}::text FROM payouts
    WHERE id = ${payoutId} FOR UPDATE`
}
