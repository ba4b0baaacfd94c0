// Asks the bank for the status of a transfer and books the answer, for a sent payout and for a completed one that may have
// been returned.
import { loadStep, type StepRow } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import { kept } from '../../domain/payouts/payout'
import { RailUnavailable, type Refund, type Transfer } from '../../rail/rail'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { ReturnRef, ReturnStep } from '../../workflows/payouts/return'
import type { PayoutDeps } from '../bind'
import { noteFailedCall, over, reasonIn, refsOf, settledOf, stateOf } from './attempt'
import { type Asked, bookAnswer } from './book'

export async function pollSettlement(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const state = stateOf(row, payout)
  if (state?.at !== 'sent') return state ?? { ...waiting, status: row.status }
  const asked = await askBank(deps, row)
  if ('bank' in asked) return { ...waiting, ...state, status: row.status, ...asked }
  const { at, status, says, failureReason = null } = await bookAnswer(deps, row.id, asked, isClosed)
  if (at === 'over') return over(status, says, kept, failureReason)
  if (at === 'settled') return settledOf(row)
  return { ...waiting, ...state, status, says, ...reasonIn(failureReason) }
}

const isClosed = ({ closedAt }: StepRow) => closedAt !== null

const waiting = { at: 'sent', verdict: kept, says: 'waiting for the bank' } as const

export async function pollReturn(deps: PayoutDeps, { payoutId }: ReturnRef): Promise<ReturnStep> {
  const row = await loadStep(deps.db, payoutId)
  if (isReturnOver(row)) return { at: 'over', status: row.status, says: row.status }
  const asked = await askBank(deps, row)
  if ('bank' in asked) return { at: 'waiting', status: row.status, ...asked }
  const { at, status, says, failureReason = null } = await bookAnswer(deps, payoutId, asked, isReturnOver)
  // A settled payout was not returned. Its own workflow charges it.
  return { at: at === 'settled' ? 'over' : at, status, says, ...reasonIn(failureReason) }
}

/** The money is back, or the payout never completed. In that case its own workflow settles it. */
function isReturnOver({ completedAt, status, closedAt }: StepRow): boolean {
  return completedAt === null || (status === 'returned' && closedAt !== null)
}

/** The workflow's own poll interval is the backoff for a bank that does not answer: a retry here would only lengthen its history. */
async function askBank(deps: PayoutDeps, row: StepRow): Promise<Asked | Pick<Required<Underway>, 'says' | 'bank'>> {
  assert(row.transferRef !== null, 'a payout that was sent must know its transfer')
  try {
    const transfer = await deps.rails[row.rail].transfer(row.transferRef)
    const isBack = transfer.status === 'refunded' || transfer.status === 'cancelled'
    return { transfer, isBack, refund: isBack ? await refundOf(deps, row, transfer) : null }
  } catch (error) {
    if (!(error instanceof RailUnavailable)) throw error
    const bank = error.answer
    await noteFailedCall(deps, row, { operation: 'read_transfer', cause: bank })
    return { says: 'waiting: the bank does not answer', bank }
  }
}

/** The refunded amount. Some banks do not state it in the transfer, so it is read from the wallet's history. */
async function refundOf({ rails }: PayoutDeps, row: StepRow, transfer: Transfer): Promise<Refund | null> {
  const { refundedMicroUsdc: amountMicroUsdc } = transfer
  if (amountMicroUsdc !== null) return { amountMicroUsdc, movementRef: null }
  return rails[row.rail].findRefund({ ...refsOf(row), transferRef: transfer.ref, since: row.createdAt })
}
