// Takes a snapshot of a wallet. Reads the bank first and our books second, so that our books contain or expect every
// movement that the bank reported.

import { type BookedPayout, type BooksOfWallet, findKnownTransfers, readBooks } from '../../../db/controls/proof/books'
import { type KnownDrift, listKnownDrifts } from '../../../db/controls/proof/drifts'
import type { WalletToProve } from '../../../db/controls/proof/wallets'
import type { Queryable } from '../../../db/database'
import { assert } from '../../../domain/assert'
import { type DriftKind, type Finding, sizeOf } from '../../../domain/controls/drift'
import type { RailName } from '../../../domain/environment'
import { isUuid } from '../../../domain/uuid'
import type { HistoryRow, ListedTransfer, Rail } from '../../../rail/rail'
import type { ActivityDeps, ProofLimits } from '../../bind'
import { type Compared, compare } from './compare'

type ProofRail = Pick<Rail, 'rate' | 'wallet' | 'walletHistory' | 'transfersSince' | 'payoutOf'>

export interface ProofDeps extends Pick<ActivityDeps, 'db' | 'clock' | 'log'> {
  readonly rails: Readonly<Record<RailName, ProofRail>>
  readonly limits: ProofLimits
}

/** A wallet with its references at the bank. */
export interface WalletWithBankRefs {
  readonly id: string
  readonly partnerId: string
  readonly rail: RailName
  readonly customerRef: string
  readonly walletRef: string
}

export interface Snapshot extends Compared {
  readonly history: readonly HistoryRow[]
  /** The bank's balance, and when it was read. */
  readonly bankMicroUsdc: bigint
  readonly askedAt: Date
}

/** Assumed maximum difference between the clocks of our own machines. */
const skewMs = 60_000

export async function takeSnapshot(
  deps: ProofDeps,
  wallet: WalletToProve & WalletWithBankRefs,
  unnamedMicroUsdc: bigint,
): Promise<Snapshot> {
  const { db, clock, limits } = deps
  const rail = deps.rails[wallet.rail]
  const known = await listKnownDrifts(db, wallet.id)
  const askedAt = clock.now()
  const history = await rail.walletHistory({ ...refsOf(wallet), after: wallet.mark?.provedTo ?? null })
  const { usdcMicro: bankMicroUsdc } = await rail.wallet(refsOf(wallet))
  const listed = await listTransfers(rail, wallet, { history, known })
  const names = await nameTransfers({ db, rail }, wallet, { history, listed })

  const payoutsSince = new Date(askedAt.getTime() - skewMs)
  // Bookings from before the last snapshot belong to movements that this snapshot has read, or to movements before
  // the mark.
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
  assert(books !== null, 'the wallet row must exist')
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
    bookedBefore: new Date(askedAt.getTime() - limits.graceMs),
    bookingsSince,
    payoutsSince,
  })
  return { ...compared, history, bankMicroUsdc, askedAt }
}

function refsOf({ customerRef, walletRef }: WalletWithBankRefs) {
  return { customerRef, walletRef }
}

function isAsKnown({ kind, subject, size }: KnownDrift, finding: Finding): boolean {
  return kind === finding.kind && subject === finding.subject && size === sizeOf(finding)
}

function subjectsOf(known: readonly KnownDrift[], kind: DriftKind): string[] {
  return known.flatMap((each) => (each.kind === kind && !each.isPassed ? each.subject : []))
}

/** Lists the transfers since the mark, and earlier transfers that are still unexplained. */
async function listTransfers(
  rail: ProofRail,
  wallet: WalletToProve & WalletWithBankRefs,
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

/**
 * Finds sent payouts whose transfer the bank does not have. The bank is called after our books are read, so it must
 * have every transfer that they contain.
 */
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

/**
 * Maps each of the wallet's transfers to the payout ID that the bank stored with it, or to null if there is none. An
 * unlisted transfer that is already in our books also maps to null.
 */
async function nameTransfers(
  { db, rail }: { db: Queryable; rail: ProofRail },
  wallet: WalletWithBankRefs,
  { history, listed }: { history: readonly HistoryRow[]; listed: readonly ListedTransfer[] },
): Promise<ReadonlyMap<string, string | null>> {
  const names = new Map<string, string | null>(listed.map(({ ref, payoutId }) => [ref, payoutId]))
  const inHistory = history.flatMap((row) => (row.kind === 'unreadable' ? [] : (row.transferRef ?? [])))
  const unlisted = [...new Set(inHistory)].filter((ref) => !names.has(ref))
  const known = await findKnownTransfers(db, wallet.rail, unlisted)
  for (const ref of unlisted) names.set(ref, known.has(ref) ? null : await rail.payoutOf(ref))
  return new Map([...names].map(([ref, name]) => [ref, name !== null && isUuid(name) ? name : null]))
}

/** Requires books that were read after the bank: a payout is in our books before its transfer is at the bank. */
function whoseTransfers(
  wallet: WalletWithBankRefs,
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

/** A payout that has another transfer, or is no longer open, cannot own this transfer. */
function isAwaited({ transferRef, isOpen, submitStartedAt }: BookedPayout): boolean {
  return transferRef === null && isOpen && submitStartedAt !== null
}
