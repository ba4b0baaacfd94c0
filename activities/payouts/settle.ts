// Reads a transfer's status at the bank and books it, for a sent payout or a completed one that may have been returned.
// One transaction under the row's lock changes status, ledger and timeline. charge.ts charges a completed payout.
import type { Tx } from '../../db/database'
import { isTransient } from '../../db/errors'
import { chargePayout, chargeReturn, creditReturned } from '../../db/invoices/payout-charges'
import { postBack, postPaidOut } from '../../db/payouts/money'
import {
  clearBankAttention,
  loadStep,
  lockStep,
  movePayout,
  raiseAttention,
  type StepRow,
  setAttention,
} from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import { assertMove, canMove, isFinal, kept, type PayoutStatus } from '../../domain/payouts/payout'
import { RailUnavailable, type Refund, type Transfer } from '../../rail/rail'
import { reasons } from '../../rail/reasons'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { ReturnRef, ReturnStep } from '../../workflows/payouts/return'
import type { PayoutDeps } from '../bind'
import { noteFailedCall, over, reasonIn, refsOf, settledOf, stateOf } from './attempt'

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
  // A settled payout was not returned. Its own workflow charges the fees.
  return { at: at === 'settled' ? 'over' : at, status, says, ...reasonIn(failureReason) }
}

/** True if the money is back. Also true if the payout never completed, because then its own workflow settles it. */
function isReturnOver({ completedAt, status, closedAt }: StepRow): boolean {
  return completedAt === null || (status === 'returned' && closedAt !== null)
}

/**
 * Does not retry, because the workflow polls again after its own interval. A retry here would only lengthen the
 * workflow's history.
 */
