// Charges a completed payout, once, and closes it.
import { chargePayout as addCharges, type PayoutCharge } from '../../db/invoices/payout-charges'
import { closePayout, lockStep } from '../../db/payouts/steps'
import { formatMicropounds } from '../../domain/money'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import { over, stateOf } from './attempt'

export async function chargePayout({ db, clock }: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  return db.transaction(async (tx) => {
    const row = await lockStep(tx, payout.payoutId)
    const state = stateOf(row, payout)
    // Charged by another run, or returned in between, which charges too.
    if (state?.at !== 'settled') return state?.at === 'over' ? state : over(row.status)
    const at = clock.now()
    const charge = await addCharges(tx, row, at)
    await closePayout(tx, row.id, at)
    return over(row.status, `completed, ${textOf(charge)}`)
  })
}

function textOf(charge: PayoutCharge | null): string {
  if (charge === null) return 'nothing is charged in the sandbox'
  return `fee ${formatMicropounds(charge.feeMicropounds)} GBP, network ${formatMicropounds(charge.networkMicropounds)} GBP`
}
