// Says of each movement in a wallet's history what is to be done with it: a deposit is booked, a refund is its payout's, the
// rest is held for people. Nothing is guessed (design §4).
import type { Queryable } from '../../db/database'
import { findPayoutById, findPayoutOfTransfer, type RefundedPayout } from '../../db/refunded-payouts'
import type { RailName } from '../../domain/environment'
import { type HistoryRow, type Rail, RailUnavailable, type WalletMovement } from '../../rail/rail'

export type Judged =
  | { readonly verdict: 'deposit'; readonly row: WalletMovement }
  /** `why` is a word for people. */
  | { readonly verdict: 'held'; readonly row: HistoryRow; readonly why: string }
  /** The refund of a payout that was completed and is over: somebody has to ask the bank about it. */
  | { readonly verdict: 'return'; readonly row: WalletMovement; readonly payout: RefundedPayout }
  | { readonly verdict: 'not_ours'; readonly row: HistoryRow }
  /** The bank did not say whose it is. */
  | { readonly verdict: 'unresolved'; readonly row: WalletMovement }

export interface JudgeDeps {
  readonly db: Queryable
  readonly rail: Pick<Rail, 'payoutOf'>
}

export interface WalletOfHistory {
  readonly id: string
  readonly rail: RailName
}

export async function judgeHistory(
  deps: JudgeDeps,
  wallet: WalletOfHistory,
  history: readonly HistoryRow[],
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const row of history) judged.push(await judge(deps, wallet, row))
  return judged
}

async function judge(deps: JudgeDeps, wallet: WalletOfHistory, row: HistoryRow): Promise<Judged> {
  if (row.kind === 'unreadable') return { verdict: 'held', row, why: `unreadable_${row.field.replaceAll('.', '_')}` }
  // What leaves the wallet is a payout's, which has booked it before it left.
  if (row.kind === 'withdrawal') return { verdict: 'not_ours', row }
  if (row.transferRef === null) return { verdict: 'deposit', row }
  try {
    return judgeRefund(wallet, row, await payoutBehind(deps, wallet, row.transferRef))
  } catch (error) {
    if (error instanceof RailUnavailable) return { verdict: 'unresolved', row }
    throw error
  }
}

/** A payout whose answer was lost does not know its transfer yet; the transfer knows its payout. */
async function payoutBehind(
  { db, rail }: JudgeDeps,
  wallet: WalletOfHistory,
  transferRef: string,
): Promise<RefundedPayout | null> {
  const known = await findPayoutOfTransfer(db, { rail: wallet.rail, transferRef })
  if (known !== null) return known
  const named = await rail.payoutOf(transferRef)
  return named !== null && isUuid(named) ? findPayoutById(db, named) : null
}

function judgeRefund(wallet: WalletOfHistory, row: WalletMovement, payout: RefundedPayout | null): Judged {
  if (payout === null) return { verdict: 'held', row, why: 'unknown_transfer' }
  if (payout.walletId !== wallet.id) return { verdict: 'held', row, why: 'other_wallet' }
  // Its own workflow asks the bank, and books the refund with all that follows from it.
  if (payout.isOpen) return { verdict: 'not_ours', row }
  if (payout.transferRef !== row.transferRef) return { verdict: 'held', row, why: 'other_transfer' }
  if (payout.status === 'completed') return { verdict: 'return', row, payout }
  if (!payout.isRefundBooked) return { verdict: 'held', row, why: 'payout_over' }
  // Its payout has its money back: a second refund of the same transfer is nobody's.
  return payout.refundRef === null || payout.refundRef === row.id
    ? { verdict: 'not_ours', row }
    : { verdict: 'held', row, why: 'second_refund' }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