async function askBank(deps: PayoutDeps, row: StepRow): Promise<Asked | Pick<Required<Underway>, 'says' | 'bank'>> {
  assert(row.transferRef !== null, 'a payout that was sent must have a transfer reference')
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

/**
 * Returns the refunded amount. Some banks do not state it in the transfer, so it is read from the wallet's history.
 */
async function refundOf({ rails }: PayoutDeps, row: StepRow, transfer: Transfer): Promise<Refund | null> {
  const { refundedMicroUsdc: amountMicroUsdc } = transfer
  if (amountMicroUsdc !== null) return { amountMicroUsdc, movementRef: null }
  return rails[row.rail].findRefund({ ...refsOf(row), transferRef: transfer.ref, since: row.createdAt })
}

interface Asked {
  readonly transfer: Transfer
  /** Whether the bank reports that the money is back in the wallet. */
  readonly isBack: boolean
  readonly refund: Refund | null
}

interface Booked {
  /** `settled`: completed, and not charged yet. */
  readonly at: 'waiting' | 'settled' | 'over'
  readonly status: PayoutStatus
  readonly says: string
  /** A code, optionally followed by a sentence. */
  readonly failureReason?: string | null
}

/** `isOver` is checked under the lock, because another run may have booked during the call to the bank. */
async function bookAnswer(
  deps: PayoutDeps,
  payoutId: string,
  asked: Asked,
  isOver: (row: StepRow) => boolean,
): Promise<Booked> {
  const { state } = asked.transfer
  try {
    return await deps.db.transaction(async (tx) => {
      const row = await lockStep(tx, payoutId)
      return isOver(row) ? { at: 'over', status: row.status, says: row.status } : book(tx, deps, row, asked)
    })
  } catch (error) {
    if (isTransient(error)) throw error
    // A retry would fail the same way, so the payout stays unchanged, and an operator must check it.
    deps.log.error({ err: error, payout_id: payoutId, state }, 'cannot book transfer state')
    await setAttention(deps.db, payoutId, `can_not_book_${state}`)
    const { status } = await loadStep(deps.db, payoutId)
    return { at: 'waiting', status, says: `waiting: ${state} cannot be booked` }
  }
}

async function book(tx: Tx, deps: PayoutDeps, row: StepRow, asked: Asked): Promise<Booked> {
  const { transfer, refund } = asked
  const status = statusFor(row.status, transfer)
  if (status === null) return leaveToOperator(tx, deps, row, transfer)
  if (row.attention !== null) await clearBankAttention(tx, row.id)
  if (row.status === 'completed' && status === 'completed') {
    return { at: row.closedAt === null ? 'settled' : 'over', status, says: 'completed' }
  }
  if (status !== row.status) assertMove(row.status, status)

  const failureReason = status === 'failed' || status === 'returned' ? (transfer.reason ?? reasons.bank_refused) : null
  const at = deps.clock.now()
  const paidOut = status === 'completed'
  await movePayout(tx, {
    payoutId: row.id,
    status,
    failureReason,
    transferState: transfer.state,
    networkCostMicropounds: transfer.networkCostMicropounds,
    event: status === row.status ? null : status,
    detail: transfer.reason,
    afterwards: refund === null ? 'open' : 'closed',
    at,
  })
  if (paidOut) await postPaidOut(tx, row, at)
  else if (refund !== null) await postBack(tx, row, refund, at)
  if (status === 'returned') {
    // A payout may be returned before it was charged, and a worker with an older version may have booked the return
    // without a charge. Each charge is stored once, so repeating it changes nothing.
    if (row.completedAt !== null) await chargePayout(tx, row, at)
    await creditReturned(tx, row, at)
    await chargeReturn(tx, row, at)
  }
  if (paidOut) return { at: 'settled', status, says: 'completed' }
  if (refund !== null) return { at: 'over', status, says: `${status}, refunded`, failureReason }
  if (asked.isBack) await reportMissingRefund(tx, deps, row, transfer)
  const says = isFinal(status) ? `${status}, waiting for the refund` : 'waiting for the bank'
  return { at: 'waiting', status, says, failureReason }
}

/**
 * Raises attention instead of guessing. A closed payout does not wait: the bank's next event or the daily scan starts
 * another poll.
 */
async function leaveToOperator(tx: Tx, { log }: PayoutDeps, row: StepRow, { state }: Transfer): Promise<Booked> {
  const isNew = await setAttention(tx, row.id, `bank_says_${state}`)
  if (isNew) log.error({ payout_id: row.id, state }, 'the transfer is in a state that needs an operator')
  const at = row.closedAt === null ? 'waiting' : 'over'
  return { at, status: row.status, says: `waiting: the bank reports ${state}` }
}

/** The payout status that follows from the transfer's status. Null if no rule covers it. */
function statusFor(now: PayoutStatus, transfer: Transfer): PayoutStatus | null {
  switch (transfer.status) {
    case 'under_way':
      return now === 'completed' ? null : now
    case 'delivered':
      return now === 'completed' || canMove(now, 'completed') ? 'completed' : null
    case 'undeliverable':
      // A payout that was delivered, or is being returned, becomes returned.
      if (now === 'completed' || now === 'returned') return 'returned'
      return now === 'failed' || canMove(now, 'failed') ? 'failed' : null
    case 'cancelled':
      return now === 'failed' || canMove(now, 'failed') ? 'failed' : null
    case 'returned':
      // A failed payout stays failed while its money is being returned.
      if (now === 'failed') return now
      return now === 'returned' || canMove(now, 'returned') ? 'returned' : null
    case 'refunded':
      if (isFinal(now)) return now
      // The bank refunded the payout before we saw the reason. It counts as failed, unless the bank reports that it
      // was delivered.
      return now === 'completed' || (transfer.wasDelivered && canMove(now, 'returned')) ? 'returned' : 'failed'
    case 'needs_people':
      return null
  }
}

/**
 * The wallet's history may lag slightly. If it still lacks the refund after the list lag, an operator must find the
 * money.
 */
async function reportMissingRefund(tx: Tx, { clock, log, limits }: PayoutDeps, row: StepRow, transfer: Transfer) {
  if (clock.now().getTime() - transfer.updatedAt.getTime() < limits.listLagMs) return
  if (!(await raiseAttention(tx, row.id, 'refund_missing'))) return
  log.error(
    { payout_id: row.id, state: transfer.state },
    'the bank reports a refund, but the wallet has no such deposit',
  )
}
