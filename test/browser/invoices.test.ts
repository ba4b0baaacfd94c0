// The invoice pages in a real browser: the amount due, why an invoice is void, and the charges behind each line.
import { beforeAll, expect, test } from '@jest/globals'
import { dayWords, monthsWords, nextMonthDayWords } from '../../dashboard/words'
import { addCharge } from '../../db/invoices/charges'
import { issueInvoice } from '../../db/invoices/issue'
import { markInvoicePaid, voidInvoice } from '../../db/invoices/moves'
import type { PartnerRow } from '../../db/partners/partners'
import { londonMonthOf, type Month, previousMonth } from '../../domain/month'
import { aPartner, aPayoutRow, aSeller, aSession } from '../support/api/fixtures'
import { checkPage, noFindings } from '../support/browser/page-checks'
import { useDashboard } from '../support/browser/served-dashboard'
import { desktop, type Visitor } from '../support/browser/visitor'

const { api, visit } = useDashboard()
const dayMs = 24 * 60 * 60 * 1000
/** One more than a page of charges. */
const networkFeeCount = 21

let partner: PartnerRow
let session: string
let payoutId: string
let paid: IssuedInvoice
let voided: IssuedInvoice
let overdue: IssuedInvoice
/** 17 days ago: an invoice is due after 14 days, so an open one is now 3 days overdue. */
let issuedAt: Date

beforeAll(async () => {
  partner = await aPartner(api)
  session = await aSession(api, partner, 'viewer')
  issuedAt = new Date(api.clock.now().getTime() - 17 * dayMs)
  const month = previousMonth(londonMonthOf(issuedAt))
  payoutId = (await aPayoutRow(api, partner, { environment: 'live', recipientName: 'Ada Lovelace' })).id
  await charge('payout_fee', 1_090_000n, previousMonth(month))
  for (const late of lateMonths(month)) await charge('monthly_account', 0n, late)
  paid = await issue(previousMonth(month))
  await api.db.transaction((tx) => markInvoicePaid(tx, { number: paid.number, at: daysAfterIssue(1) }))
  await charge('payout_fee', 1_090_000n, month)
  for (let count = 0; count < networkFeeCount; count++)
    await charge('network_fee', 943n, month, `${month}/network/${count}`)
  voided = await issue(month)
  const reason = 'The price was wrong.'
  await api.db.transaction((tx) => voidInvoice(tx, { number: voided.number, reason, at: daysAfterIssue(2) }))
  overdue = await issue(month)
})

test('the list shows the total amount due, and the relevant date of each invoice', async () => {
  const visitor = await opened('')
  const { page } = visitor
  const card = (status: string) => page.getByRole('listitem').filter({ hasText: status }).textContent()

  await page.getByText('£1.11 due').waitFor()
  await page.getByText('1 open invoice. £1.11 is overdue.').waitFor()
  expect(await card('Overdue')).toContain('3 days overdue')
  expect(await card('Paid')).toContain(`Paid ${dayWords(daysAfterIssue(1).toISOString())}`)
  expect(await card('Paid')).toContain(monthsWords(lateMonths(previousMonth(londonMonthOf(issuedAt)))))
  expect(await card('Void')).toContain(`Voided ${dayWords(daysAfterIssue(2).toISOString())}`)
  expect(await card('Void')).toContain(`Reason: The price was wrong. · Replaced by ${overdue.number}`)
  await page.getByRole('listitem').filter({ hasText: 'Void' }).getByRole('link', { name: overdue.number }).click()
  await page.waitForURL(`**/dashboard/invoices/${overdue.id}?*`)
  await visitor.leave()
})

test('a click anywhere on a card opens the invoice, but its download button downloads the file', async () => {
  const visitor = await opened('')
  const { page } = visitor
  const card = page.getByRole('listitem').filter({ hasText: paid.number })
  const download = page.waitForEvent('download')
  await card.getByRole('button', { name: `${paid.number} as CSV`, exact: true }).click()
  expect((await download).suggestedFilename()).toBe(`${paid.number}.csv`)

  // Clicks with `force`, because Playwright otherwise refuses to click an element that a link covers.
  await card.getByText('£1.09').click({ force: true })
  await page.waitForURL(`**/dashboard/invoices/${paid.id}?*`)
  await visitor.leave()
})

