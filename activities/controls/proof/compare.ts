// Compares the bank's movements for a wallet with our books, one by one, and computes their expected sum.
import type { BookedPayout, Booking, BooksOfWallet } from '../../../db/controls/proof/books'
import type { ProofMark } from '../../../db/controls/proof/wallets'
import type { DriftKind, Finding } from '../../../domain/controls/drift'
import { type HistoryRow, type ListedTransfer, newestOf, type WalletMovement } from '../../../rail/rail'

export interface ToCompare {
  readonly walletId: string
  /** The movement after which the bank's history was read. Null: the whole history was read. */
  readonly mark: ProofMark | null
  /** Our books, read after the bank's history, so they contain or expect every movement that the bank reported. */
  readonly books: BooksOfWallet
  readonly history: readonly HistoryRow[]
  readonly listed: readonly ListedTransfer[]
  readonly whose: ReadonlyMap<string, BookedPayout>
  /** Payouts recorded as sent whose transfer the bank does not have. */
  readonly unsent: ReadonlySet<string>
  /** The sum of the ledger entries that refer to no bank movement, as computed by the ledger checks. */
  readonly unnamedMicroUsdc: bigint
  readonly isAccepted: (finding: Finding) => boolean
  /** Accepted transfers from before the mark. */
  readonly passed: ReadonlySet<string>
  /** Deposits after this time might not be booked yet. */
  readonly bookedBefore: Date
  /** Bookings since this time may belong to movements that are newer than the bank's answer. */
  readonly bookingsSince: Date
  readonly payoutsSince: Date
}

export interface Compared {
  readonly findings: readonly Finding[]
  /** The expected sum of the bank's movements if the findings are the only differences. */
  readonly expectedMicroUsdc: bigint
  /** The actual sum after each movement. The first entry is the sum at the mark. */
  readonly runningMicroUsdc: readonly bigint[]
  /**
   * The last movement such that all movements up to it are old enough, and matched or accepted. Null if there is none.
   */
  readonly settled: ProofMark | null
  /** Accepted movements up to `settled`. */
  readonly passed: readonly Finding[]
}

export function compare(given: ToCompare): Compared {
  const { books, history, mark } = given
  const bookings = new Map(books.bookings.map((booking) => [booking.bankRef, booking]))
  const withdrawn = new Set<string>()
  const places = history.map((row) => accepted(given, placeOf(given, row, { bookings, withdrawn })))
  const payouts = books.sent.map((payout) => stillAtBank(given, payout, withdrawn))
  const extras = [...places, ...payouts].map(({ extraMicroUsdc }) => extraMicroUsdc)
  const early = earlyBookings(given)
  const known = books.balanceMicroUsdc + books.suspenseMicroUsdc - given.unnamedMicroUsdc
  const others = [...strangeTransfers(given), ...madeUpBookings(given, mark?.bookings ?? 0)]
  const running = runningSums(mark?.bankMicroUsdc ?? 0n, places)
  return {
    findings: unique([...[...places, ...payouts].flatMap(({ finding }) => finding ?? []), ...others]),
    expectedMicroUsdc: known + sum(extras) - early + (mark?.acceptedMicroUsdc ?? 0n),
    runningMicroUsdc: running,
    ...settledOf(given, places, running),
  }
}

interface Extra {
  readonly finding: Finding | null
  /** The amount by which this difference makes the bank's balance exceed our books. */
  readonly extraMicroUsdc: bigint
}

interface Place extends Extra {
  /** The amount that the movement added to the wallet at the bank. */
  readonly movedMicroUsdc: bigint
  readonly isSettled: boolean
  readonly isBooked: boolean
}

interface Found {
  readonly bookings: ReadonlyMap<string, Booking>
  readonly withdrawn: Set<string>
}

/** A movement that operators have accepted does not stop the mark from advancing. */
function accepted({ isAccepted }: ToCompare, place: Place): Place {
  return place.finding !== null && isAccepted(place.finding) ? { ...place, isSettled: true } : place
}

function placeOf(given: ToCompare, row: HistoryRow, found: Found): Place {
  if (row.kind === 'unreadable') return placeOfUnreadable(given, row, found)
  return row.kind === 'deposit' ? placeOfDeposit(given, row, found) : placeOfWithdrawal(given, row, found.withdrawn)
}

