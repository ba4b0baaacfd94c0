// Debits the wallet for a payout, once, or refuses the payout.

import { postDebit } from '../../db/payouts/money'
import { lockStep } from '../../db/payouts/steps'
import { shortfallOf } from '../../domain/payouts/quote'
import type { PayoutRef, Step } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import { refuse, reportState, stateOf } from './attempt'

export async function debitPayout(deps: PayoutDeps, payout: PayoutRef): Promise<Step> {
  const at = deps.clock.now()
  return deps.db.transaction(async (tx) => {
    const row = await lockStep(tx, payout.payoutId)
    const state = stateOf(row, payout)
    if (state !== null) return reportState({ clock: deps.clock, db: tx }, payout, state)

    const posted = await postDebit(tx, row, at)
    if (posted.outcome !== 'insufficient') return { at: 'held' }
    const details = shortfallOf(row.walletSendsMicroUsdc, posted.balanceMicroUsdc, row.gbpPerUsdNano)
    const failureReason = 'insufficient_funds: The wallet balance was too low.'
    return refuse(tx, row, { code: 'insufficient_funds', details, failureReason }, at)
  })
}