test('the page of a void invoice shows the reason, and links to its replacement', async () => {
  const visitor = await opened(`/${voided.id}`)
  const { page } = visitor
  await page.getByText('Reason: The price was wrong.').waitFor()
  expect(await page.getByText('How to pay').count()).toBe(0)
  expect(await checkPage(visitor, 'invoice-void')).toEqual(noFindings)

  await page.getByRole('link', { name: overdue.number }).click()

  await page.getByText('3 days overdue').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/dashboard/invoices/${overdue.id}`)
  await page.getByText('Replaces').waitFor()
  await visitor.leave()
})

test('the page of an open invoice explains how to pay, and lists the charges behind each line with their sum', async () => {
  const visitor = await opened(`/${overdue.id}`)
  const { page } = visitor
  const howToPay = page.locator('section').filter({ has: page.getByRole('heading', { name: 'How to pay' }) })

  for (const text of [...aSeller.paymentLines, overdue.number, '£1.11'])
    expect(await howToPay.textContent()).toContain(text)
  const rowsOf = (line: string) => page.getByRole('table', { name: `Charges: ${line}`, exact: true }).getByRole('row')
  expect(await rowsOf('Payout fees').allInnerTexts()).toEqual([
    expect.stringMatching(/^Date\s+Charge\s+Exact amount$/),
    expect.stringMatching(/Completed payout\s+£1\.09$/),
    expect.stringMatching(/^\s*Sum of all charges\s+£1\.09$/),
  ])
  const networkFees = rowsOf('Network fees')
  const sum = /Sum of all charges\s+£0\.02\s+rounded from £0\.019803$/
  expect(await networkFees.filter({ hasText: '£0.000943' }).count()).toBe(20)
  expect(await networkFees.last().innerText()).toMatch(sum)
  await page.getByRole('button', { name: 'Show more charges: Network fees' }).click()
  await networkFees.nth(networkFeeCount + 1).waitFor()
  expect(await networkFees.filter({ hasText: '£0.000943' }).count()).toBe(networkFeeCount)
  expect(await networkFees.last().innerText()).toMatch(sum)
  expect(await checkPage(visitor, 'invoice-charges')).toEqual(noFindings)
  await page.setViewportSize(desktop)
  await rowsOf('Payout fees').nth(1).getByRole('cell').last().click({ force: true })
  await page.getByText('to Ada Lovelace').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/dashboard/payouts/${payoutId}`)
  await visitor.leave()
})

test('the page of an invoice names all its months and, in the sandbox, says that it covers live usage', async () => {
  const visitor = await opened(`/${paid.id}`)
  const { page } = visitor
  const months = monthsWords(lateMonths(previousMonth(londonMonthOf(issuedAt))))
  await page.getByText(`£1.09 for ${months}`).waitFor()
  expect(await page.getByText('This invoice covers live usage.').count()).toBe(0)

  await visitor.go(`/dashboard/invoices/${paid.id}?environment=sandbox`)
  await page.getByText('This invoice covers live usage. Sandbox usage is never invoiced.').waitFor()
  expect(await checkPage(visitor, 'invoice-sandbox')).toEqual(noFindings)
  await visitor.leave()
})

test('the usage page shows when the next invoice comes, and no months before the first payout', async () => {
  const visitor = await opened('')
  const { page } = visitor
  const months = page.getByRole('table', { name: 'Usage by month' }).getByRole('row')
  await visitor.go('/dashboard/usage?environment=live')

  await page.getByText(`Issued on ${nextMonthDayWords(londonMonthOf(api.clock.now()))}.`).waitFor()
  expect(await months.count()).toBe(2)
  const prices = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Your prices' }) })
  expect(await prices.locator('dd').allInnerTexts()).toEqual([
    '£0.99 + 1.00%',
    '£0.50 + 0.50%',
    '£15.00',
    '£39.00',
    'cost + 10.00%',
    'cost + 20.00%',
    'Free',
  ])
  await months.last().getByRole('link').click()
  await page.getByRole('table', { name: 'Payouts' }).getByText('Ada Lovelace').waitFor()
  const days = new URL(page.url()).searchParams
  expect([days.get('from')?.slice(8), days.get('from')?.slice(0, 7)]).toEqual(['01', days.get('to')?.slice(0, 7)])
  await visitor.go('/dashboard/usage?environment=sandbox')
  await page.getByText('Sandbox usage is never invoiced.').waitFor()
  expect(await months.count()).toBe(2)
  expect(await page.getByText('Issued on').count()).toBe(0)
  expect(await checkPage(visitor, 'usage-newcomer')).toEqual(noFindings)
  await visitor.leave()
})

test('an unknown invoice is shown as not found', async () => {
  const visitor = await opened('/INV-2026-000001')

  expect(await visitor.page.locator('h1').textContent()).toBe('Invoice not found')
  await visitor.leave()
})

interface IssuedInvoice {
  readonly id: string
  readonly number: string
}

async function issue(period: Month): Promise<IssuedInvoice> {
  const issued = await issueInvoice(api.db, { partnerId: partner.id, period, at: issuedAt, seller: aSeller })
  if (issued.outcome !== 'issued') throw new Error(`not issued: ${issued.outcome}`)
  return { id: issued.invoiceId, number: issued.number }
}

/** The months of the paid invoice. It bills the first of them late. */
function lateMonths(month: Month): readonly Month[] {
  return [previousMonth(previousMonth(month)), previousMonth(month)]
}

function charge(
  kind: 'payout_fee' | 'network_fee' | 'monthly_account',
  amountMicropounds: bigint,
  month: Month,
  causeRef: string = month,
): Promise<void> {
  const about = { partnerId: partner.id, kind, payoutId, causeRef, amountMicropounds, month }
  return api.db.transaction((tx) => addCharge(tx, { ...about, at: issuedAt }))
}

function daysAfterIssue(days: number): Date {
  return new Date(issuedAt.getTime() + days * dayMs)
}

async function opened(path: string): Promise<Visitor> {
  // The expected dates are formatted in this process's time zone.
  const { timeZone: timezoneId } = new Intl.DateTimeFormat().resolvedOptions()
  const visitor = await visit({ session, timezoneId })
  await visitor.go(`/dashboard/invoices${path}?environment=live`)
  return visitor
}
