// The timeline of a payout, as people write into it.
import type { Tx } from '../database'

/** What people do about a payout, and what is no news of it from the bank or from us. */
export const peoplesKinds = [
  'resolved',
  'retried',
  'cancel_asked',
  'shredded',
  'attended',
  'case_opened',
  'case_resolved',
] as const

export interface PeoplesEvent {
  readonly payoutId: string
  readonly at: Date
  readonly kind: (typeof peoplesKinds)[number]
  readonly madeBy: string
  /** Without names and account numbers. */
  readonly detail: string | null
}

/** With the status that the payout has then: it may have gone on since its caller has looked. */
export async function tellPayout(tx: Tx, { payoutId, at, kind, madeBy, detail }: PeoplesEvent): Promise<void> {
  await tx.sql`INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
    SELECT id, ${at}::timestamptz, ${kind}::text, status, ${madeBy}::text, ${detail}::text FROM payouts WHERE id = ${payoutId} FOR UPDATE`
}
