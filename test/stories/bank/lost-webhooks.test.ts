// All of the bank's events are lost for a month: polling and Schedules find every change.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { scheduleIds } from '../../../workflows/names'
import type { Json } from '../../support/bank/client'
import { payInPounds, press } from '../../support/bank/pages'
import { anInbox, type TestInbox } from '../../support/mail/an-inbox'
import { aPerson } from '../../support/system/person'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

const days = 30
const dayMs = 86_400_000
let inbox: TestInbox
let world: World
let lost: string

beforeAll(async () => {
  inbox = await anInbox()
  world = await openWorld({
    env: {
      SMTP_URL: inbox.smtpUrl,
      MAIL_FROM: 'Payouts Test <billing@payouts.test>',
      VERIFICATION_POLL_MS: '100',
      WALLET_READ_EVERY_MS: '1000',
    },
  })
  await world.bankKnowsUs()
  lost = await world.bank.fault({ kind: 'webhook_lost', times: null })
})
afterAll(async () => {
  await world?.close()
  await inbox?.remove()
})

test('verification and the first deposit work without events, by polling the bank and reading the wallet', async () => {
  const grace = aPerson(world, inbox, 'grace@hopper.test')
  await grace.signUp('Hopper Ltd')
  await grace.ask('POST', '/v1/compliance/verification', {})
  const verification = async () => (await grace.ask('GET', '/v1/compliance')).body.business_verification
  const untilStatus = (wanted: string) => until(wanted, async () => (await verification()).status === wanted)
  await until('the links of the bank are shown', async () => (await verification()).continue_url !== null)
  const { terms_url, continue_url } = await verification()

  await press(terms_url, 'accept')
  await press(continue_url, 'ask')
  await untilStatus('action_required')
  await press(continue_url, 'approve')
  await untilStatus('approved')
  const { body: account } = await grace.ask('GET', '/v1/account?environment=live')
  await payInPounds(world, account.bank_funding, '100.00')
  const balance = await until('it is booked', async () => {
    const { body } = await grace.ask('GET', '/v1/balance?environment=live')
    return body.usdc !== '0.00' && body.usdc
  })

  // At 0.79395 GBP per dollar, 100.00 pounds buy 125.9525 dollars, which is rounded down to 125.95.
  expect(balance).toBe('125.95')
})

test('over thirty days, each payout is settled, each deposit is booked, and each return is found', async () => {
  const before = await world.balance('live')
  const paid: Json[] = []

  // Each round is a day with one payout and the nightly scan, which the test triggers.
  for (let day = 1; day <= days; day++) {
    const { body } = await world.pay({ amount_gbp: '10.00' }, { environment: 'live', key: `order-day-${day}` })
    paid.push(await world.settled(body.id))
    if (day % 10 === 5) await deposit('20.00')
    if (day % 10 === 0) await returnTransfer(paid[day - 8])
    await world.trigger(scheduleIds.changedTransfers)
  }

  // Each payout sends 10.00 and the bank's share of 0.55: 10.55 / 0.79 is 13.3544 USDC, rounded up to 13.36. 27
  // payouts arrived, 3 were returned, and 60.00 was deposited.
  const expected = before - 27n * 13_360_000n + 60_000_000n
  await until('everything is booked', async () => (await world.balance('live')) === expected)
  const statuses = await world.db.dataSource.query<Json[]>(
    `SELECT status, count(*)::int AS n FROM payouts WHERE environment = 'live' GROUP BY status ORDER BY status`,
  )
  expect(statuses).toEqual([
    { status: 'completed', n: 27 },
    { status: 'returned', n: 3 },
  ])
})

test('the nightly scan alone finds a return before its refund', async () => {
  const { body } = await world.pay({ amount_gbp: '10.00' }, { environment: 'live', key: 'order-looked-for' })
  await world.settled(body.id)
  const before = await world.balance('live')
  // The wallet does not show the return yet: the bank holds the money for a day, or until the test releases it.
  await world.bank.control('PUT', '/delays', { returned: dayMs })
  const [transfer] = await world.transfersOf(body.id)
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'returned' })

  await world.trigger(scheduleIds.changedTransfers)
  await world.reached(body.id, ({ status }) => status === 'returned')
  expect(await world.balance('live')).toBe(before)
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'refunded' })

  await world.settled(body.id)
  expect(await world.balance('live')).toBe(before + 13_360_000n)
})

test('none of the bank’s events reached us', async () => {
  expect((await world.bank.counts(lost)).fired).toBeGreaterThan(100)
  expect(await world.db.dataSource.query('SELECT 1 FROM bank_events')).toEqual([])
})

async function deposit(amount: string): Promise<void> {
  const [wallet] = await world.db.dataSource.query<Json[]>(
    `SELECT wallet_ref AS ref FROM wallets WHERE partner_id = $1 AND environment = 'live'`,
    [world.partner.id],
  )
  await world.bank.control('POST', `/wallets/${wallet.ref}/deposits`, { amount })
}

async function returnTransfer({ id }: Json): Promise<void> {
  const [transfer] = await world.transfersOf(id)
  const { status } = await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'returned' })
  expect(status).toBe(200)
}