function placeOfWithdrawal(given: ToCompare, row: WalletMovement, withdrawn: Set<string>): Place {
  const { transferRef, amountMicroUsdc } = row
  const payout = transferRef === null ? undefined : given.whose.get(transferRef)
  const moved = { movedMicroUsdc: -amountMicroUsdc, isBooked: false }
  if (payout === undefined || withdrawn.has(payout.id)) {
    const subject = payout === undefined ? (transferRef ?? row.id) : row.id
    const finding = findingOf(given, 'transfer_without_payout', subject, 'a payout', String(amountMicroUsdc))
    return { ...moved, finding, extraMicroUsdc: -amountMicroUsdc, isSettled: false }
  }
  withdrawn.add(payout.id)
  const { id, sendsMicroUsdc, debitedMicroUsdc } = payout
  // If the debited amount is wrong, the ledger checks report it together with the balance.
  if (amountMicroUsdc === sendsMicroUsdc) {
    return { ...moved, finding: null, extraMicroUsdc: 0n, isSettled: payout.transferRef === transferRef }
  }
  const extraMicroUsdc = debitedMicroUsdc - amountMicroUsdc
  const finding = findingOf(given, 'transfer_amount', id, String(sendsMicroUsdc), String(amountMicroUsdc))
  return { ...moved, finding, extraMicroUsdc, isSettled: false }
}

/** An open payout's workflow books that payout's refund. All other deposits must be booked within the grace period. */
function placeOfDeposit(given: ToCompare, row: WalletMovement, { bookings }: Found): Place {
  const { id, transferRef, amountMicroUsdc, at } = row
  const moved = { movedMicroUsdc: amountMicroUsdc }
  const payout = transferRef === null ? undefined : given.whose.get(transferRef)
  const booking = bookings.get(id)
  if (booking !== undefined) {
    const extraMicroUsdc = amountMicroUsdc - booking.amountMicroUsdc
    if (extraMicroUsdc === 0n) return { ...moved, finding: null, extraMicroUsdc, isSettled: true, isBooked: true }
    const [expected, found] = [String(booking.amountMicroUsdc), String(amountMicroUsdc)]
    const finding = findingOf(given, 'deposit_amount', id, expected, found)
    return { ...moved, finding, extraMicroUsdc, isSettled: false, isBooked: true }
  }
  if (payout?.hasNamelessRefund) {
    return { ...moved, finding: null, extraMicroUsdc: 0n, isSettled: true, isBooked: false }
  }
  const isDue = !payout?.isOpen && at < given.bookedBefore
  const finding = isDue ? findingOf(given, 'deposit_not_booked', id, 'booked or held', String(amountMicroUsdc)) : null
  return { ...moved, finding, extraMicroUsdc: amountMicroUsdc, isSettled: false, isBooked: false }
}

/** Takes the amount of an unreadable movement to be the amount that operators credited for it, or zero. */
function placeOfUnreadable(
  given: ToCompare,
  { id, looksLike, at }: Extract<HistoryRow, { kind: 'unreadable' }>,
  { bookings }: Found,
): Place {
  const booking = bookings.get(id)
  const place = { movedMicroUsdc: booking?.amountMicroUsdc ?? 0n, extraMicroUsdc: 0n, isBooked: false }
  if (looksLike === 'withdrawal') {
    const finding = findingOf(given, 'transfer_without_payout', id, 'a payout', 'an unreadable withdrawal')
    return { ...place, finding, isSettled: false }
  }
  if (booking !== undefined || given.books.held.has(id)) return { ...place, finding: null, isSettled: true }
  const isDue = at === null || at < given.bookedBefore
  const finding = isDue ? findingOf(given, 'deposit_not_booked', id, 'booked or held', 'an unreadable deposit') : null
  return { ...place, finding, isSettled: false }
}

/** Finds transfers without a payout, including those for which the bank debited nothing from the wallet. */
function strangeTransfers(given: ToCompare): Finding[] {
  const strange = given.listed.filter(({ ref }) => !given.whose.has(ref) && !given.passed.has(ref))
  return strange.map(({ ref }) => findingOf(given, 'transfer_without_payout', ref, 'a payout', 'a transfer'))
}

