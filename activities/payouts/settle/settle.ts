// Asks the bank how a transfer stands and books what follows.
import { loadStep } from '../../../db/payouts/steps'
import { kept } from '../../../domain/payouts/verdict'
import type { PayoutRef, Underway } from '../../../workflows/payouts/payout'
import type { PayoutDeps } from '../../bind'
import { type Refused, releasePayout } from '../release'
import { over, standingOf } from '../standing'
import { askBank } from './ask-bank'
import { bookAnswer } from './book'

export async function pollSettlement(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const standing = standingOf(row, payout)
  if (standing?.at !== 'sent') return standing ?? { ...waiting, status: row.status }
  const asked = await askBank(deps, row)
  if (asked === 'no answer') return { ...waiting, status: row.status, says: 'waiting: the bank does not answer' }
  const { at, status, says } = await bookAnswer(deps, row.id, asked, ({ closedAt }) => closedAt !== null)
  return at === 'over' ? over(status, says) : { ...waiting, status, says }
}

/** A call that was never made, as the bank's own complete list has shown. */
export async function failNeverSent(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  return releasePayout(deps, payout, { ...neverSent, proof: 'absent-at-the-bank' })
}

export const neverSent: Refused = {
  code: 'payout_not_created',
  details: null,
  failureReason: 'not_sent: The bank has no such transfer.',
}

const waiting = { at: 'sent', verdict: kept, says: 'waiting for the bank' } as const
