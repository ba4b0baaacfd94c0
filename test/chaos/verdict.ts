// What must hold when everything is up again: the referee's rules, no drift, every order final, and nobody paid twice by the bank's own books.
import { changedTransfersId } from '../../workflows/names'
import { referee } from '../referee/referee'
import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'
import { until } from '../support/until'
import { driftsOf, falseAlarmsOf } from './at-rest'
import type { Partners } from './partners'
import { paidByAccount } from './recipients'

export interface Verdict {
  readonly orders: number
  /** How often each status was answered; an answer that never came is in none. */
  readonly answers: Readonly<Record<string, number>>
  /** How many payouts ended in each status. */
  readonly outcomes: Readonly<Record<string, number>>
  /** How many payouts of each environment were accepted. */
  readonly environments: Readonly<Record<string, number>>
  readonly paidTwice: readonly string[]
  /** What the proof finds at rest. */
  readonly drifts: readonly string[]
  /** What it had found on the way there. */
  readonly falseAlarms: readonly string[]
  /** How many rows the audit chain holds together. */
  readonly sealed: number
}

/** How long each of the steps to rest may take. */
export const settleMs = 180_000
/** All of them together, with the reading of everything. */
export const verdictMs = 5 * settleMs

/** Throws what the referee finds. */
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

/** The bank takes transfers back that it had paid, and the word of it may have been lost: the nightly look is taken now. */
async function knowReturns(world: World): Promise<void> {
  await until('the bank is at rest', () => transfersOf(world).then((all) => all.every(isAtRest)), settleMs)
  await until('the nightly look is taken', () => world.trigger(changedTransfersId).then(yes, no), settleMs)
  await until('what came back is known', () => everyReturnIsBooked(world), settleMs)
}

/** A transfer that was paid may have a return before it. */
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

/** Each of them that is over. */
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

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1
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
