// Asks the bank about a payout that was completed and may have come back, and books what follows.
import { loadStep, type StepRow } from '../../../db/payouts/steps'
import type { ReturnRef, ReturnStep } from '../../../workflows/payouts/return'
import type { PayoutDeps } from '../../bind'
import { askBank } from './ask-bank'
import { bookAnswer } from './book'

export async function pollReturn(deps: PayoutDeps, { payoutId }: ReturnRef): Promise<ReturnStep> {
  const row = await loadStep(deps.db, payoutId)
  if (isSeenTo(row)) return { at: 'over', status: row.status, says: row.status }
  const asked = await askBank(deps, row)
  if (asked === 'no answer') return { at: 'waiting', status: row.status, says: 'waiting: the bank does not answer' }
  return bookAnswer(deps, payoutId, asked, isSeenTo)
}

/** Its money is back already, or it never arrived: then its own workflow looks after it. */
function isSeenTo({ completedAt, status, closedAt }: StepRow): boolean {
  return completedAt === null || (status === 'returned' && closedAt !== null)
}
