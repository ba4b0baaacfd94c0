// What must hold when everything is up again: the referee's rules, every order final, and nobody paid twice by the bank's own books.
import { changedTransfersId } from '../../workflows/names'
import { until } from '../local/until'
import { readBank } from '../referee/bank-rules'
import { referee } from '../referee/referee'
import type { World } from '../stories/world'
import type { Partners } from './partners'
import { paidByAccount } from './recipients'

export interface Verdict {
  readonly orders: number
  /** How often each status was answered; an answer that never came is in none. */
  readonly answers: Readonly<Record<string, number>>
  /** How many payouts ended in each status. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly paidTwice: readonly string[]
}

/** How long everything may take to come to rest. */
export const settleMs = 180_000

/** Throws what the referee finds. */
export async function verdictOn(world: World, partners: Partners): Promise<Verdict> {
  await partners.stop()
  await until('our own connections are back', () => world.db.ping().then(yes, no), settleMs)
  await knowReturns(world)
  const { seen, accounts } = partners
  const canaries = accounts.filter((number) => !number.endsWith('0000')).slice(-20)
  await referee({
    records: world.db.dataSource,
    bankControlUrl: world.bank.controlUrl,
    seen,
    canaries: canaries.map((text) => ({ text })),
    texts: [...world.apis, ...world.workers].map((part) => ({ where: part.name, text: part.output() })),
    withinMs: settleMs,
  })
  const accepted = new Set(seen.flatMap(({ status, payoutId }) => (status < 300 && payoutId ? [payoutId] : [])))
  return {
    orders: accounts.length,
    answers: countsOf(seen.map(({ status }) => String(status))),
    outcomes: countsOf(await endsOf(world, [...accepted])),
    paidTwice: [...(await paidByAccount(world))].filter(([, times]) => times > 1).map(([account]) => account),
  }
}

/** The bank takes transfers back that it had paid, and the word of it may have been lost: the nightly look is taken now. */
async function knowReturns(world: World): Promise<void> {
  await world.trigger(changedTransfersId)
  await until('what came back is known', () => everyReturnIsBooked(world), settleMs)
}

async function everyReturnIsBooked({ bank, db }: World): Promise<boolean> {
  const { transfers } = await readBank(bank.controlUrl)
  const moving = transfers.filter(({ state }) => !['payment_processed', 'refunded', 'canceled'].includes(state))
  const back = transfers.flatMap(({ state, payoutId }) => (state === 'refunded' ? [payoutId] : []))
  const [{ n }] = await db.dataSource.query<[{ n: number }]>(
    `SELECT count(*)::int AS n FROM payouts WHERE id = ANY ($1) AND (closed_at IS NULL OR status NOT IN ('failed', 'returned'))`,
    [back],
  )
  return moving.length === 0 && n === 0
}

/** The status of each that is over. */
async function endsOf({ db }: World, payoutIds: readonly string[]): Promise<string[]> {
  const sql = 'SELECT status FROM payouts WHERE id = ANY ($1) AND closed_at IS NOT NULL'
  return (await db.dataSource.query<{ status: string }[]>(sql, [payoutIds])).map(({ status }) => status)
}

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
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
