// A year of payouts across both clock changes: every charge is billed once, and each total equals a plain sum.
import { beforeAll, expect, test } from '@jest/globals'
import { listLinesOf } from '../../../db/invoices/invoices'
import { previewInvoice } from '../../../db/invoices/issue'
import { chargeException, chargePayout, creditReturned } from '../../../db/invoices/payout-charges'
import type { PartnerRow } from '../../../db/partners/partners'
import { loadStep } from '../../../db/payouts/steps'
import { openWallet, type WalletRow } from '../../../db/wallets/wallets'
import { aPayout } from '../../support/db/a-payout'
import { aPricedPartner, bill } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'

const db = useDatabase()
let partner: PartnerRow
let wallet: WalletRow

beforeAll(async () => {
  partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-10-07T09:00:00Z') })
  const live = { environment: 'live', rail: 'provider_production' } as const
  wallet = await db.transaction((tx) => openWallet(tx, { partnerId: partner.id, ...live, at: new Date() }))
})

test('twelve invoice runs bill every charge once', async () => {
  const events = aYear(20_261_115)
  const expected = expectedTotals(events)

  const totals: bigint[] = []
  const waiting = [...events]
  for (const month of months) {
    while (waiting[0] !== undefined && waiting[0].storedMs < runMs(month)) await apply(waiting.shift())
    totals.push(await run(month))
  }

  expect(waiting).toEqual([])
  expect(totals).toEqual(expected)
  const [odd] = await db.dataSource.query(
    `SELECT count(*)::int AS n FROM charges
      WHERE 1 <> (SELECT count(*) FROM invoice_charges WHERE charge_id = charges.id AND NOT voided)`,
  )
  expect(odd).toEqual({ n: 0 })
})

/** October 2026 to September 2027. The last event happens before the last run. */
const months = [10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(
  (month) => `${month >= 10 ? 2026 : 2027}-${String(month).padStart(2, '0')}`,
)

interface PlannedEvent {
  readonly what: 'completed' | 'returned'
  readonly nth: number
  readonly atMs: number
  /** When the event reaches the database, in some cases after its month was billed. */
  readonly storedMs: number
  readonly amountPence: bigint
}

/** A year of events. The same seed gives the same events. */
function aYear(seed: number): PlannedEvent[] {
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const [fromMs, toMs] = [Date.parse('2026-10-08T00:00:00Z'), Date.parse('2027-09-27T00:00:00Z')]
  const edges = months.slice(1).flatMap((month) => {
    const midnight = Date.parse(`${month}-01T00:00:00Z`)
    return [-3_600_001, -3_600_000, -1_800_000, -1, 0, 1, 3_600_000].map((offset) => midnight + offset)
  })
  const times = [...edges, ...Array.from({ length: 250 }, () => fromMs + random(toMs - fromMs))]
  return times
    .flatMap((atMs, nth) => {
      const amountPence = BigInt(100 + random(200_000))
      const storedMs = atMs + (random(20) === 0 ? 3 * dayMs : 0)
      const completed: PlannedEvent = { what: 'completed', nth, atMs, storedMs, amountPence }
      const backMs = storedMs + 1 + random(20) * dayMs
      const returned: PlannedEvent = { what: 'returned', nth, atMs: backMs, storedMs: backMs, amountPence }
      return random(12) === 0 && backMs < toMs ? [completed, returned] : [completed]
    })
    .toSorted((one, other) => one.storedMs - other.storedMs)
}

const payouts = new Map<number, string>()
const exceptionMicropounds = 2_345_678n

async function apply(event: PlannedEvent | undefined): Promise<void> {
  if (event === undefined) return
  const { what, nth, atMs, amountPence } = event
  const at = new Date(atMs)
  if (what === 'completed') {
    const fees = { feePence: totalFee(amountPence), feeInTransferPence: bankFee(amountPence) }
    const live = { environment: 'live', rail: 'provider_production' } as const
    payouts.set(nth, (await aPayout(db, { ...live, amountPence, ...fees, transferRef: `tr_${nth}` }, wallet)).id)
  }
  const row = await loadStep(db, payouts.get(nth) ?? '')
  await db.transaction(async (tx) => {
    if (what === 'completed') {
      await chargePayout(tx, { ...row, completedAt: at }, at)
      return
    }
    await creditReturned(tx, row, at)
    await chargeException(tx, row, { causeRef: `return-${nth}`, costMicropounds: exceptionMicropounds, at })
  })
}

async function run(month: string): Promise<bigint> {
  const previewed = await previewInvoice(db, { partnerId: partner.id, period: month })
  const issued = await bill(db, partner, month, new Date(runMs(month)).toISOString())
  if (issued.outcome !== 'issued' || previewed.outcome !== 'new') throw new Error(`${month}: ${issued.outcome}`)
  expect(previewed.invoice.lines).toEqual(await listLinesOf(db, issued.invoiceId))
  return issued.totalPence
}

// The expected totals, computed without the code under test: plain sums of pence and micropounds, and a table of
// clock changes.

const dayMs = 86_400_000
const summer = [
  [Date.parse('2026-03-29T01:00:00Z'), Date.parse('2026-10-25T01:00:00Z')],
  [Date.parse('2027-03-28T01:00:00Z'), Date.parse('2027-10-31T01:00:00Z')],
] as const

function monthOf(ms: number): string {
  const isSummer = summer.some(([from, until]) => ms >= from && ms < until)
  return new Date(ms + (isSummer ? 3_600_000 : 0)).toISOString().slice(0, 7)
}

/** 06:00 London time on the 1st of the next month. */
function runMs(month: string): number {
  const [year = 0, of = 0] = month.split('-').map(Number)
  const inSummer = of >= 3 && of <= 9
  return Date.UTC(year, of, 1, inSummer ? 5 : 6)
}

function totalFee(amountPence: bigint): bigint {
  return 99n + (amountPence + 50n) / 100n
}

function bankFee(amountPence: bigint): bigint {
  return 50n + (amountPence + 100n) / 200n
}

function expectedTotals(events: readonly PlannedEvent[]): bigint[] {
  const billed = new Set<PlannedEvent>()
  let carried = 0n
  return months.map((month) => {
    const own = events.filter(
      (each) => !billed.has(each) && each.storedMs < runMs(month) && monthOf(each.atMs) <= month,
    )
    for (const each of own) billed.add(each)
    const [completed, returned] = (['completed', 'returned'] as const).map((what) =>
      own.filter((each) => each.what === what),
    )
    const feeOf = (some: readonly PlannedEvent[] = []) =>
      some.reduce((sum, { amountPence }) => sum + totalFee(amountPence) - bankFee(amountPence), 0n)
    const network = roundToPence(BigInt(completed?.length ?? 0) * 19_800n)
    const exceptions = roundToPence(BigInt(returned?.length ?? 0) * ((exceptionMicropounds * 12n + 5n) / 10n))
    const due = 1_500n + feeOf(completed) + network + exceptions - feeOf(returned) - carried
    carried = due < 0n ? -due : 0n
    return due > 0n ? due : 0n
  })
}

function roundToPence(micropounds: bigint): bigint {
  return (micropounds + 5_000n) / 10_000n
}
