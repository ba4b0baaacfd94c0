// What a partner owes: rows that only ever grow, each of them once by its cause (design §4).
import type { ChargeKind } from '../domain/invoice'
import type { Statement, Tx } from './database'
import { newId } from './id'

export interface Charge {
  readonly partnerId: string
  readonly kind: ChargeKind
  readonly causeRef: string
  readonly payoutId: string | null
  readonly amountMicropounds: bigint
  readonly at: Date
}

/** Into the London month of its moment; a repeat of the same cause adds nothing. */
export async function addCharge(tx: Tx, charge: Charge): Promise<void> {
  const { partnerId, kind, causeRef, payoutId, amountMicropounds, at } = charge
  await tx.query(insertCharge, [newId(at), partnerId, kind, causeRef, payoutId, amountMicropounds, at])
}

const insertCharge: Statement = {
  name: 'charge',
  text: `INSERT INTO charges (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, date_trunc('month', $7::timestamptz AT TIME ZONE 'Europe/London')::date, $7)
    ON CONFLICT (partner_id, kind, cause_ref) DO NOTHING`,
}
