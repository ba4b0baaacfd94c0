// The filters of payouts, wallet and audit log: totals and CSV follow them, and the address keeps them.
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { recordActivity } from '../../../db/controls/activity'
import { aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { useDashboard } from '../../support/browser/served-dashboard'
import type { Visitor } from '../../support/browser/visitor'
import { openedForEach } from '../../support/opened'
import { until } from '../../support/until'

const { api, visit } = useDashboard()
const partner = openedForEach(() => aPartner(api))
let visitor: Visitor
let page: Page

beforeEach(async () => {
  visitor = await visit({ session: await aSession(api, partner) })
  page = visitor.page
})

const table = () => page.getByRole('table', { name: 'Payouts' })
const totals = () => page.getByLabel('Totals')
/** Waits until the list shows exactly these names: it loads independently of the totals. */
const shows = (...names: readonly string[]) =>
  until(`the list shows ${names.join(', ')}`, async () => {
    const shown = await table().getByRole('link').allTextContents()
    return isDeepStrictEqual(shown.toSorted(), names)
  })

test('filters combine several statuses and amounts, with the total of all matches', async () => {
  for (const status of ['completed', 'failed', 'returned'] as const) {
    await aPayoutRow(api, partner, { status, recipientName: `${status} small`, amountPence: 1_000n })
    await aPayoutRow(api, partner, { status, recipientName: `${status} large`, amountPence: 123_456n })
  }
  await visitor.go('/dashboard/payouts?environment=sandbox')
  await page.getByRole('button', { name: 'Failed' }).click()
  await page.getByRole('button', { name: 'Returned' }).click()
  await totals().getByText('4 payouts, £2,489.12').waitFor()

  await shows('failed large', 'failed small', 'returned large', 'returned small')
  await page.getByLabel('Min amount').fill('1,000')
  await totals().getByText('2 payouts, £2,469.12').waitFor()
  await shows('failed large', 'returned large')
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed,returned')
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('payouts-filtered')
  const exported = page.waitForRequest('**/v1/payouts.csv?*')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const query = new URL((await exported).url()).searchParams
  expect([query.get('status'), query.get('amount_min')]).toEqual(['failed,returned', '1000.00'])
  await page.getByLabel('Min amount').fill('a lot')
  await page.getByText('Enter an amount such as 120.00').waitFor()
  await visitor.leave()
})

test('filters choose days by name, and Back undoes a choice', async () => {
  await aPayoutRow(api, partner, { recipientName: 'Tia Today' })
  const old = new Date(api.clock.now().getTime() - 400 * 86_400_000)
  await aPayoutRow(api, partner, { recipientName: 'Olga Old', createdAt: old })
  await page.clock.setFixedTime(api.clock.now())
  await visitor.go('/dashboard/payouts?environment=sandbox')
  await totals().getByText('2 payouts').waitFor()
  await page.getByLabel('Date').selectOption('This month')
  await totals().getByText('1 payout,').waitFor()

  await shows('Tia Today')
  await page.getByLabel('Date').selectOption('Last month')
  await page.getByText('No payouts match these filters').waitFor()
  await page.goBack()
  await page.getByText('Tia Today').waitFor()
  expect(await page.getByLabel('Date').inputValue()).toBe('month')
  await page.goBack()
  await page.getByText('Olga Old').waitFor()
  expect(await page.getByLabel('Date').inputValue()).toBe('any')
  await visitor.leave()
})

test('filters are kept by a payout’s page, by Back, and by the other environment', async () => {
  await aPayoutRow(api, partner, { status: 'failed', recipientName: 'Fay Failed', reference: null })
  await visitor.go('/dashboard/payouts?environment=sandbox&status=failed')
  // Clicks on the cell of the missing reference: the link of the row covers it.
  await table().getByRole('cell', { name: '–' }).first().click({ force: true })
  await page.waitForURL('**/payouts/*-*')
  await page.getByRole('main').getByRole('link', { name: 'Payouts' }).click()

  await page.waitForURL('**/payouts?*status=failed*')
  await page.goBack()
  await page.goBack()
  await page.waitForURL('**/payouts?*status=failed*')
  await page.getByText('Fay Failed').waitFor()
  await page.getByRole('button', { name: 'Live' }).click()
  await page.waitForURL('**/payouts?*environment=live*')
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
  await page.getByText('No payouts match these filters').waitFor()
  await visitor.leave()
})

test('the wallet filters by type and days, and exports the same', async () => {
  await visitor.go('/dashboard/wallet?environment=sandbox')
  await page.getByText('Starting test money').waitFor()
  await page.getByRole('button', { name: 'Refund' }).click()
  await page.getByText('No transactions match these filters').waitFor()

  await page.getByRole('button', { name: 'Top-up' }).click()
  await page.getByText('Starting test money').waitFor()
  expect(new URL(page.url()).searchParams.get('kind')).toBe('topup,refund')
  const exported = page.waitForRequest('**/v1/wallet/entries.csv?*')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect(new URL((await exported).url()).searchParams.get('kind')).toBe('topup,refund')
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('wallet-filtered')
  await page.getByLabel('Date').selectOption('Last month')
  await page.getByText('No transactions match these filters').waitFor()
  await visitor.leave()
})

test('an audit log entry names its payout and has its own address', async () => {
  const { id } = await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace' })
  const call = { partnerId: partner.id, at: api.clock.now(), environment: 'sandbox', changes: 'something' } as const
  const made = { ...call, status: 201, madeBy: 'key:kp_sandbox_4f9a1c02', requestId: null }
  await recordActivity(api.db, [
    { ...made, action: 'payout.create', detail: id },
    { ...made, action: 'key.create', detail: 'kp_sandbox_4f9a1c02' },
  ])
  await visitor.go('/dashboard/audit-log?environment=sandbox&show=changes')
  const entry = page.getByRole('row').filter({ hasText: '£120.00 to Ada Lovelace' })
  await entry.waitFor()
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('audit-log-payout')

  await entry.getByRole('cell').first().getByRole('link').click()
  await page.getByRole('heading', { name: 'Audit log entry' }).waitFor()
  await page.reload()
  await entry.waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await entry.getByRole('link', { name: '£120.00 to Ada Lovelace' }).click()
  await page.waitForURL(`**/payouts/${id}?*`)
  await visitor.leave()
})
