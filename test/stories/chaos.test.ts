// Everything goes wrong at once, for half a minute or as long as `npm run chaos` says: nothing is lost and nobody is paid twice.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { environment } from '../../config'
import { migrate } from '../../db/migrate'
import { deal } from '../chaos/blows'
import { openPartners } from '../chaos/partners'
import { planOf } from '../chaos/plan'
import { settleMs, sumOf, verdictOn } from '../chaos/verdict'
import { type OwnServers, openServers } from './own-servers'
import { openWorld, type World } from './world'

/** The same one each time; `npm run chaos` brings others. */
const seed = Number(environment()['CHAOS_SEED'] ?? 7)
const minutes = Number(environment()['CHAOS_MINUTES'] ?? 0.5)
const finals = ['completed', 'failed', 'returned']

jest.setTimeout(minutes * 60_000 + 3 * settleMs)

let servers: OwnServers
let world: World

beforeAll(async () => {
  servers = await openServers()
  await migrate(servers.postgres.url)
  world = await openWorld({
    ofEach: 2,
    databaseUrl: servers.postgres.url,
    temporalAddress: servers.temporal.address,
    env: { PAYOUT_ANSWER_MS: '3000', WALLET_READ_EVERY_MS: '5000' },
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
  const verdict = await verdictOn(world, partners)

  tell({ seed, minutes, ...dealt, ...verdict })
  expect(verdict.paidTwice).toEqual([])
  expect(Object.keys(verdict.outcomes).filter((status) => !finals.includes(status))).toEqual([])
  expect(sumOf(verdict.outcomes)).toBe(verdict.orders)
  expect(dealt.ended).toEqual([])
})

/** What goes into docs/reliability.md; a run of the tests says nothing. */
function tell(result: object): void {
  if (environment()['CHAOS_MINUTES'] !== undefined) process.stderr.write(`${JSON.stringify(result)}\n`)
}
