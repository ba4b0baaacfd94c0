// What a partner owes: rows that only ever grow, each of them once by its cause (design §4).
import type { ChargeKind } from '../domain/invoice'
import { firstDayOf, londonMonthOf, type Month } from '../domain/month'
import type { Statement, Tx } from './database'
import { newId } from './id'

export interface Charge {
  readonly partnerId: string
  readonly kind: ChargeKind
  readonly causeRef: string
  readonly payoutId: string | null
  readonly amountMicropounds: bigint
  readonly at: Date
  /** The London month of `at`, unless it is told. */
  readonly month?: Month
}

/** A repeat of the same cause adds nothing. */
export async function addCharge(tx: Tx, charge: Charge): Promise<void> {
  const { partnerId, kind, causeRef, payoutId, amountMicropounds, at, month = londonMonthOf(at) } = charge
  await tx.query(insertCharge, [
    newId(at),
    partnerId,
    kind,
    causeRef,
    payoutId,
    amountMicropounds,
    firstDayOf(month),
    at,
  ])
}

/** What was charged for the fee of a payout; null when it was never completed in live. */
export async function findPayoutFee(tx: Tx, partnerId: string, payoutId: string): Promise<bigint | null> {
  const [fee] = await tx.query<{ amountMicropounds: bigint }>(selectPayoutFee, [partnerId, payoutId])
  return fee?.amountMicropounds ?? null
}

const insertCharge: Statement = {
  name: 'charge',
  text: `INSERT INTO charges (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (partner_id, kind, cause_ref) DO NOTHING`,
}

const selectPayoutFee: Statement = {
  name: 'charge-of-payout',
  text: `SELECT amount_micropounds AS "amountMicropounds" FROM charges
    WHERE partner_id = $1 AND kind = 'payout_fee' AND cause_ref = $2`,
}
