// GET /v1/overview returns all data for the home page, with the same values as the individual endpoints.
import { beforeEach, expect, test } from '@jest/globals'
import { type Db, txThrough } from '../../../db/database'
import { loadOverview } from '../../../db/invoices/overview'
import { RailUnavailable } from '../../../rail/rail'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow, aSession, changePartner } from '../../support/api/fixtures'
import { openedForEach } from '../../support/opened'

const clock = aClock('2026-11-16T12:00:00Z')
let bank: 'answers' | 'is down' | 'hangs' = 'answers'
const rail = {
  rate: async () => {
    if (bank === 'is down') throw new RailUnavailable('rate')
    if (bank === 'hangs') await new Promise(() => undefined)
    return { gbpPerUsdNano: 790_000_000n, midNano: 790_000_000n, updatedAt: clock.now() }
  },
}
const api = useApi({ clock, rails: { simulated: rail } })
const partner = openedForEach(() => aPartner(api))

beforeEach(() => {
  bank = 'answers'
  clock.set('2026-11-16T12:00:00Z')
})

const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000)

test('the overview agrees with the endpoints for the balance, usage, usage history, payouts and members', async () => {
  const session = await aSession(api, partner)
  await aKey(api, partner, 'sandbox')
  for (let minute = 0; minute < 8; minute++) await aPayoutRow(api, partner, { createdAt: minutesAgo(minute) })
  const read = async (path: string) => (await api.get(path, { session })).body

  const overview = await read('/v1/overview?environment=sandbox')

  const { usdc, approx_gbp } = await read('/v1/balance?environment=sandbox')
  expect(overview['balance']).toEqual({ usdc, approx_gbp })
  expect(overview['usage']).toEqual(await read('/v1/usage?environment=sandbox'))
  expect(overview['history']).toEqual((await read('/v1/usage/history?environment=sandbox')).data)
  expect(overview['latest']).toEqual((await read('/v1/payouts?environment=sandbox&limit=6')).data)
  expect(overview['members']).toBe((await read('/v1/members')).data?.length)
  expect(overview['active_keys']).toBe(1)
})

test('attention lists the ten oldest late payouts of a status, and recently failed payouts', async () => {
  const session = await aSession(api, partner)
  const dayMinutes = 24 * 60
  for (const age of [14, 16, 100 * dayMinutes, ...Array.from({ length: 9 }, (_, day) => (day + 2) * dayMinutes)])
    await aPayoutRow(api, partner, { status: 'pending', createdAt: minutesAgo(age), recipientName: `Minute ${age}` })
  for (const age of [1, 2, 8])
    await aPayoutRow(api, partner, {
      status: 'failed',
      createdAt: minutesAgo(age * dayMinutes),
      recipientName: `Day ${age}`,
    })

  const { body } = await api.get('/v1/overview?environment=sandbox', { session })

  expect(body['attention']).toMatchObject([
    {
      status: 'pending',
      payouts: [100, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((days) => ({
        recipient: { name: `Minute ${days * dayMinutes}` },
      })),
      has_more: true,
    },
    { status: 'processing', payouts: [], has_more: false },
    {
      status: 'failed',
      payouts: [{ recipient: { name: 'Day 1' } }, { recipient: { name: 'Day 2' } }],
      has_more: false,
    },
    { status: 'returned', payouts: [], has_more: false },
  ])
})

test('a payout that is created during the read is in none of the figures', async () => {
  const scope = { partnerId: partner.id, environment: 'sandbox' as const }

  const { usage, history, latest } = await loadOverview(withPayoutAfterUsage(), scope, {
    now: clock.now(),
    months: ['2026-11'],
  })

  expect([usage.count, history[0]?.count, latest.length]).toEqual([0, 0, 0])
  expect((await loadOverview(api.db, scope, { now: clock.now(), months: ['2026-11'] })).latest).toHaveLength(1)
})

test.each(['is down', 'hangs'] as const)('if the bank %s, only the value in pounds is missing', async (state) => {
  const session = await aSession(api, partner)
  bank = state
  clock.set('2026-11-16T13:00:00Z')

  const { status, body } = await api.get('/v1/overview?environment=sandbox', { session })

  expect([status, body['balance']]).toEqual([200, { usdc: '10000.00', approx_gbp: null }])
})

test('a suspended partner can read the overview, except for the balance', async () => {
  const session = await aSession(api, partner)
  await aPayoutRow(api, partner)
  await changePartner(api, partner, { status: 'suspended' })

  const { status, body } = await api.get('/v1/overview?environment=sandbox', { session })

  expect([status, body['balance'], body['latest']]).toMatchObject([200, null, [{ object: 'payout' }]])
})

/** A database in which another connection creates a payout after the usage was read. */
function withPayoutAfterUsage(): Db {
  let isCreated = false
  return {
    ...api.db,
    transaction: (work) =>
      api.db.transaction((tx) =>
        work(
          txThrough(tx.dataSource, async (command) => {
            const result = await tx.send(command)
            if (!isCreated && command.text.includes('payout_months')) {
              isCreated = true
              await aPayoutRow(api, partner)
            }
            return result
          }),
        ),
      ),
  }
}
