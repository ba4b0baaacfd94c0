// The invoice pages in a real browser: what is due, why an invoice is void, and the charges behind its lines.
import { beforeAll, expect, test } from '@jest/globals'
import { dayWords } from '../../dashboard/words'
import { addCharge } from '../../db/invoices/charges'
import { issueInvoice } from '../../db/invoices/issue'
import { markInvoicePaid, voidInvoice } from '../../db/invoices/moves'
import type { PartnerRow } from '../../db/partners/partners'
import { londonMonthOf, type Month, previousMonth } from '../../domain/month'
import { aPartner, aPayoutRow, aSeller, aSession } from '../support/api/fixtures'
import { checkPage, noFindings } from '../support/browser/page-checks'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'

const { api, visit } = useDashboard()
const dayMs = 24 * 60 * 60 * 1000

let partner: PartnerRow
let session: string
let payoutId: string
let paid: IssuedInvoice
let voided: IssuedInvoice
let overdue: IssuedInvoice
/** Invoices are due after 14 days. */
let issuedAt: Date

beforeAll(async () => {
  partner = await aPartner(api)
  session = await aSession(api, partner, 'viewer')
  issuedAt = new Date(api.clock.now().getTime() - 17 * dayMs)
  const month = previousMonth(londonMonthOf(issuedAt))
  payoutId = (await aPayoutRow(api, partner, { environment: 'live', recipientName: 'Ada Lovelace' })).id
  await charge('payout_fee', 1_090_000n, previousMonth(month))
  paid = await issue(previousMonth(month))
  await api.db.transaction((tx) => markInvoicePaid(tx, { number: paid.number, at: daysAfterIssue(1) }))
  await charge('payout_fee', 1_090_000n, month)
  await charge('network_fee', 19_800n, month)
  voided = await issue(month)
  const reason = 'The price was wrong.'
  await api.db.transaction((tx) => voidInvoice(tx, { number: voided.number, reason, at: daysAfterIssue(2) }))
  overdue = await issue(month)
})

test('the list shows the sum of what is due, and the date that matters for each invoice', async () => {
  const visitor = await opened('')
  const { page } = visitor
  const card = (status: string) => page.getByRole('listitem').filter({ hasText: status }).textContent()

  await page.getByText('£1.11 due').waitFor()
  await page.getByText('1 open invoice. £1.11 is overdue.').waitFor()
  expect(await card('Overdue')).toContain('3 days overdue')
  expect(await card('Paid')).toContain(`Paid ${dayWords(daysAfterIssue(1).toISOString())}`)
  expect(await card('Void')).toContain(`Voided ${dayWords(daysAfterIssue(2).toISOString())}`)
  expect(await card('Void')).toContain(`Reason: The price was wrong. · Replaced by ${overdue.number}`)
  await visitor.leave()
})

test('a void invoice has a page that says why, and leads to its replacement', async () => {
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

test('an open invoice says how to pay it, and lists the charges behind its lines with their payouts', async () => {
  const visitor = await opened(`/${overdue.id}`)
  const { page } = visitor
  const howToPay = page.locator('section').filter({ has: page.getByRole('heading', { name: 'How to pay' }) })

  for (const text of [...aSeller.paymentLines, overdue.number, '£1.11'])
    expect(await howToPay.textContent()).toContain(text)
  const charges = page.getByRole('table', { name: 'Charges' })
  await charges.getByText('£0.0198').waitFor()
  expect(await charges.getByRole('row').count()).toBe(3)
  await page.getByRole('link', { name: 'Completed payout' }).first().click()
  await page.getByText('to Ada Lovelace').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/dashboard/payouts/${payoutId}`)
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

function charge(kind: 'payout_fee' | 'network_fee', amountMicropounds: bigint, month: Month): Promise<void> {
  const about = { partnerId: partner.id, kind, payoutId, causeRef: `${month}/${kind}`, amountMicropounds, month }
  return api.db.transaction((tx) => addCharge(tx, { ...about, at: issuedAt }))
}

function daysAfterIssue(days: number): Date {
  return new Date(issuedAt.getTime() + days * dayMs)
}

async function opened(path: string): Promise<Visitor> {
  // The expected dates are formatted in the time zone of this process.
  const { timeZone: timezoneId } = new Intl.DateTimeFormat().resolvedOptions()
  const visitor = await visit({ session, colorScheme: 'light', timezoneId })
  await visitor.go(`/dashboard/invoices${path}?environment=live`)
  return visitor
}
