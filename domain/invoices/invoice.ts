// The kinds of charges and invoice lines, the function that computes an invoice from charges, and the monthly account fee.
import { assert } from '../assert'
import { type Micropounds, micropoundsFromPence, type Pence, penceFromMicropounds } from '../money'
import { londonMonthOf, type Month, monthInWords, monthOfDay, nextMonth, startOf } from '../month'

export const invoiceStatuses = ['draft', 'open', 'paid', 'void'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

export const invoiceLineKinds = [
  'payout_fees',
  'monthly_account',
  'business_verification',
  'network_fees',
  'bank_exceptions',
  'credit',
] as const
type InvoiceLineKind = (typeof invoiceLineKinds)[number]

export const chargeKinds = [
  'payout_fee',
  'network_fee',
  'exception',
  'monthly_account',
  'verification',
  'credit',
] as const
export type ChargeKind = (typeof chargeKinds)[number]

export const lineKindOf: Readonly<Record<ChargeKind, InvoiceLineKind>> = {
  payout_fee: 'payout_fees',
  network_fee: 'network_fees',
  exception: 'bank_exceptions',
  monthly_account: 'monthly_account',
  verification: 'business_verification',
  credit: 'credit',
}

export const chargeCauses = [
  'payout_completed',
  'payout_returned',
  'case_resolved',
  'monthly_account',
  'verification',
  'correction',
] as const
type ChargeCause = (typeof chargeCauses)[number]

/** Derives the cause of a charge from its kind and from the reference that makes it unique within its kind. */
export function causeOf({ kind, causeRef }: { kind: ChargeKind; causeRef: string }): {
  readonly cause: ChargeCause
  /** The recall or trace, if the charge is for one. */
  readonly caseId: string | null
} {
  switch (kind) {
    case 'payout_fee':
    case 'network_fee':
      return { cause: 'payout_completed', caseId: null }
    case 'monthly_account':
    case 'verification':
      return { cause: kind, caseId: null }
    case 'credit':
      return { cause: causeRef.startsWith(correctionPrefix) ? 'correction' : 'payout_returned', caseId: null }
    case 'exception':
      return causeRef.startsWith(casePrefix)
        ? { cause: 'case_resolved', caseId: causeRef.slice(casePrefix.length) }
        : { cause: 'payout_returned', caseId: null }
  }
}

export const casePrefix = 'case/'
export const correctionPrefix = 'ops/'

/** The charges of one kind. The database sums them, because there can be a hundred thousand. */
export interface ChargeGroup {
  readonly kind: ChargeKind
  readonly count: number
  readonly sumMicropounds: Micropounds
  /** The smallest and the largest charge. If they are equal, all charges have the same price. */
  readonly leastMicropounds: Micropounds
  readonly mostMicropounds: Micropounds
  /** The months that a monthly account charge covers, in any order, possibly repeated. Empty for other kinds. */
  readonly months: readonly Month[]
}

export interface InvoiceLine {
  readonly kind: InvoiceLineKind
  readonly description: string
  readonly quantity: number
  readonly unitAmountMicropounds: Micropounds
  /** Quantity × unit amount, rounded half up. Also positive for credits. */
  readonly amountPence: Pence
}

export interface MadeInvoice {
  readonly lines: readonly InvoiceLine[]
  readonly chargedPence: Pence
  readonly creditedPence: Pence
  /** Charges minus credits, at least zero. */
  readonly totalPence: Pence
  /** Unused credit, carried over to the next invoice. */
  readonly carriedPence: Pence
}

/**
 * Computes an invoice. Usage, preview and invoice all use this function, so they cannot disagree. Returns one line
 * per kind, in the order of invoiceLineKinds. Fractions of a penny are summed first and rounded once. Carried credit
 * is a separate line.
 */
export function makeInvoice(
  groups: readonly ChargeGroup[],
  { carriedInPence }: { carriedInPence: Pence },
): MadeInvoice {
  assert(carriedInPence >= 0n, 'carried credit must not be negative')
  const made = invoiceLineKinds.flatMap((kind) => {
    const ofKind = groups.filter((group) => lineKindOf[group.kind] === kind && group.count > 0)
    return ofKind.length === 0 ? [] : [lineOf(kind, ofKind)]
  })
  const lines = carriedInPence > 0n ? [...made, carriedIn(carriedInPence)] : made
  return { lines, ...sumLines(lines) }
}

/** Credits alone do not create an invoice. They wait until there are charges. */
export function isBillable(groups: readonly ChargeGroup[]): boolean {
  return groups.some(({ kind }) => kind !== 'credit')
}

/** Sums the lines. Lines are already rounded, so the sums are exact. */
export function sumLines(lines: readonly Pick<InvoiceLine, 'kind' | 'amountPence'>[]): Omit<MadeInvoice, 'lines'> {
  const sumOf = (wanted: readonly Pick<InvoiceLine, 'amountPence'>[]) =>
    wanted.reduce((sum, { amountPence }) => sum + amountPence, 0n)
  const chargedPence = sumOf(lines.filter(({ kind }) => kind !== 'credit'))
  const creditedPence = sumOf(lines.filter(({ kind }) => kind === 'credit'))
  const differencePence = chargedPence - creditedPence
  return {
    chargedPence,
    creditedPence,
    totalPence: differencePence > 0n ? differencePence : 0n,
    carriedPence: differencePence < 0n ? -differencePence : 0n,
  }
}

/**
 * If all prices are equal, the line shows quantity × price. Otherwise it shows the exact sum, and the description
 * contains the count.
 */
function lineOf(kind: InvoiceLineKind, groups: readonly ChargeGroup[]): InvoiceLine {
  const count = groups.reduce((total, group) => total + group.count, 0)
  const sum = groups.reduce((total, group) => total + group.sumMicropounds, 0n)
  const prices = new Set(groups.flatMap((group) => [group.leastMicropounds, group.mostMicropounds]))
  const [price = sum] = prices.size === 1 ? prices : []
  const words = describe[kind](count.toLocaleString('en-GB'), groups)
  return {
    kind,
    description: prices.size === 1 ? words.alike : words.together,
    quantity: prices.size === 1 ? count : 1,
    unitAmountMicropounds: price,
    amountPence: penceFromMicropounds(sum),
  }
}

function carriedIn(carriedInPence: Pence): InvoiceLine {
  return {
    kind: 'credit',
    description: 'Credit carried forward from earlier invoices',
    quantity: 1,
    unitAmountMicropounds: micropoundsFromPence(carriedInPence),
    amountPence: carriedInPence,
  }
}

interface Words {
  readonly alike: string
  readonly together: string
}

const describe: Readonly<Record<InvoiceLineKind, (count: string, groups: readonly ChargeGroup[]) => Words>> = {
  payout_fees: (count) => ({ alike: 'Payout fees', together: `Payout fees for ${count} completed payouts` }),
  monthly_account: (_, groups) => alwaysAlike(`Monthly account, ${monthsOf(groups)}`),
  business_verification: () => alwaysAlike('Business verification'),
  network_fees: (count) => ({ alike: 'Network fees', together: `Network fees for ${count} payouts` }),
  bank_exceptions: (count) => ({ alike: 'Bank exceptions', together: `${count} bank exceptions` }),
  credit: (count) => ({
    alike: 'Credit for returned payouts and corrections',
    together: `Credit for ${count} returned payouts and corrections`,
  }),
}

function alwaysAlike(words: string): Words {
  return { alike: words, together: words }
}

/** For example "October 2026", or "August 2026, September 2026 and October 2026" if months were billed late. */
function monthsOf(groups: readonly ChargeGroup[]): string {
  const months = new Set(groups.flatMap((group) => group.months))
  const words = [...months].toSorted().map(monthInWords)
  const [before, last] = [words.slice(0, -1).join(', '), words.at(-1) ?? '']
  return before === '' ? last : `${before} and ${last}`
}

// The monthly account fee. It is due for each month in which the live account was open at any time.

export interface LiveAccount {
  readonly liveOpenedAt: Date | null
  readonly closedAt: Date | null
}

interface DueMonth {
  readonly month: Month
  readonly pricedAt: Date
}

/** Lists all months that are due up to `until`, oldest first. Months up to `billedUntil` are already billed. */
export function dueMonths(account: LiveAccount & { readonly billedUntil: string | null }, until: Month): DueMonth[] {
  const { liveOpenedAt, billedUntil } = account
  if (liveOpenedAt === null) return []
  const opened = londonMonthOf(liveOpenedAt)
  const unbilled = billedUntil === null ? opened : nextMonth(monthOfDay(billedUntil))
  const due: DueMonth[] = []
  for (let month = unbilled > opened ? unbilled : opened; month <= until; month = nextMonth(month)) {
    const at = pricedAt(account, month)
    if (at === null) break
    due.push({ month, pricedAt: at })
  }
  return due
}

/**
 * Returns the time whose prices apply to the month. This is the start of the month, or the opening of the account if
 * that is later. Null if nothing is due.
 */
export function pricedAt({ liveOpenedAt, closedAt }: LiveAccount, month: Month): Date | null {
  if (liveOpenedAt === null || londonMonthOf(liveOpenedAt) > month) return null
  const start = startOf(month)
  if (closedAt !== null && closedAt <= start) return null
  return liveOpenedAt > start ? liveOpenedAt : start
}

/** Returns the charge as a group, the form in which the database returns other charges. */
export function dueMonthlyAccount(month: Month, pricePence: Pence): ChargeGroup {
  const price = micropoundsFromPence(pricePence)
  const prices = { sumMicropounds: price, leastMicropounds: price, mostMicropounds: price }
  return { kind: 'monthly_account', count: 1, ...prices, months: [month] }
}
