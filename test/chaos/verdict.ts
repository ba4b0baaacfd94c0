// The final checks once everything is up again: the referee's rules, no drift, every order final, and no double payment
// at the bank.
import { scheduleIds } from '../../workflows/names'
import { referee } from '../referee/referee'
import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'
import { until } from '../support/until'
import { driftsOf, falseAlarmsOf } from './at-rest'
import type { Partners } from './partners'
import { paidByAccount } from './recipients'

export interface Verdict {
  readonly orders: number
  /** The number of responses by HTTP status, except lost ones. */
  readonly answers: Readonly<Record<string, number>>
  /** The number of payouts by final status. */
  readonly outcomes: Readonly<Record<string, number>>
  /** The number of final payouts by environment. */
  readonly environments: Readonly<Record<string, number>>
  readonly paidTwice: readonly string[]
  /** The drifts that the proof finds at rest. */
  readonly drifts: readonly string[]
  /** Drifts that one proof found and a later proof did not. */
  readonly falseAlarms: readonly string[]
  /** The number of rows in the audit chain. */
  readonly sealed: number
}

/** The timeout for each step until everything is idle. */
export const settleMs = 180_000
/** The timeout for all steps together, including all reads. */
export const verdictMs = 5 * settleMs

/** Throws if the referee finds a violation. */
export async function verdictOn(world: World, partners: Partners): Promise<Verdict> {
  await partners.stop(settleMs)
  await until('our own connections are back', () => world.db.ping().then(yes, no), settleMs)
  await knowReturns(world)
  const { seen, accounts } = partners
  const canaries = accounts.filter((number) => !number.endsWith('0000')).slice(-20)
  await referee({
    records: world.db.dataSource,
    audited: world.db,
    bankControlUrl: world.bank.controlUrl,
    seen,
    canaries: canaries.map((text) => ({ text })),
    texts: [...world.apis, ...world.workers].map((part) => ({ where: part.name, text: part.output() })),
    withinMs: settleMs,
  })
  const ends = await endsOf(
    world,
    seen.flatMap(({ status, payoutId }) => (status < 300 && payoutId ? [payoutId] : [])),
  )
  return {
    orders: accounts.length,
    answers: countsOf(seen.map(({ status }) => String(status))),
    outcomes: countsOf(ends.map(({ status }) => status)),
    environments: countsOf(ends.map(({ environment }) => environment)),
    paidTwice: [...(await paidByAccount(world))].filter(([, times]) => times > 1).map(([account]) => account),
    drifts: await driftsOf(world),
    falseAlarms: await falseAlarmsOf(world),
    sealed: await sealedRows(world),
  }
}

/** Triggers the nightly scan, because the bank has returned paid transfers and their events may be lost. */
async function knowReturns(world: World): Promise<void> {
  await until('the bank is at rest', () => transfersOf(world).then((all) => all.every(isAtRest)), settleMs)
  await until('the nightly scan runs', () => world.trigger(scheduleIds.changedTransfers).then(yes, no), settleMs)
  await until('all returns are booked', () => everyReturnIsBooked(world), settleMs)
}

/** Whether the bank plans no further transition. A paid transfer may still be returned on request. */
function isAtRest({ state, next }: Json): boolean {
  return next === null && ['payment_processed', 'refunded', 'canceled'].includes(state)
}

async function everyReturnIsBooked(world: World): Promise<boolean> {
  const back = (await transfersOf(world)).filter(({ state }) => state === 'refunded')
  const [{ n }] = await world.db.dataSource.query<[{ n: number }]>(
    `SELECT count(*)::int AS n FROM payouts WHERE id = ANY ($1) AND (closed_at IS NULL OR status NOT IN ('failed', 'returned'))`,
    [back.map(({ client_reference_id }) => client_reference_id)],
  )
  return n === 0
}

async function transfersOf({ bank }: World): Promise<Json[]> {
  return (await bank.control('GET', '/transfers')).json.data
}

/** Returns the status and environment of those payouts that are final. */
async function endsOf(
  { db }: World,
  payoutIds: readonly string[],
): Promise<{ readonly status: string; readonly environment: string }[]> {
  const sql = 'SELECT status, environment FROM payouts WHERE id = ANY ($1) AND closed_at IS NOT NULL'
  return db.dataSource.query(sql, [[...new Set(payoutIds)]])
}

async function sealedRows({ db }: World): Promise<number> {
  const [{ n }] = await db.dataSource.query<[{ n: number }]>('SELECT count(*)::int AS n FROM audit_chain')
  return n
}

function countsOf(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values.toSorted()) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, each) => total + each, 0)
}

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}
