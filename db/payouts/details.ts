// What a partner may know of one payout beyond the payout itself: who made it, under which key, how its fee divides, and the bank's name for it.
import { assert } from '../../domain/assert'
import type { RailName } from '../../domain/environment'
import type { Pence } from '../../domain/money'
import type { GbpPerUsdNano } from '../../domain/rate'
import type { Queryable } from '../database'

export interface PayoutDetailsRow {
  readonly idempotencyKey: string
  readonly createdBy: string
  readonly feePence: Pence
  readonly feeInTransferPence: Pence
  readonly gbpPerUsdNano: GbpPerUsdNano
  /** Null until the bank has it. */
  readonly transferRef: string | null
}

/** Of a payout that its caller may see: whoever asks has made sure of that. */
export async function loadPayoutDetails(db: Queryable, payoutId: string): Promise<PayoutDetailsRow> {
  const [row] = await db.sql<PayoutDetailsRow>`SELECT idempotency_key, created_by, fee_pence,
      fee_in_transfer_pence, gbp_per_usd_nano, transfer_ref
    FROM payouts WHERE id = ${payoutId}`
  assert(row !== undefined, 'a payout that was found must have details')
  return row
}

export interface PayoutAtBank {
  readonly rail: RailName
  /** Null until the bank has it. */
  readonly transferRef: string | null
}

/** As above: whoever asks has made sure that they may. */
export async function loadPayoutAtBank(db: Queryable, payoutId: string): Promise<PayoutAtBank> {
  const [row] = await db.sql<PayoutAtBank>`SELECT rail, transfer_ref FROM payouts WHERE id = ${payoutId}`
  assert(row !== undefined, 'a payout that was found is there')
  return row
}
