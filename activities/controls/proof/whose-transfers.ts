// Whose each of the bank's transfers is: the payout that knows it, or the open one that it names and whose answer was lost.

import { type BookedPayout, type BooksOfWallet, findKnownTransfers } from '../../../db/controls/proof/books'
import type { Queryable } from '../../../db/database'
import type { HistoryRow, ListedTransfer } from '../../../rail/rail'
import { isUuid } from '../../is-uuid'
import type { BankedWallet, ProofRail } from './deps'

/** Each transfer of the wallet, with the payout that it names; null where it names none, or where ours knows it anyhow. */
export async function nameTransfers(
  { db, rail }: { db: Queryable; rail: ProofRail },
  wallet: BankedWallet,
  { history, listed }: { history: readonly HistoryRow[]; listed: readonly ListedTransfer[] },
): Promise<ReadonlyMap<string, string | null>> {
  const names = new Map<string, string | null>(listed.map(({ ref, payoutId }) => [ref, payoutId]))
  const inHistory = history.flatMap((row) => (row.kind === 'unreadable' ? [] : (row.transferRef ?? [])))
  const unlisted = [...new Set(inHistory)].filter((ref) => !names.has(ref))
  const known = await findKnownTransfers(db, wallet.rail, unlisted)
  for (const ref of unlisted) names.set(ref, known.has(ref) ? null : await rail.payoutOf(ref))
  return new Map([...names].map(([ref, name]) => [ref, name !== null && isUuid(name) ? name : null]))
}

/** By our books as they were after the bank was read: a payout is in ours before its transfer is in the bank's. */
export function whoseTransfers(
  wallet: BankedWallet,
  names: ReadonlyMap<string, string | null>,
  { payouts }: Pick<BooksOfWallet, 'payouts'>,
): ReadonlyMap<string, BookedPayout> {
  const byRef = new Map(
    payouts.flatMap((payout) => (payout.transferRef === null ? [] : [[payout.transferRef, payout]])),
  )
  const byId = new Map(payouts.map((payout) => [payout.id, payout]))
  const whose = new Map<string, BookedPayout>()
  for (const [ref, name] of names) {
    const named = name === null ? undefined : byId.get(name)
    const payout = byRef.get(ref) ?? (named !== undefined && isAwaited(named) ? named : undefined)
    if (payout?.walletId === wallet.id) whose.set(ref, payout)
  }
  return whose
}

/** One that has another transfer, or was given up, has no right to this one. */
function isAwaited({ transferRef, isOpen, submitStartedAt }: BookedPayout): boolean {
  return transferRef === null && isOpen && submitStartedAt !== null
}
