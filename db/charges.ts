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
  /** Why, where the cause does not say it. */
  readonly description?: string
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
    charge.description ?? null,
  ])
}

/** What was charged for the fee of a payout; null when it was never completed in live. */
export async function findPayoutFee(tx: Tx, partnerId: string, payoutId: string): Promise<bigint | null> {
  return findCharge(tx, { partnerId, kind: 'payout_fee', causeRef: payoutId })
}

/** What was charged for this cause; null when nothing was. */
export async function findCharge(
  tx: Tx,
  { partnerId, kind, causeRef }: Pick<Charge, 'partnerId' | 'kind' | 'causeRef'>,
): Promise<bigint | null> {
  const [charge] = await tx.query<{ amountMicropounds: bigint }>(selectCharge, [partnerId, kind, causeRef])
  return charge?.amountMicropounds ?? null
}

const insertCharge: Statement = {
  name: 'charge',
  text: `INSERT INTO charges (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at, description)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (partner_id, kind, cause_ref) DO NOTHING`,
}

const selectCharge: Statement = {
  name: 'charge-of-cause',
  text: `SELECT amount_micropounds AS "amountMicropounds" FROM charges
    WHERE partner_id = $1 AND kind = $2 AND cause_ref = $3`,
}
