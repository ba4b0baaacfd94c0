// Charges a partner for a live payout: fees on completion, exceptions, and the credit for a return. Charges each cause
// once.

import { assert } from '../../domain/assert'
import { exceptionFeeFor, networkFeeFor } from '../../domain/invoices/fees'
import { micropoundsFromPence } from '../../domain/money'
import { londonMonthOf } from '../../domain/month'
import type { Tx } from '../database'
import type { StepRow } from '../payouts/steps'
import { addCharge, findPayoutFee } from './charges'
import { findPrices } from './price-lists'

export type Chargeable = Pick<
  StepRow,
  'id' | 'partnerId' | 'environment' | 'feePence' | 'feeInTransferPence' | 'completedAt' | 'networkCostMicropounds'
>

export interface PayoutCharge {
  readonly feeMicropounds: bigint
  readonly networkMicropounds: bigint
}

/**
 * Charges the fees in the month in which the payout completed and at the prices of that time, even if this runs later.
 * Returns null in the sandbox, where nothing is charged.
 */
export async function chargePayout(tx: Tx, row: Chargeable, at: Date): Promise<PayoutCharge | null> {
  if (row.environment !== 'live') return null
  assert(row.completedAt !== null, 'only a completed payout can be charged')
  const prices = await findPrices(tx, row.partnerId, row.completedAt)
  const about = {
    partnerId: row.partnerId,
    causeRef: row.id,
    payoutId: row.id,
    at,
    month: londonMonthOf(row.completedAt),
  }
  const feeMicropounds = micropoundsFromPence(row.feePence - row.feeInTransferPence)
  await addCharge(tx, { ...about, kind: 'payout_fee', amountMicropounds: feeMicropounds })
  // If the bank does not report its cost, the price list's cost applies.
  const networkMicropounds = networkFeeFor(row.networkCostMicropounds, prices)
  await addCharge(tx, { ...about, kind: 'network_fee', amountMicropounds: networkMicropounds })
  return { feeMicropounds, networkMicropounds }
}

type Charged = Pick<StepRow, 'id' | 'partnerId' | 'environment'>

/** Credits a returned payout's charged fee in the month of the return. */
export async function creditReturned(tx: Tx, row: Charged, at: Date): Promise<void> {
  if (row.environment !== 'live') return
  const fee = await findPayoutFee(tx, row.partnerId, row.id)
  if (fee === null || fee === 0n) return
  const about = { partnerId: row.partnerId, causeRef: row.id, payoutId: row.id, at }
  await addCharge(tx, { ...about, kind: 'credit', amountMicropounds: fee })
}

/** Charges the price list's cost for a return once, whether or not the payout had completed. */
export async function chargeReturn(tx: Tx, row: Charged, at: Date): Promise<void> {
  const { returnCostMicropounds } = await findPrices(tx, row.partnerId, at)
  await chargeException(tx, row, { causeRef: `return/${row.id}`, costMicropounds: returnCostMicropounds, at })
}

/** Charges a return, recall or trace once per `causeRef`. Charges nothing if the bank's cost was zero. */
export async function chargeException(
  tx: Tx,
  row: Charged,
  { causeRef, costMicropounds, at }: { causeRef: string; costMicropounds: bigint; at: Date },
): Promise<void> {
  if (row.environment !== 'live') return
  const amountMicropounds = exceptionFeeFor(costMicropounds, await findPrices(tx, row.partnerId, at))
  if (amountMicropounds === 0n) return
  const about = { partnerId: row.partnerId, payoutId: row.id, causeRef, at }
  await addCharge(tx, { ...about, kind: 'exception', amountMicropounds })
}
