// Filters on the payout list, the wallet and the audit log. Totals and CSV exports apply them, and the URL contains
// them.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { recordActivity } from '../../../db/controls/activity'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet } from '../../../db/wallets/wallets'
import { topUpPostings } from '../../../domain/wallets/ledger'
import { aKey, aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { aMember } from '../../support/browser/fixtures'
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
/** Waits until the list shows exactly these names, because it loads independently of the totals. */
const shows = (...names: readonly string[]) =>
  until(`the list shows ${names.join(', ')}`, async () => {
    const shown = await table().getByRole('link').allTextContents()
    return isDeepStrictEqual(shown.toSorted(), names)
  })

test('filters combine several statuses and amounts, and the total covers all matches', async () => {
  for (const status of ['completed', 'failed', 'returned'] as const) {
    await aPayoutRow(api, partner, { status, recipientName: `${status} small`, amountPence: 1_000n })
    await aPayoutRow(api, partner, { status, recipientName: `${status} large`, amountPence: 123_456n })
  }
  await visitor.go('/dashboard/payouts?environment=sandbox')
  await page.getByRole('button', { name: 'Failed' }).click()
  await page.getByRole('button', { name: 'Failed', pressed: true }).waitFor()
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

test('filters offer named periods, and Back undoes a choice', async () => {
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

test('payouts can be filtered by the member or the API key that created them', async () => {
  const email = 'grace@acme.test'
  await aMember(api, partner, { email, role: 'viewer' })
  const prefix = (await aKey(api, partner, 'sandbox')).slice(0, 'kp_sandbox_4f9a1c02'.length)
  await aPayoutRow(api, partner, { recipientName: 'By Grace', createdBy: email })
  await aPayoutRow(api, partner, { recipientName: 'By key', createdBy: `key:${prefix}` })
  await aPayoutRow(api, partner, { recipientName: 'By Olga', createdBy: 'olga@left.test' })
  await visitor.go('/dashboard/payouts?environment=sandbox')
  await shows('By Grace', 'By Olga', 'By key')
  await page.getByLabel('Created by').selectOption(email)
  await totals().getByText('1 payout,').waitFor()

  await shows('By Grace')
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('payouts-by-creator')
  await page.getByLabel('Created by').selectOption(`key:${prefix}`)
  await shows('By key')
  const exported = page.waitForRequest('**/v1/payouts.csv?*')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect(new URL((await exported).url()).searchParams.get('created_by')).toBe(`key:${prefix}`)
  await visitor.go('/dashboard/payouts?environment=sandbox&by=olga%40left.test')
  await shows('By Olga')
  expect(await page.getByLabel('Created by').inputValue()).toBe('olga@left.test')
  await visitor.leave()
})

test('sorting by amount applies to the page, its URL and its export, and the column header shows it', async () => {
  for (const [recipientName, amountPence] of [
    ['Mid', 2_000n],
    ['Low', 1_000n],
    ['Top', 3_000n],
  ] as const)
    await aPayoutRow(api, partner, { recipientName, amountPence })
  const head = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort')
  const inOrder = (...names: readonly string[]) =>
    until(`the list is ${names.join(', ')}`, async () =>
      isDeepStrictEqual(await table().getByRole('link').allTextContents(), names),
    )
  await visitor.go('/dashboard/payouts?environment=sandbox')
  expect([await head('Created'), await head('Amount')]).toEqual(['descending', null])
  await page.getByLabel('Sort').selectOption('Largest first')
  await inOrder('Top', 'Mid', 'Low')

  expect([await head('Created'), await head('Amount')]).toEqual([null, 'descending'])
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('payouts-sorted')
  const exported = page.waitForRequest('**/v1/payouts.csv?*')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect(new URL((await exported).url()).searchParams.get('sort')).toBe('largest')
  await page.getByLabel('Sort').selectOption('Smallest first')
  await inOrder('Low', 'Mid', 'Top')
  await page.reload()
  await inOrder('Low', 'Mid', 'Top')
  expect(await head('Amount')).toBe('ascending')
  await page.goBack()
  await inOrder('Top', 'Mid', 'Low')
  await visitor.leave()
})

test('filters survive opening a payout, going back and switching the environment', async () => {
  await aPayoutRow(api, partner, { status: 'failed', recipientName: 'Fay Failed', reference: null })
  await visitor.go('/dashboard/payouts?environment=sandbox&status=failed')
  // The row's link covers the empty reference cell, so a click there opens the payout.
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

test('switching the environment on a payout opens the list with its filters', async () => {
  await aPayoutRow(api, partner, { status: 'failed', recipientName: 'Fay Failed' })
  await visitor.go('/dashboard/payouts?environment=sandbox&status=failed&q=Fay')
  await table().getByRole('link', { name: 'Fay Failed' }).click()
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  await page.getByRole('button', { name: 'Live' }).click()

  await page.waitForURL('**/payouts?*environment=live*')
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('status'), searchParams.get('q')]).toEqual(['failed', 'Fay'])
  await page.getByText('No payouts match these filters').waitFor()
  await visitor.leave()
})

test('recipients are searched by name or last four digits, and the URL contains the search', async () => {
  await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace', account: '12345678' })
  await aPayoutRow(api, partner, { recipientName: 'Grace Hopper', account: '12340001' })
  await visitor.go('/dashboard/recipients?environment=sandbox')
  const names = page.getByRole('table', { name: 'Recipients' }).getByRole('link')
  const showsOnly = (...wanted: readonly string[]) =>
    until(`the list shows ${wanted.join(', ')}`, async () =>
      isDeepStrictEqual((await names.allTextContents()).toSorted(), wanted),
    )
  await showsOnly('Ada Lovelace', 'Grace Hopper')
  await page.getByRole('searchbox').fill('0001')
  await page.waitForURL('**/recipients?*q=*0001*')

  await showsOnly('Grace Hopper')
  await page.reload()
  await showsOnly('Grace Hopper')
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('recipients-filtered')
  await page.getByRole('searchbox').fill('LOVE')
  await showsOnly('Ada Lovelace')
  await page.getByRole('searchbox').fill('nobody')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await showsOnly('Ada Lovelace', 'Grace Hopper')
  await visitor.leave()
})

test('a list of recipients that is only partly loaded cannot be searched', async () => {
  const summary = { name: 'Ada Lovelace', payouts: 1, paid_gbp: '1.00', last_paid_at: '2026-11-01T09:00:00.000Z' }
  const data = [{ ...summary, account_last4: '5678' }]
  await page.route('**/v1/recipients?*', (route) => {
    const isFirst = !route.request().url().includes('starting_after')
    const next_cursor = isFirst ? '0190a0a0-0000-7000-8000-000000000000' : null
    return route.fulfill({ json: { object: 'list', data, has_more: isFirst, next_cursor } })
  })
  await visitor.go('/dashboard/recipients?environment=sandbox&q=nobody')
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  expect(await page.getByRole('searchbox').count()).toBe(0)
  await page.getByRole('button', { name: 'Show more recipients' }).click()

  await page.getByText('No recipients match these filters').waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('nobody')
  await visitor.leave()
})

test('the wallet filters by type and days, and exports the filtered entries', async () => {
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

test('the wallet shows the opening and closing balance of the chosen days, regardless of type filter and page', async () => {
  const wallet = await findWallet(api.db, partner.id, 'sandbox')
  const day = 86_400_000
  const today = api.clock.now().getTime()
  // A new sandbox wallet starts today with 10,000.00 USDC. The deposits are dated later, because the ledger lists
  // entries in posting order.
  for (const [daysFromNow, count] of [
    [5, 3],
    [10, 60],
    [20, 1],
  ] as const)
    for (let made = 0; made < count; made++)
      await postSet(api.db, {
        walletId: wallet?.id ?? '',
        cause: 'deposit',
        causeRef: `test/${daysFromNow}/${made}`,
        payoutId: null,
        createdBy: 'test',
        at: new Date(today + daysFromNow * day),
        postings: topUpPostings(1_000_001n),
      })
  const dayText = (daysFromNow: number) => new Date(today + daysFromNow * day).toISOString().slice(0, 10)
  const balances = () => page.locator('dl').filter({ hasText: 'Opening balance' }).innerText()

  await visitor.go(`/dashboard/wallet?environment=sandbox&from=${dayText(8)}&to=${dayText(12)}`)
  await page.getByRole('button', { name: 'Show more transactions' }).waitFor()
  expect(await balances()).toMatch(/Opening balance\s+10,003\.000003\s+USDC\s+Closing balance\s+10,063\.000063\s+USDC/)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('wallet-balances')
  await page.getByRole('button', { name: 'Refund' }).click()
  await page.getByText('No transactions match these filters').waitFor()
  expect(await balances()).toMatch(/10,003\.000003[^]*10,063\.000063/)

  await visitor.go(`/dashboard/wallet?environment=sandbox&from=${dayText(15)}`)
  expect(await balances()).toMatch(/10,063\.000063[^]*10,064\.000064/)
  await visitor.go('/dashboard/wallet?environment=sandbox')
  expect(await page.getByText('Opening balance').count()).toBe(0)
  await visitor.leave()
})

test('an audit log entry names its payout and has its own URL', async () => {
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

test('the audit log searches entries that are not loaded, and exports exactly the filtered entries', async () => {
  const call = { partnerId: partner.id, environment: 'sandbox', madeBy: 'ada@acme.test', requestId: null } as const
  const read = { ...call, action: 'payout.list', changes: 'nothing', status: 200, detail: null } as const
  const change = { ...call, action: 'key.revoke', changes: 'something', status: 200, detail: '=1+1' } as const
  const at = (secondsAgo: number) => new Date(api.clock.now().getTime() - secondsAgo * 1_000)
  await recordActivity(api.db, [
    { ...change, at: at(900) },
    ...Array.from({ length: 300 }, (_, n) => ({ ...read, at: at(600 - n) })),
  ])
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  const found = page.getByRole('cell', { name: 'key.revoke' })
  expect(await found.count()).toBe(0)
  await page.getByLabel('Filter').fill('KEY.revoke')

  await found.waitFor()
  await page.getByRole('cell', { name: 'payout.list' }).first().waitFor({ state: 'detached' })
  const downloaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const file = await downloaded
  expect(file.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  const rows = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
    .slice(1)
  expect(rows).toEqual([expect.stringMatching(/,key\.revoke,200,ada@acme\.test,'=1\+1,/)])
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('audit-log-filtered')
  await visitor.leave()
})
