// What a completed payout costs its partner: the invoice's part of the fee and the network fee, once, and in live only.
import { addCharge } from '../../db/charges'
import type { Tx } from '../../db/database'
import type { StepRow } from '../../db/payout-steps'
import { findPrices } from '../../db/price-lists'
import { networkFeeFor } from '../../domain/fees'
import { micropoundsFromPence } from '../../domain/money'
import type { Transfer } from '../../rail/rail'

export async function chargePayout(tx: Tx, row: StepRow, transfer: Transfer, at: Date): Promise<void> {
  if (row.environment !== 'live') return
  const prices = await findPrices(tx, row.partnerId, at)
  const about = { partnerId: row.partnerId, causeRef: row.id, payoutId: row.id, at }
  const fee = micropoundsFromPence(row.feePence - row.feeInTransferPence)
  await addCharge(tx, { ...about, kind: 'payout_fee', amountMicropounds: fee })
  const network = networkFeeFor(transfer.networkCostMicropounds, prices)
  await addCharge(tx, { ...about, kind: 'network_fee', amountMicropounds: network })
}
