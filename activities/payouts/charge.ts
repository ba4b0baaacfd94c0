// Charges a completed payout, once, and closes it.
import type { Tx } from '../../db/database'
import { isTransient } from '../../db/errors'
import { chargePayout as addCharges, type PayoutCharge } from '../../db/invoices/payout-charges'
import { closePayout, lockStep, setAttention } from '../../db/payouts/steps'
import { formatMicropounds } from '../../domain/money'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import { over, stateOf } from './attempt'

export async function chargePayout({ db, clock, log }: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  try {
    return await db.transaction((tx) => charge(tx, payout, clock.now()))
  } catch (error) {
    // A permanent error fails every retry until an operator fixes the cause.
    if (!isTransient(error) && (await setAttention(db, payout.payoutId, 'can_not_book_charge'))) {
      log.error({ err: error, payout_id: payout.payoutId }, 'cannot charge a completed payout')
    }
    throw error
  }
}

async function charge(tx: Tx, payout: PayoutRef, at: Date): Promise<Underway> {
  const row = await lockStep(tx, payout.payoutId)
  const state = stateOf(row, payout)
  // Another run has charged the payout, or the payout has been returned since. A return also charges it.
  if (state?.at !== 'settled') return state?.at === 'over' ? state : over(row.status)
  const charged = await addCharges(tx, row, at)
  await closePayout(tx, row.id, at)
  return over(row.status, `completed, ${textOf(charged)}`)
}

function textOf(charged: PayoutCharge | null): string {
  if (charged === null) return 'nothing is charged in the sandbox'
  return `fee ${formatMicropounds(charged.feeMicropounds)} GBP, network ${formatMicropounds(charged.networkMicropounds)} GBP`
}
