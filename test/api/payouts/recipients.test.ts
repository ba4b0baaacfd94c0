// GET /v1/recipients: payouts of the last 12 months, grouped by account.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aClock, aPartner, aPayoutRow, useCaller } from '../../support/api/fixtures'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })
const { partner, caller } = useCaller(api)

const on = (date: string) => new Date(`${date}T10:00:00Z`)
const list = async (query = '') => (await api.get(`/v1/recipients${query}`, caller)).body

test('payouts to one account form one recipient with the latest name, and completed ones are counted and summed', async () => {
  await aPayoutRow(api, partner, { createdAt: on('2026-11-01'), recipientName: 'Ada Byron' })
  await aPayoutRow(api, partner, { createdAt: on('2026-11-03'), amountPence: 5_050n })
  await aPayoutRow(api, partner, { createdAt: on('2026-11-04'), status: 'processing', recipientName: 'Ada Lovelace' })

  expect(await list()).toEqual({
    object: 'list',
    data: [
      {
        name: 'Ada Lovelace',
        account_last4: '5678',
        payouts: 2,
        paid_gbp: '170.50',
        last_paid_at: '2026-11-03T10:00:00.000Z',
      },
    ],
    has_more: false,
    next_cursor: null,
  })
})

test('accounts that share their last digits are separate recipients, last paid first', async () => {
  await aPayoutRow(api, partner, { account: '11115678', createdAt: on('2026-11-02'), recipientName: 'Grace' })
  await aPayoutRow(api, partner, { account: '22225678', createdAt: on('2026-11-05'), recipientName: 'Edsger' })
  await aPayoutRow(api, partner, { account: '33335678', createdAt: on('2026-11-03'), recipientName: 'Barbara' })

  expect((await list()).data?.map(({ name, account_last4 }) => [name, account_last4])).toEqual([
    ['Edsger', '5678'],
    ['Barbara', '5678'],
    ['Grace', '5678'],
  ])
})

test('a recipient whose only payout is in flight or returned is listed with nothing paid', async () => {
  await aPayoutRow(api, partner, { account: '11111111', createdAt: on('2026-11-02'), status: 'pending' })
  await aPayoutRow(api, partner, { account: '22222222', createdAt: on('2026-11-03'), status: 'returned' })

  expect((await list()).data?.map(({ payouts, paid_gbp, last_paid_at }) => [payouts, paid_gbp, last_paid_at])).toEqual([
    [0, '0.00', '2026-11-03T10:00:00.000Z'],
    [0, '0.00', '2026-11-02T10:00:00.000Z'],
  ])
})

test('payouts with erased bank details belong to no recipient, but still work as cursors', async () => {
  const erased = { accountHash: null, accountHashKeyId: null }
  const [earlier, later] = [on('2026-11-01'), on('2026-11-05')]
  await aPayoutRow(api, partner, { createdAt: earlier, recipientName: 'Ada' })
  const { id } = await aPayoutRow(api, partner, { createdAt: on('2026-11-03'), ...erased })
  await aPayoutRow(api, partner, { account: '11111111', createdAt: later, recipientName: 'Grace' })

  expect((await list()).data?.map(({ name, payouts }) => [name, payouts])).toEqual([
    ['Grace', 1],
    ['Ada', 1],
  ])
  expect((await list(`?starting_after=${id}`)).data?.map(({ name }) => name)).toEqual(['Ada'])
})

test('failed, cancelled, released and old payouts do not count, and neither do those of other partners and environments', async () => {
  await aPayoutRow(api, partner, { status: 'failed' })
  await aPayoutRow(api, partner, { status: 'cancelled' })
  await aPayoutRow(api, partner, { status: 'pending', releasedAt: clock.now() })
  await aPayoutRow(api, partner, { createdAt: new Date('2025-11-16T11:59:59.999Z') })
  await aPayoutRow(api, partner, { environment: 'live' })
  await aPayoutRow(api, await aPartner(api))
  const counted = await aPayoutRow(api, partner, { account: '87654321', createdAt: new Date('2025-11-16T12:00:00Z') })

  expect((await list()).data).toMatchObject([{ account_last4: '4321', last_paid_at: counted.createdAt.toISOString() }])
})

test('pages show every recipient once, even if a payout fails between two pages', async () => {
  const rows = []
  for (const account of ['11111111', '22222222', '33333333', '44444444', '55555555']) {
    rows.push(await aPayoutRow(api, partner, { account, createdAt: on('2026-11-05'), status: 'processing' }))
  }
  const all = (await list()).data?.map((each) => each['account_last4'])

  const first = await list('?limit=2')
  const atCursor = rows.find(({ id }) => id === first.next_cursor)
  await api.db.dataSource.query(`UPDATE payouts SET status = 'failed', failure_reason = 'x' WHERE id = $1`, [
    atCursor?.id,
  ])
  const second = await list(`?limit=2&starting_after=${first.next_cursor}`)
  const third = await list(`?limit=2&starting_after=${second.next_cursor}`)

  const seen = [first, second, third].flatMap((page) => page.data?.map((each) => each['account_last4']))
  expect(seen).toEqual(all)
  expect([first.has_more, second.has_more, third.has_more]).toEqual([true, true, false])
})

test('an invalid limit and another partner’s cursor are 422 invalid_request', async () => {
  const other = await aPayoutRow(api, await aPartner(api))
  const queries = [
    'limit=0',
    'limit=201',
    'starting_after=x',
    `starting_after=${randomUUID()}`,
    `starting_after=${other.id}`,
  ]

  const answers = await Promise.all(queries.map((query) => api.get(`/v1/recipients?${query}`, caller)))

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    queries.map(() => [422, 'invalid_request']),
  )
})
