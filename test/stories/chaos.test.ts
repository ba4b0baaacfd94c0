// Everything goes wrong at once, for half a minute or as long as `npm run chaos` says: nothing is lost and nobody is paid twice.
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { environment } from '../../config'
import { migrate } from '../../db/migrate'
import { changedTransfersId } from '../../workflows/names'
import { deal } from '../chaos/blows'
import { openPartners } from '../chaos/partners'
import { planOf } from '../chaos/plan'
import { paidByAccount } from '../chaos/recipients'
import { until } from '../local/until'
import { readBank } from '../referee/bank-rules'
import { referee } from '../referee/referee'
import { type OwnServers, openServers } from './own-servers'
import { openWorld, type World } from './world'

/** Another one each time; `npm run chaos -- --seed` brings back what a failed run printed. */
const seed = Number(environment()['CHAOS_SEED'] ?? randomInt(1, 1_000_000))
const minutes = Number(environment()['CHAOS_MINUTES'] ?? 0.5)
const settleMs = 180_000

jest.setTimeout(minutes * 60_000 + 2 * settleMs)

let servers: OwnServers
let world: World

beforeAll(async () => {
  servers = await openServers()
  await migrate(servers.postgres.url)
  world = await openWorld({
    ofEach: 2,
    databaseUrl: servers.postgres.url,
    temporalAddress: servers.temporal.address,
    env: { PAYOUT_ANSWER_MS: '3000', DATABASE_POOL_SIZE: '10', WALLET_READ_EVERY_MS: '5000' },
  })
})
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await servers.close()
  }
})

test(`${minutes} minutes of chaos, seed ${seed}: every accepted payout is final, and no recipient is paid twice`, async () => {
  const partners = await openPartners(world)

  const dealt = await deal(planOf({ seed, ms: minutes * 60_000 }), world, servers)
  await world.bank.control('DELETE', '/faults')
  await world.bank.control('DELETE', '/outage')
  await partners.stop()
  await until('our own connections are back', () => world.db.ping().then(yes, no), settleMs)
  await knowReturns()

  const { seen, accounts } = partners
  const canaries = accounts.filter((number) => !number.endsWith('0000')).slice(-20)
  const logs = [...world.apis, ...world.workers].map((part) => ({ where: part.name, text: part.output() }))
  await referee({
    records: world.db.dataSource,
    bankControlUrl: world.bank.controlUrl,
    seen,
    canaries: canaries.map((text) => ({ text })),
    texts: logs,
    withinMs: settleMs,
  })
  const twice = [...(await paidByAccount(world))].filter(([, times]) => times > 1)
  expect(twice).toEqual([])
  const accepted = [...new Set(seen.flatMap(({ status, payoutId }) => (status < 300 && payoutId ? [payoutId] : [])))]
  const outcomes = await outcomesOf(accepted)
  expect(Object.keys(outcomes).filter((status) => !finals.includes(status))).toEqual([])
  expect(sum(Object.values(outcomes))).toBe(accepted.length)
  expect(accepted.length).toBe(accounts.length)
  expect(dealt.ended).toEqual([])
  tell({
    seed,
    minutes,
    ...dealt,
    ended: dealt.ended.length,
    orders: accounts.length,
    answers: answersOf(seen),
    outcomes,
  })
})

const finals = ['completed', 'failed', 'returned']

/** The bank takes transfers back that it had paid, and the word of it may have been lost: the nightly look is taken now. */
async function knowReturns(): Promise<void> {
  await world.trigger(changedTransfersId)
  await until('what came back is known', everyReturnIsBooked, settleMs)
}

async function everyReturnIsBooked(): Promise<boolean> {
  const { transfers } = await readBank(world.bank.controlUrl)
  const moving = transfers.filter(({ state }) => !['payment_processed', 'refunded', 'canceled'].includes(state))
  const back = transfers.flatMap(({ state, payoutId }) => (state === 'refunded' ? [payoutId] : []))
  const [{ n }] = await world.db.dataSource.query<[{ n: number }]>(
    `SELECT count(*)::int AS n FROM payouts WHERE id = ANY ($1) AND (closed_at IS NULL OR status NOT IN ('failed', 'returned'))`,
    [back],
  )
  return moving.length === 0 && n === 0
}

async function outcomesOf(payoutIds: readonly string[]): Promise<Record<string, number>> {
  const rows = await world.db.dataSource.query<{ status: string; n: number }[]>(
    'SELECT status, count(*)::int AS n FROM payouts WHERE id = ANY ($1) AND closed_at IS NOT NULL GROUP BY status',
    [payoutIds],
  )
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

function answersOf(seen: readonly { readonly status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of seen) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** What goes into docs/reliability.md; a run of the tests says nothing. */
function tell(result: object): void {
  if (environment()['CHAOS_MINUTES'] !== undefined) process.stderr.write(`${JSON.stringify(result)}\n`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}