/** A booking that refers to a movement must match one that was read or one before the mark. */
function madeUpBookings(given: ToCompare, expected: number): Finding[] {
  const { olderBookings: found } = given.books
  if (found === expected) return []
  const [one, other] = [`${expected} bookings of earlier movements`, `${found} of them`]
  const finding = findingOf(given, 'booking_without_movement', given.walletId, one, other)
  return [{ ...finding, size: String(found - expected) }]
}

/** The sum of the bookings for movements that appeared at the bank after its history was read. */
function earlyBookings({ books, history, bookingsSince }: ToCompare): bigint {
  const read = new Set(history.map(({ id }) => id))
  const early = books.bookings.filter(({ bankRef, at }) => !read.has(bankRef) && at >= bookingsSince)
  return sum(early.map(({ amountMicroUsdc }) => amountMicroUsdc))
}

/** Assumed maximum difference between the bank's clock and ours. */
const marginMs = 3_600_000

/** The amount that our books debited for a payout but the bank has not debited yet, or never will. */
function stillAtBank(given: ToCompare, payout: BookedPayout, withdrawn: ReadonlySet<string>): Extra {
  const { id, transferRef, status, submitStartedAt, transitMicroUsdc, debitedMicroUsdc } = payout
  if (given.unsent.has(id)) {
    const finding = findingOf(given, 'payout_without_transfer', id, transferRef ?? 'a transfer', 'none at the bank')
    return { finding, extraMicroUsdc: status === 'completed' ? debitedMicroUsdc : transitMicroUsdc }
  }
  const since = given.mark?.provedToAt.getTime()
  const isBefore = since !== undefined && submitStartedAt !== null && submitStartedAt.getTime() < since + marginMs
  if (withdrawn.has(id) || (transferRef !== null && isBefore)) return { finding: null, extraMicroUsdc: 0n }
  const isYoung = submitStartedAt !== null && submitStartedAt >= given.payoutsSince
  return { finding: null, extraMicroUsdc: isYoung ? debitedMicroUsdc : transitMicroUsdc }
}

/** Excludes the newest hour by the bank's clock, because a late movement may still appear in it. */
function settledOf(
  { history, mark }: ToCompare,
  places: readonly Place[],
  running: readonly bigint[],
): Pick<Compared, 'settled' | 'passed'> {
  const newest = newestOf(history) - marginMs
  const open = history.findIndex(({ at }, index) => !places[index]?.isSettled || at === null || at.getTime() >= newest)
  const count = open === -1 ? history.length : open
  const [last, settled] = [history[count - 1], places.slice(0, count)]
  if (last === undefined || last.at === null) return { settled: null, passed: [] }
  const strange = settled.filter(({ finding }) => finding !== null)
  const acceptedMicroUsdc = (mark?.acceptedMicroUsdc ?? 0n) + sum(strange.map(({ extraMicroUsdc }) => extraMicroUsdc))
  const bookings = (mark?.bookings ?? 0) + settled.filter(({ isBooked }) => isBooked).length
  const bankMicroUsdc = running[count] ?? 0n
  return {
    settled: { provedTo: last.id, provedToAt: last.at, bankMicroUsdc, acceptedMicroUsdc, bookings },
    passed: strange.flatMap(({ finding }) => finding ?? []),
  }
}

function runningSums(first: bigint, places: readonly Place[]): bigint[] {
  const sums = [first]
  for (const { movedMicroUsdc } of places) sums.push((sums.at(-1) ?? 0n) + movedMicroUsdc)
  return sums
}

function findingOf(
  { walletId }: ToCompare,
  kind: DriftKind,
  subject: string,
  expected: string,
  found: string,
): Finding {
  return { kind, walletId, subject, expected, found }
}

/**
 * Returns the first finding for each kind and subject, because a transfer may appear both in the history and in the
 * list.
 */
function unique(findings: readonly Finding[]): Finding[] {
  const first = new Map<string, Finding>()
  for (const each of findings) {
    const key = `${each.kind} ${each.subject}`
    if (!first.has(key)) first.set(key, each)
  }
  return [...first.values()]
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
