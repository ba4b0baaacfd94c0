// One look at a wallet: the bank, then one moment of our books, which has whatever the bank has done, or has it on its way.

import { type BookedPayout, type BooksOfWallet, readBooks } from '../../../db/controls/proof/books'
import { type KnownDrift, listKnownDrifts } from '../../../db/controls/proof/drifts'
import type { WalletToProve } from '../../../db/controls/proof/wallets'
import { assert } from '../../../domain/assert'
import { type DriftKind, type Finding, sizeOf } from '../../../domain/controls/drift'
import type { HistoryRow, ListedTransfer } from '../../../rail/rail'
import { type Compared, compare } from './compare'
import type { BankedWallet, ProofDeps, ProofRail } from './deps'
import { nameTransfers, whoseTransfers } from './whose-transfers'

export interface Look extends Compared {
  readonly history: readonly HistoryRow[]
  /** The balance as the bank tells it, and when it was asked. */
  readonly toldMicroUsdc: bigint
  readonly askedAt: Date
}

/** How far the clocks of our own machines may be apart. */
const skewMs = 60_000

export async function lookAtWallet(
  deps: ProofDeps,
  wallet: WalletToProve & BankedWallet,
  unnamedMicroUsdc: bigint,
): Promise<Look> {
  const { db, clock, patience } = deps
  const rail = deps.rails[wallet.rail]
  const known = await listKnownDrifts(db, wallet.id)
  const askedAt = clock.now()
  const history = await rail.walletHistory({ ...refsOf(wallet), after: wallet.mark?.provedTo ?? null })
  const { usdcMicro: toldMicroUsdc } = await rail.wallet(refsOf(wallet))
  const listed = await listTransfers(rail, wallet, { history, known })
  const names = await nameTransfers({ db, rail }, wallet, { history, listed })

  const payoutsSince = new Date(askedAt.getTime() - skewMs)
  // What was booked before the last look was of a movement that this one has read, or that was before the mark.
  const bookingsSince = new Date(Math.max(payoutsSince.getTime(), wallet.lookedAt?.getTime() ?? 0))
  const books = await readBooks(db, {
    wallet,
    since: wallet.mark?.provedToAt ?? null,
    youngSince: bookingsSince,
    movements: history.map(({ id }) => id),
    transferRefs: [...names.keys()],
    named: [...names.values()].flatMap((name) => name ?? []),
    sought: subjectsOf(known, 'payout_without_transfer'),
  })
  assert(books !== null, 'a wallet stays where it is')
  const unsent = await withoutTransfer(rail, books.sent, { history, listed })
  const compared = compare({
    walletId: wallet.id,
    mark: wallet.mark,
    books,
    history,
    listed,
    whose: whoseTransfers(wallet, names, books),
    unsent,
    unnamedMicroUsdc,
    isAccepted: (finding) => known.some((each) => each.isAccepted && isAsKnown(each, finding)),
    passed: new Set(known.flatMap(({ isPassed, subject }) => (isPassed ? subject : []))),
    bookedBefore: new Date(askedAt.getTime() - patience.graceMs),
    bookingsSince,
    payoutsSince,
  })
  return { ...compared, history, toldMicroUsdc, askedAt }
}

function refsOf({ customerRef, walletRef }: BankedWallet) {
  return { customerRef, walletRef }
}

function isAsKnown({ kind, subject, size }: KnownDrift, finding: Finding): boolean {
  return kind === finding.kind && subject === finding.subject && size === sizeOf(finding)
}

function subjectsOf(known: readonly KnownDrift[], kind: DriftKind): string[] {
  return known.flatMap((each) => (each.kind === kind && !each.isPassed ? each.subject : []))
}

/** Since the mark, and the strange ones from before it that nobody has explained yet. */
async function listTransfers(
  rail: ProofRail,
  wallet: WalletToProve & BankedWallet,
  { history, known }: { history: readonly HistoryRow[]; known: readonly KnownDrift[] },
): Promise<ListedTransfer[]> {
  const listed = await rail.transfersSince({ ...refsOf(wallet), since: wallet.mark?.provedToAt ?? null })
  const inHistory = history.flatMap((row) => (row.kind === 'unreadable' ? row.id : [row.id, row.transferRef]))
  const read = new Set([...listed.map(({ ref }) => ref), ...inHistory])
  for (const ref of subjectsOf(known, 'transfer_without_payout')) {
    if (!read.has(ref)) listed.push({ ref, payoutId: await rail.payoutOf(ref) })
  }
  return listed
}

/** Our books named the transfer before the bank is asked for it, so the bank must know it. */
async function withoutTransfer(
  rail: ProofRail,
  sent: BooksOfWallet['sent'],
  { history, listed }: { history: readonly HistoryRow[]; listed: readonly ListedTransfer[] },
): Promise<ReadonlySet<string>> {
  const inHistory = history.flatMap((row) => (row.kind === 'withdrawal' ? (row.transferRef ?? []) : []))
  const refs = new Set([...inHistory, ...listed.map(({ ref }) => ref)])
  const unsent = new Set<string>()
  for (const payout of sent) {
    const { id, transferRef } = payout
    if (transferRef === null) {
      if (hasGone(payout)) unsent.add(id)
    } else if (!refs.has(transferRef) && (await rail.payoutOf(transferRef)) !== id) unsent.add(id)
  }
  return unsent
}

function hasGone({ status }: BookedPayout): boolean {
  return status !== 'pending' && status !== 'failed' && status !== 'cancelled'
}
