// Whose each of the bank's transfers is: the payout that knows it, or the open one that it names and whose answer was lost.
import type { Queryable } from '../../db/database'
import { type BookedPayout, findBookedPayout, findPayoutsByTransfer } from '../../db/proof-wallets'
import type { HistoryRow, ListedTransfer } from '../../rail/rail'
import { isUuid } from '../is-uuid'
import type { BankedWallet, ProofRail } from './deps'

/** Asked after the bank was read: a payout is in our books before its transfer is in the bank's, never the other way round. */
export async function whoseTransfers(
  { db, rail }: { db: Queryable; rail: ProofRail },
  wallet: BankedWallet,
  { history, listed }: { history: readonly HistoryRow[]; listed: readonly ListedTransfer[] },
): Promise<ReadonlyMap<string, BookedPayout>> {
  const names = new Map<string, string | null>(listed.map(({ ref, payoutId }) => [ref, payoutId]))
  const inHistory = history.flatMap((row) => (row.kind === 'unreadable' ? [] : (row.transferRef ?? [])))
  const refs = new Set([...names.keys(), ...inHistory])
  const known = await findPayoutsByTransfer(db, wallet.rail, [...refs])
  const whose = new Map(known.map((payout) => [payout.transferRef ?? '', payout]))
  for (const ref of refs) {
    if (whose.has(ref)) continue
    const name = names.has(ref) ? names.get(ref) : await rail.payoutOf(ref)
    const payout = name && isUuid(name) ? await findBookedPayout(db, name) : null
    if (payout !== null && isAwaited(payout, ref)) whose.set(ref, payout)
  }
  for (const [ref, payout] of whose) if (payout.walletId !== wallet.id) whose.delete(ref)
  return whose
}

/** One that has another transfer, or was given up, has no right to this one. */
function isAwaited({ transferRef, isOpen, submitStartedAt }: BookedPayout, ref: string): boolean {
  return transferRef === ref || (transferRef === null && isOpen && submitStartedAt !== null)
}
