// Charges a live partner for a payout, each cause once: fees when it completes, exceptions, and the credit for a return.

import { exceptionFeeFor, networkFeeFor } from '../../domain/invoices/fees'
import { micropoundsFromPence } from '../../domain/money'
import type { Tx } from '../database'
import type { StepRow } from '../payouts/steps'
import { addCharge, findPayoutFee } from './charges'
import { findPrices } from './price-lists'

/** `networkCostMicropounds` is null if the bank does not state it. The price list has the cost then. */
export async function chargePayout(
  tx: Tx,
  row: StepRow,
  { networkCostMicropounds }: { readonly networkCostMicropounds: bigint | null },
  at: Date,
): Promise<void> {
  if (row.environment !== 'live') return
  const prices = await findPrices(tx, row.partnerId, at)
  const about = { partnerId: row.partnerId, causeRef: row.id, payoutId: row.id, at }
  const fee = micropoundsFromPence(row.feePence - row.feeInTransferPence)
  await addCharge(tx, { ...about, kind: 'payout_fee', amountMicropounds: fee })
  const network = networkFeeFor(networkCostMicropounds, prices)
  await addCharge(tx, { ...about, kind: 'network_fee', amountMicropounds: network })
}

type Charged = Pick<StepRow, 'id' | 'partnerId' | 'environment'>

/** Credits the invoiced part of the fee of a returned payout, in the month of the return. */
export async function creditReturned(tx: Tx, row: Charged, at: Date): Promise<void> {
  if (row.environment !== 'live') return
  const fee = await findPayoutFee(tx, row.partnerId, row.id)
  if (fee === null || fee === 0n) return
  const about = { partnerId: row.partnerId, causeRef: row.id, payoutId: row.id, at }
  await addCharge(tx, { ...about, kind: 'credit', amountMicropounds: fee })
}

/** Charges the price list's cost of a return, once, whether or not the payout had completed. */
export async function chargeReturn(tx: Tx, row: Charged, at: Date): Promise<void> {
  const { returnCostMicropounds } = await findPrices(tx, row.partnerId, at)
  await chargeException(tx, row, { causeRef: `return/${row.id}`, costMicropounds: returnCostMicropounds, at })
}

/** Charges a return, recall or trace, each once by its `causeRef`. Nothing is charged if it cost nothing. */
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
