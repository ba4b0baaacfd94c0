// Asks the bank how a transfer stands and books what follows, status, ledger, timeline and charges in one transaction.
import type { Tx } from '../../db/database'
import { postSet } from '../../db/ledger'
import {
  clearBankAttention,
  loadStep,
  lockStep,
  movePayout,
  raiseAttention,
  type StepRow,
  setAttention,
} from '../../db/payout-steps'
import { isPassingTrouble } from '../../db/trouble'
import { assert } from '../../domain/assert'
import { type Posting, paidOutPostings, refundPostings } from '../../domain/ledger'
import { assertMove, canMove, isFinal, type PayoutStatus } from '../../domain/payout'
import { kept } from '../../domain/verdict'
import { RailUnavailable, type Transfer } from '../../rail/rail'
import { reasons } from '../../rail/reasons'
import type { PayoutRef, Underway } from '../../workflows/payout-steps'
import { chargePayout } from './charge'
import type { PayoutDeps } from './deps'
import { refsOf } from './recipient'
import { releasePayout } from './release'
import { over, standingOf } from './standing'

export async function pollSettlement(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const standing = standingOf(row, payout)
  if (standing?.at !== 'sent') return standing ?? { ...waiting, status: row.status }
  assert(row.transferRef !== null, 'a payout that was sent must know its transfer')
  const asked = await ask(deps, row, row.transferRef)
  // The workflow's own pauses are the patience with a bank that is away: a retry in here would only lengthen its history.
  if (asked === 'no answer') return { ...waiting, status: row.status, says: 'waiting: the bank does not answer' }
  try {
    return await deps.db.transaction(async (tx) => book(tx, deps, await lockStep(tx, row.id), asked))
  } catch (error) {
    if (isPassingTrouble(error)) throw error
    // A rule that refuses this would refuse it for ever: the payout stays as it is, and somebody has to look.
    deps.log.error(
      { err: error, payout_id: row.id, state: asked.transfer.state },
      'what the bank says can not be booked',
    )
    await setAttention(deps.db, row.id, `can_not_book_${asked.transfer.state}`)
    return { ...waiting, status: row.status, says: `waiting: ${asked.transfer.state} can not be booked` }
  }
}

interface Asked {
  readonly transfer: Transfer
  /** Whether the bank says that the money is in the wallet again. */
  readonly isBack: boolean
  readonly refundMicroUsdc: bigint | null
}

async function ask(deps: PayoutDeps, row: StepRow, transferRef: string): Promise<Asked | 'no answer'> {
  try {
    const transfer = await deps.rails[row.rail].transfer(transferRef)
    const isBack = transfer.standing === 'refunded' || transfer.standing === 'cancelled'
    return { transfer, isBack, refundMicroUsdc: isBack ? await refundOf(deps, row, transfer) : null }
  } catch (error) {
    if (error instanceof RailUnavailable) return 'no answer'
    throw error
  }
}

/** A call that was never made, as the bank's own complete list has shown. */
export async function failNeverSent(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  return releasePayout(deps, payout, {
    proof: 'absent-at-the-bank',
    code: 'payout_not_created',
    details: null,
    failureReason: 'not_sent: The bank has no such transfer.',
  })
}

const waiting = { at: 'sent', verdict: kept, says: 'waiting for the bank' } as const

async function book(tx: Tx, deps: PayoutDeps, row: StepRow, asked: Asked): Promise<Underway> {
  const { transfer, refundMicroUsdc } = asked
  // Another run may have closed it while we asked the bank.
  if (row.closedAt !== null) return over(row.status)
  const at = deps.clock.now()
  const status = statusFor(row.status, transfer)
  if (status === null) {
    await setAttention(tx, row.id, `bank_says_${transfer.state}`)
    deps.log.error({ payout_id: row.id, state: transfer.state }, 'the bank is in a state that needs a person')
    return { ...waiting, status: row.status, says: `waiting: the bank says ${transfer.state}` }
  }
  if (status !== row.status) assertMove(row.status, status)
  const paidOut = status === 'completed'
  const ended = paidOut || refundMicroUsdc !== null
  await clearBankAttention(tx, row.id)
  await movePayout(tx, {
    payoutId: row.id,
    status,
    failureReason: status === 'failed' || status === 'returned' ? (transfer.reason ?? reasons.bank_refused) : null,
    transferState: transfer.state,
    event: status === row.status ? null : status,
    detail: transfer.reason,
    afterwards: ended ? 'closed' : 'open',
    at,
  })
  if (paidOut) {
    await post(tx, row, 'paid_out', paidOutPostings(row.walletSendsMicroUsdc), at)
    await chargePayout(tx, row, transfer, at)
  } else if (refundMicroUsdc !== null) {
    await post(tx, row, 'refund', refundPostings(row.walletSendsMicroUsdc, refundMicroUsdc), at)
  }
  if (ended) return over(status, paidOut ? 'completed' : `${status}, refunded`)
  if (asked.isBack) await reportMissingRefund(tx, deps, row, transfer)
  return { ...waiting, status, says: isFinal(status) ? `${status}, refund awaited` : 'waiting for the bank' }
}

/** What the bank's word makes of ours; null when no rule covers it, and then nobody guesses. */
function statusFor(now: PayoutStatus, transfer: Transfer): PayoutStatus | null {
  switch (transfer.standing) {
    case 'under_way':
      return now
    case 'delivered':
      return canMove(now, 'completed') ? 'completed' : null
    case 'undeliverable':
    case 'cancelled':
      return now === 'failed' || canMove(now, 'failed') ? 'failed' : null
    case 'returned':
      // On its way back after a failure is still a failure.
      if (now === 'failed') return now
      return now === 'returned' || canMove(now, 'returned') ? 'returned' : null
    case 'refunded':
      // Refunded before we saw why: it did not arrive.
      return isFinal(now) ? now : 'failed'
    case 'needs_people':
      return null
  }
}

/** What really came back; the transfer of some banks does not say it, the wallet's history does. */
async function refundOf({ rails }: PayoutDeps, row: StepRow, transfer: Transfer): Promise<bigint | null> {
  if (transfer.refundedMicroUsdc !== null) return transfer.refundedMicroUsdc
  const since = row.submitStartedAt ?? new Date(0)
  return rails[row.rail].findRefund({ ...refsOf(row), transferRef: transfer.ref, since })
}

/** A history may be a little behind; one that still lacks it after the quiet period has lost somebody's money. */
async function reportMissingRefund(tx: Tx, { clock, log, patience }: PayoutDeps, row: StepRow, transfer: Transfer) {
  if (clock.now().getTime() - transfer.updatedAt.getTime() < patience.quietMs) return
  if (!(await raiseAttention(tx, row.id, 'refund_missing'))) return
  log.error({ payout_id: row.id, state: transfer.state }, 'the bank says refunded, and its wallet has no such deposit')
}

/** One path for every refund, unique by the bank's transfer, so that a deposit found later can not book it again. */
async function post(tx: Tx, row: StepRow, cause: string, postings: readonly Posting[], at: Date): Promise<void> {
  assert(row.transferRef !== null, 'only a transfer is settled')
  const about = { walletId: row.walletId, payoutId: row.id, createdBy: 'bank', at }
  await postSet(tx, { ...about, cause, causeRef: row.transferRef, postings })
}
