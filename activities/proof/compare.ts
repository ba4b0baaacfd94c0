// Compares the bank's movements of a wallet with our books, one by one, and says what the bank must hold by them.
import type { BookedPayout, BooksOfWallet } from '../../db/proof-wallets'
import type { Finding } from '../../domain/drift'
import type { HistoryRow, ListedTransfer, WalletMovement } from '../../rail/rail'

export interface ToCompare {
  readonly walletId: string
  readonly books: BooksOfWallet
  readonly history: readonly HistoryRow[]
  readonly listed: readonly ListedTransfer[]
  readonly whose: ReadonlyMap<string, BookedPayout>
  /** Movements that are in our ledger, or held. */
  readonly booked: ReadonlySet<string>
  /** As our books had them before the bank was asked. */
  readonly sent: readonly BookedPayout[]
  /** Payouts that say they were sent, and whose transfer the bank does not know. */
  readonly unsent: ReadonlySet<string>
  /** Movements before this are not in `history`: they had their place in our books. */
  readonly since: Date | null
  /** Deposits of after this may still be on their way into our books. */
  readonly bookedBefore: Date
}

export interface Compared {
  readonly findings: readonly Finding[]
  /** What the bank holds when nothing but the findings is wrong. */
  readonly expectedMicroUsdc: bigint
  /** The last movement before which every one has its place; null when that is none. */
  readonly settled: { readonly id: string; readonly at: Date } | null
}

export function compare(given: ToCompare): Compared {
  const { books, history } = given
  const withdrawn = new Set<string>()
  const places = history.map((row) => placeOf(given, row, withdrawn))
  const transfers = strangeTransfers(given)
  const payouts = given.sent.map((payout) => stillAtBank(given, payout, withdrawn))
  const movedMicroUsdc = sum(places.map(({ extraMicroUsdc }) => extraMicroUsdc))
  const waitingMicroUsdc = sum(payouts.map(({ extraMicroUsdc }) => extraMicroUsdc))
  return {
    findings: unique([...places, ...transfers, ...payouts].flatMap(({ finding }) => finding ?? [])),
    expectedMicroUsdc: books.balanceMicroUsdc + books.suspenseMicroUsdc + movedMicroUsdc + waitingMicroUsdc,
    settled: settledOf(history, places),
  }
}

interface Place {
  readonly finding: Finding | null
  /** What the bank holds more because of it than our books say. */
  readonly extraMicroUsdc: bigint
  readonly isSettled: boolean
}

const inPlace: Place = { finding: null, extraMicroUsdc: 0n, isSettled: true }

function placeOf(given: ToCompare, row: HistoryRow, withdrawn: Set<string>): Place {
  if (row.kind === 'withdrawal') return placeOfWithdrawal(given, row, withdrawn)
  if (row.kind === 'unreadable' && row.looksLike === 'withdrawal') {
    const finding = findingOf(given, 'transfer_without_payout', row.id, 'a payout', 'an unreadable withdrawal')
    return { finding, extraMicroUsdc: 0n, isSettled: false }
  }
  return placeOfDeposit(given, row)
}

function placeOfWithdrawal(given: ToCompare, row: WalletMovement, withdrawn: Set<string>): Place {
  const { transferRef, amountMicroUsdc } = row
  const payout = transferRef === null ? undefined : given.whose.get(transferRef)
  if (payout === undefined || withdrawn.has(payout.id)) {
    const subject = payout === undefined ? (transferRef ?? row.id) : row.id
    const finding = findingOf(given, 'transfer_without_payout', subject, 'a payout', String(amountMicroUsdc))
    return { finding, extraMicroUsdc: -amountMicroUsdc, isSettled: false }
  }
  withdrawn.add(payout.id)
  if (amountMicroUsdc === payout.sendsMicroUsdc) return { ...inPlace, isSettled: payout.transferRef === transferRef }
  const [expected, found] = [String(payout.sendsMicroUsdc), String(amountMicroUsdc)]
  const finding = findingOf(given, 'transfer_amount', payout.id, expected, found)
  return { finding, extraMicroUsdc: payout.sendsMicroUsdc - amountMicroUsdc, isSettled: false }
}

/** A refund of an open payout is its workflow's to book; everything else waits no longer than the readings of wallets take. */
function placeOfDeposit(given: ToCompare, row: Exclude<HistoryRow, { kind: 'withdrawal' }> | WalletMovement): Place {
  const transferRef = row.kind === 'unreadable' ? null : row.transferRef
  const payout = transferRef === null ? undefined : given.whose.get(transferRef)
  if (given.booked.has(row.id) || payout?.isRefundBooked) return inPlace
  const amountMicroUsdc = row.kind === 'unreadable' ? 0n : row.amountMicroUsdc
  const isDue = !payout?.isOpen && (row.at === null || row.at < given.bookedBefore)
  const found = row.kind === 'unreadable' ? 'an unreadable deposit' : String(amountMicroUsdc)
  const finding = isDue ? findingOf(given, 'deposit_not_booked', row.id, 'booked or held', found) : null
  return { finding, extraMicroUsdc: amountMicroUsdc, isSettled: false }
}

/** Also those that have taken nothing from the wallet. */
function strangeTransfers(given: ToCompare): Pick<Place, 'finding'>[] {
  const strange = given.listed.filter(({ ref }) => !given.whose.has(ref))
  return strange.map(({ ref }) => ({
    finding: findingOf(given, 'transfer_without_payout', ref, 'a payout', 'a transfer'),
  }))
}

/** How far the bank's clock may be from ours. */
const marginMs = 3_600_000

/** What a payout has taken from our wallet and not, or not yet, from the bank's. */
function stillAtBank(given: ToCompare, payout: BookedPayout, withdrawn: ReadonlySet<string>): Omit<Place, 'isSettled'> {
  const { id, transferRef, status, submitStartedAt, transitMicroUsdc, sendsMicroUsdc } = payout
  if (given.unsent.has(id)) {
    const finding = findingOf(given, 'payout_without_transfer', id, transferRef ?? 'a transfer', 'none at the bank')
    return { finding, extraMicroUsdc: status === 'completed' ? sendsMicroUsdc : transitMicroUsdc }
  }
  const { since } = given
  const isBefore = since !== null && submitStartedAt !== null && submitStartedAt.getTime() < since.getTime() + marginMs
  const isGone = withdrawn.has(id) || (transferRef !== null && isBefore)
  return { finding: null, extraMicroUsdc: isGone ? 0n : transitMicroUsdc }
}

/** But for the newest hour, by the bank's own clock, into which a movement may still be put that comes late. */
function settledOf(history: readonly HistoryRow[], places: readonly Place[]): Compared['settled'] {
  const times = history.flatMap(({ at }) => (at === null ? [] : [at.getTime()]))
  const newest = Math.max(...times) - marginMs
  const open = history.findIndex(({ at }, index) => !places[index]?.isSettled || at === null || at.getTime() >= newest)
  const last = (open === -1 ? history : history.slice(0, open)).at(-1)
  return last === undefined || last.at === null ? null : { id: last.id, at: last.at }
}

function findingOf(
  { walletId }: ToCompare,
  kind: Finding['kind'],
  subject: string,
  expected: string,
  found: string,
): Finding {
  return { kind, walletId, subject, expected, found }
}

/** A transfer may be met in the history and in the list; the first one tells more. */
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
