// Classifies each movement in a wallet's history. A deposit is booked, a refund belongs to its payout, and the rest is
// held for an operator. Nothing is guessed, because a wrong credit cannot be reversed once it is paid out.
import type { Queryable } from '../../../db/database'
import { findPayoutById, findPayoutsByTransfer, type RefundedPayout } from '../../../db/payouts/by-transfer'
import type { RailName } from '../../../domain/environment'
import { isUuid } from '../../../domain/uuid'
import { unexplainedWithdrawal, whyUnreadable } from '../../../domain/wallets/ledger'
import { type HistoryRow, type Rail, RailUnavailable, type WalletMovement } from '../../../rail/rail'

export type Judged =
  | { readonly verdict: 'deposit'; readonly row: WalletMovement }
  /** `why` is shown to operators. */
  | { readonly verdict: 'held'; readonly row: HistoryRow; readonly why: string }
  /** The refund of a completed payout. A return workflow polls the bank about it. */
  | { readonly verdict: 'return'; readonly row: WalletMovement; readonly payout: RefundedPayout }
  | { readonly verdict: 'not_ours'; readonly row: HistoryRow }
  /** A movement that belongs to an open payout. The payout's next state determines how the movement is classified. */
  | { readonly verdict: 'awaited'; readonly row: WalletMovement }
  /** The bank did not answer the lookup of the movement's payout. */
  | { readonly verdict: 'unresolved'; readonly row: WalletMovement }

type Undecided = Extract<Judged, { verdict: 'return' | 'awaited' | 'unresolved' }>

/** Whether the next reading has to classify the movement again. */
export function isUndecided(judged: Judged): judged is Undecided {
  const { verdict } = judged
  return verdict === 'return' || verdict === 'awaited' || verdict === 'unresolved'
}

interface JudgeDeps {
  readonly db: Queryable
  readonly rail: Pick<Rail, 'payoutOf'>
}

interface WalletOfHistory {
  readonly id: string
  readonly rail: RailName
}

const atOnce = 500

export async function judgeHistory(
  deps: JudgeDeps,
  wallet: WalletOfHistory,
  history: readonly HistoryRow[],
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (let from = 0; from < history.length; from += atOnce) {
    const some = history.slice(from, from + atOnce)
    const known = await payoutsBehind(deps, wallet, some)
    for (const row of some) judged.push(await judge(deps, wallet, row, known))
  }
  return judged
}

type Known = ReadonlyMap<string, RefundedPayout>

async function payoutsBehind(
  { db }: JudgeDeps,
  { rail }: WalletOfHistory,
  rows: readonly HistoryRow[],
): Promise<Known> {
  const refs = rows.flatMap((row) => (row.kind === 'unreadable' || row.transferRef === null ? [] : [row.transferRef]))
  const payouts = refs.length === 0 ? [] : await findPayoutsByTransfer(db, { rail, transferRefs: [...new Set(refs)] })
  return new Map(payouts.map((payout) => [payout.transferRef ?? '', payout]))
}

async function judge(deps: JudgeDeps, wallet: WalletOfHistory, row: HistoryRow, known: Known): Promise<Judged> {
  if (row.kind === 'unreadable') return { verdict: 'held', row, why: whyUnreadable(row) }
  if (row.transferRef === null) {
    return row.kind === 'deposit' ? { verdict: 'deposit', row } : { verdict: 'held', row, why: unexplainedWithdrawal }
  }
  try {
    const payout = known.get(row.transferRef) ?? (await payoutNamedBy(deps, row.transferRef))
    return row.kind === 'deposit' ? judgeRefund(wallet, row, payout) : judgeWithdrawal(wallet, row, payout)
  } catch (error) {
    if (error instanceof RailUnavailable) return { verdict: 'unresolved', row }
    throw error
  }
}

/** If the bank's response was lost, the payout row has no transfer yet, but the transfer contains the payout's ID. */
async function payoutNamedBy({ db, rail }: JudgeDeps, transferRef: string): Promise<RefundedPayout | null> {
  const named = await rail.payoutOf(transferRef)
  return named !== null && isUuid(named) ? findPayoutById(db, named) : null
}

/** Our books contain a withdrawal only for a payout, which is debited before it is sent. */
function judgeWithdrawal(wallet: WalletOfHistory, row: WalletMovement, payout: RefundedPayout | null): Judged {
  if (payout?.walletId === wallet.id) {
    if (payout.transferRef === row.transferRef) return { verdict: 'not_ours', row }
    if (payout.transferRef === null && payout.isOpen) return { verdict: 'awaited', row }
  }
  return { verdict: 'held', row, why: unexplainedWithdrawal }
}

function judgeRefund(wallet: WalletOfHistory, row: WalletMovement, payout: RefundedPayout | null): Judged {
  if (payout === null) return { verdict: 'held', row, why: 'unknown_transfer' }
  if (payout.walletId !== wallet.id) return { verdict: 'held', row, why: 'other_wallet' }
  // The payout's own workflow polls the bank, and books the refund and its consequences.
  if (payout.isOpen) return { verdict: 'awaited', row }
  if (payout.transferRef !== row.transferRef) return { verdict: 'held', row, why: 'other_transfer' }
  // A refund that an operator has handled does not raise attention again. If the transfer changes later, the refund
  // is still booked.
  if (payout.status === 'completed') {
    return payout.isRefundAttended ? { verdict: 'not_ours', row } : { verdict: 'return', row, payout }
  }
  if (!payout.isRefundBooked) return { verdict: 'held', row, why: 'payout_over' }
  // The payout is already refunded, so a second refund of the same transfer belongs to no payout.
  return payout.refundRef === null || payout.refundRef === row.id
    ? { verdict: 'not_ours', row }
    : { verdict: 'held', row, why: 'second_refund' }
}
