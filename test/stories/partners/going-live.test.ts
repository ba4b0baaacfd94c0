// Follows a business from sign-up to the invoice for a returned payout. Only its own members, the bank and billing
// are involved.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { londonMonthOf, nextMonth, startOf } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import { payInPounds, press } from '../../support/bank/pages'
import { anInbox, type TestInbox } from '../../support/mail/an-inbox'
import { aPerson, type Person } from '../../support/system/person'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

const dayMs = 86_400_000
// Starts at noon on the 2nd, so that the return falls in the same month whenever this test runs.
const month = nextMonth(londonMonthOf(systemClock.now()))
const secondAtNoonMs = aheadOf(startOf(month)) + 1.5 * dayMs
const threeDaysLaterMs = secondAtNoonMs + 3 * dayMs
const whenBilledMs = aheadOf(startOf(nextMonth(month))) + dayMs / 4
let inbox: TestInbox
let world: World
let ada: Person

beforeAll(async () => {
  inbox = await anInbox()
  world = await openWorld({
    aheadMs: secondAtNoonMs,
    env: {
      SMTP_URL: inbox.smtpUrl,
      MAIL_FROM: 'Payouts Test <billing@payouts.test>',
      SELLER_NAME: 'Payouts Test Ltd',
      SELLER_ADDRESS: '1 Test Street|London',
      SELLER_EMAIL: 'billing@payouts.test',
      SELLER_BANK: 'Sort code 00-00-00|Account 12345678',
      NOTICES_EVERY_MS: '1000',
    },
  })
  await world.bankKnowsUs()
  ada = aPerson(world, inbox, 'ada@engines.test')
})
afterAll(async () => {
  await world?.close()
  await inbox?.remove()
})

test('a business signs up, verifies, tops up, pays, gets a return three days later, and is billed to the penny', async () => {
  const { status, body: session } = await ada.signUp('Analytical Engines Ltd')
  expect([status, session.member.role, session.live]).toEqual([201, 'admin', false])

  await ada.ask('POST', '/v1/compliance/verification', {})
  const { continue_url, terms_url } = await verification(({ continue_url }) => continue_url !== null)
  await press(terms_url, 'accept')
  await press(continue_url, 'approve')
  const approved = await verification(({ status }) => status === 'approved')
  expect(approved).toMatchObject({ continue_url: null, terms_url: null, reasons: [], can_start: false })
  await ada.mailed(/Your business is verified/)

  const { body: account } = await ada.ask('GET', '/v1/account?environment=live')
  // The rate is 0.79 plus half a per cent, 0.79395 GBP per dollar. 500.00 pounds buy 629.7626 dollars,
  // rounded down to a cent.
  await payInPounds(world, account.bank_funding, '500.00')
  await balance('629.76')
  await ada.mailed(/A top-up arrived/)

  // The fee is 0.99 plus 1 % of 200.00, which is 2.99. The bank's share is 0.50 plus 0.5 %, which is 1.50.
  // 201.50 pounds at 0.79 are 255.0633 dollars, rounded up.
  const order = world.order({ amount_gbp: '200.00' })
  const paid = await payConfirmed(order)
  expect([paid.status, paid.body.fee_gbp, paid.body.wallet_sent_usdc]).toEqual([201, '2.99', '255.07'])
  await payout(paid.body.id, 'completed')
  await balance('374.69')

  await world.goAhead(threeDaysLaterMs)
  expect((await ada.ask('GET', '/v1/auth/session')).status).toBe(401)
  await ada.signIn()
  const [transfer] = await world.transfersOf(paid.body.id)
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'returned', reason: 'AC07' })
  const { failure_reason, updated_at, created_at } = await payout(paid.body.id, 'returned')
  expect(failure_reason).toMatch(/^account_closed/)
  expect(Date.parse(updated_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(3 * dayMs)
  await balance('629.76')
  await ada.mailed(/A payout was returned/)

  await world.goAhead(whenBilledMs)
  await world.ops('invoices', 'run', '--period', month, '--partner', session.partner.slug)
  await ada.signIn()
  const { body: invoices } = await ada.ask('GET', '/v1/invoices')
  expect(invoices.data).toHaveLength(1)
  const [invoice] = invoices.data
  const amounts = invoice.lines.map(({ kind, amount_gbp }: { kind: string; amount_gbp: string }) => [kind, amount_gbp])
  expect(Object.fromEntries(amounts)).toEqual({
    business_verification: '39.00',
    monthly_account: '15.00',
    // 2.99 minus the 1.50 that was part of the transfer. This fee is credited, because the payout was returned.
    payout_fees: '1.49',
    credit: '1.49',
    // 0.018 plus 10 % is 0.0198.
    network_fees: '0.02',
    // A return costs 5.00 plus 20 %.
    bank_exceptions: '6.00',
  })
  // 39.00 + 15.00 + 1.49 − 1.49 + 0.02 + 6.00
  expect([invoice.period, invoice.total_gbp]).toEqual([month, '60.02'])
  await ada.mailed(/^Invoice /)
})

function aheadOf(then: Date): number {
  return then.getTime() - systemClock.now().getTime()
}

type Compliance = Record<'status' | 'continue_url' | 'terms_url', string>

function verification(wanted: (now: Compliance) => boolean): Promise<Compliance> {
  return until('the expected verification', async () => {
    const { body } = await ada.ask('GET', '/v1/compliance')
    return wanted(body.business_verification) && body.business_verification
  })
}

function balance(usdc: string): Promise<unknown> {
  return until(`a balance of ${usdc}`, async () => {
    const { body } = await ada.ask('GET', '/v1/balance?environment=live')
    return body.usdc === usdc
  })
}

/** Pays with the emailed confirm code, after checking that the payout is refused without it. */
async function payConfirmed(order: ReturnType<World['order']>) {
  const key = { 'Idempotency-Key': 'order-1001' }
  const refused = await ada.ask('POST', '/v1/payouts?environment=live', order, key)
  expect([refused.status, refused.body.error.code]).toEqual([422, 'invalid_confirm_code'])
  await ada.ask('POST', '/v1/payouts/confirm-codes?environment=live', order, key)
  const [, confirm_code] = await ada.mailed(/^(\d{6}) is your code to confirm £200\.00/)
  return ada.ask('POST', '/v1/payouts?environment=live', { ...order, confirm_code }, key)
}

function payout(id: string, status: string) {
  return until(`the payout is ${status}`, async () => {
    const { body } = await ada.ask('GET', `/v1/payouts/${id}?environment=live`)
    return body.status === status && body
  })
}
