// Lists of the dashboard: the search follows the URL, waiting items stay visible, and a phone cuts nothing off.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Page, Route } from 'playwright-core'
import { type ActivityEntry, recordActivity } from '../../db/controls/activity'
import { storeLogo } from '../../db/partners/logos'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { aKey, aPartner, aPayoutRow, revokeKey } from '../support/api/fixtures'
import { aMember, aPng, aSessionOf } from '../support/browser/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'
import { openedForEach } from '../support/opened'

const minute = 60_000
const email = 'a-rather-long-name.of-somebody@a-rather-long-name-of-a-business.example'

const { api, visit } = useDashboard()
const partner = openedForEach(() => aPartner(api, { name: 'Northwind Market Ltd' }))
let session: string
let visitor: Visitor
let page: Page

beforeEach(async () => {
  session = await aSessionOf(api, await aMember(api, partner, { email, role: 'admin' }))
  visitor = await visit({ session })
  page = visitor.page
})

describe('the search of payouts', () => {
  test('is empty after the filters are cleared, and restored after going back', async () => {
    await paid('Ada Lovelace')
    await page.clock.install()
    await visitor.go('/dashboard/payouts?environment=sandbox')
    await page.getByRole('searchbox').fill('nobody')
    await page.waitForURL('**/payouts?*q=nobody*')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('Ada Lovelace').waitFor()
    // Long enough for a delayed search to put the cleared text back.
    await page.clock.runFor(2_000)

    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    expect(page.url()).not.toContain('nobody')
    await page.goBack()
    await page.getByText('No payouts match these filters').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('nobody')
    await visitor.leave()
  })

  test('keeps every letter that is typed while an earlier response arrives', async () => {
    await paid('Ada Lovelace')
    await visitor.go('/dashboard/payouts?environment=sandbox')
    await page.getByRole('searchbox').pressSequentially('Ada Lovelace', { delay: 290 })
    await page.waitForURL('**/payouts?*q=Ada*Lovelace')

    expect(await page.getByRole('searchbox').inputValue()).toBe('Ada Lovelace')
    await visitor.leave()
  })
})

describe('the attention list', () => {
  test('names payouts that take too long, however old, besides any number of failed and returned ones', async () => {
    await made('pending', 'Pia Pending', { days: 40 })
    await made('processing', 'Paul Processing', { days: 20 })
    for (let count = 0; count < 5; count++) {
      await made('failed', 'Fay Failed', { days: 1 })
      await made('returned', 'Rae Returned', { days: 1 })
      await made('pending', 'Nia New', { days: 0 })
    }
    await visitor.go('/dashboard?environment=sandbox')

    const names = page.getByRole('listitem').getByRole('link', { name: /Pia|Paul|Fay|Rae|Nia/ })
    await page.getByText('Needs attention').waitFor()
    // Each kind of payout has its own request, so waits until all of them are shown.
    await names.nth(7).waitFor()
    await expect(names.allTextContents().then((all) => all.map((text) => text.split(' ')[0]))).resolves.toEqual([
      'Pia',
      'Paul',
      ...Array<string>(3).fill('Fay'),
      ...Array<string>(3).fill('Rae'),
    ])
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('home-attention')
    await page.getByRole('link', { name: 'All failed payouts' }).click()
    await page.waitForURL('**/payouts?*status=failed*')
    await visitor.leave()
  })

  test('names the oldest of many first', async () => {
    for (let days = 1; days <= 60; days++) await made('pending', `Day ${days}`, { days })
    await visitor.go('/dashboard?environment=sandbox')

    const first = page.getByRole('listitem').getByRole('link', { name: /^Day \d+ / })
    await page.getByText('Needs attention').waitFor()
    expect((await first.allTextContents()).map((text) => text.slice(0, 6))).toEqual(['Day 60', 'Day 59', 'Day 58'])
    await visitor.leave()
  })
})

describe('the home page', () => {
  test('counts a new payout in every figure at the same time', async () => {
    await page.clock.install()
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByText('Make your first payout').waitFor()
    await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace', amountPence: 1_200n, completedAt: api.clock.now() })
    await page.clock.runFor(21_000)

    await page.getByRole('table', { name: 'Payouts' }).getByText('£12.00').waitFor()
    await page.getByText('1 completed').waitFor()
    await page.getByRole('figure').getByText('£12.00, 1 payout').last().waitFor({ state: 'attached' })
    expect(await page.getByText('0 completed').count()).toBe(0)
    await visitor.leave()
  })

  test('names the parts that it could not load, and loads them again on request', async () => {
    await made('failed', 'Fay Failed', { days: 1 })
    const refuse = (route: Route) =>
      route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Too many requests.' } } })
    const unreadable = /\/v1\/(usage\?|payouts\?.*status=failed)/
    await page.route(unreadable, refuse)
    await visitor.go('/dashboard?environment=sandbox')

    await page.getByText('We couldn’t check for payouts that need attention').waitFor()
    await page.getByText('Some figures couldn’t load').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('home-unreadable')
    await page.unroute(unreadable)
    for (const part of ['attention', 'figures'])
      await page.getByRole('alert').filter({ hasText: part }).getByRole('button', { name: 'Try again' }).click()

    await page.getByText('Fay Failed').first().waitFor()
    await page.getByText('0 completed').waitFor()
    await page.getByText('couldn’t').first().waitFor({ state: 'detached' })
    await visitor.leave()
  })
})

test('only a payout that was sent shows the amount debited from the wallet', async () => {
  for (const status of ['completed', 'failed', 'cancelled'] as const) await made(status, status, { days: 1 })
  await visitor.go('/dashboard/payouts?environment=sandbox')
  const rows = page.getByRole('table', { name: 'Payouts' }).getByRole('row')

  expect(await rows.filter({ hasText: 'Completed' }).textContent()).toContain('USDC')
  for (const status of ['Failed', 'Cancelled'])
    expect(await rows.filter({ hasText: status }).textContent()).not.toContain('USDC')
  await visitor.leave()
})

test('the audit log names no operator', async () => {
  await done({ changes: 'something', detail: '10.00 USDC, requested by ops:root', by: 'ops:root' }, 'deposit.credit')
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  const entry = page.getByRole('row').filter({ hasText: 'deposit.credit' })
  await entry.getByRole('cell', { name: 'us', exact: true }).waitFor()

  expect(await page.getByText('ops:').count()).toBe(0)
  await visitor.leave()
})

test('an id from the URL is treated as an id only', async () => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await visitor.go('/dashboard/payouts/..%2Fkeys?environment=sandbox')

  expect(await page.locator('h1').textContent()).toBe('Payout not found')
  expect(asked).not.toContain('/v1/keys')
  await visitor.leave()
})

test('the audit log shows whole emails on a phone', async () => {
  await done({ changes: 'something' })
  await page.setViewportSize({ width: 360, height: 780 })
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  const who = page.getByRole('cell', { name: email }).first()
  await who.waitFor()

  expect(await who.evaluate((cell: Box) => cell.scrollWidth <= cell.clientWidth)).toBe(true)
  const table = page.getByRole('table', { name: 'Audit log' }).locator('..')
  expect(await table.evaluate((box: Box) => box.scrollWidth <= box.clientWidth)).toBe(true)
  await visitor.picture('audit-log-long-email-phone')
  await visitor.leave()
})

test('the audit log finds a change after more reads than it shows', async () => {
  await done({ changes: 'something' }, 'key.revoke')
  for (let reads = 0; reads < 200; reads++) await done({ changes: 'nothing' }, 'payout.list')
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  expect(await page.getByRole('cell', { name: 'key.revoke' }).count()).toBe(0)
  await page.getByLabel('Show').selectOption('Changes only')

  await page.getByRole('cell', { name: 'key.revoke' }).waitFor()
  await page.getByRole('cell', { name: 'payout.list' }).first().waitFor({ state: 'detached' })
  await visitor.leave()
})

test('the audit log shows security events in a separate list, after any number of other changes', async () => {
  await done({ changes: 'something', environment: 'live', detail: 'kp_live_4f9a1c02' }, 'key.create')
  for (let changes = 0; changes < 201; changes++) await done({ changes: 'something', detail: 'brand_color' })
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  await page.getByLabel('Show').selectOption('Changes only')
  await page.getByRole('button', { name: 'Show more requests' }).waitFor()
  expect(await page.getByRole('cell', { name: 'key.create' }).count()).toBe(0)
  await page.getByLabel('Show').selectOption('Security')

  await page.getByRole('cell', { name: 'key.create kp_live_4f9a1c02' }).waitFor()
  await page.getByRole('cell', { name: 'account.update' }).first().waitFor({ state: 'detached' })
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('audit-log-security')
  await visitor.leave()
})

test('active keys come first, and revoked ones in pages', async () => {
  await aKey(api, partner, 'live')
  const oldest = await aKey(api, partner, 'sandbox')
  for (let count = 0; count < 23; count++) await revokeKey(api, partner, await aKey(api, partner, 'sandbox'))
  await visitor.go('/dashboard/keys?environment=sandbox')
  const rows = page.getByRole('table', { name: 'API keys' }).getByRole('row')
  await rows.filter({ hasText: oldest.slice(0, 19) }).waitFor()

  expect(await rows.count()).toBe(1 + 1 + 20)
  expect(await rows.nth(1).textContent()).toContain(oldest.slice(0, 19))
  await visitor.picture('keys-many')
  await page.getByRole('button', { name: 'Show more revoked keys' }).click()
  await page.getByRole('button', { name: 'Show more revoked keys' }).waitFor({ state: 'detached' })
  expect(await rows.count()).toBe(1 + 1 + 23)
  expect(await visitor.faults()).toEqual([])
  await visitor.leave()
})

test('the audit log links to the payout of a call, names the error of a refused one, and shows older ones', async () => {
  const { id } = await paid('Ada Lovelace')
  await done({ changes: 'nothing', environment: 'sandbox', detail: id }, 'payout.read')
  await done({ changes: 'nothing', status: 422, detail: 'invalid_recipient' }, 'payout.create')
  for (let reads = 0; reads < 200; reads++) await done({ changes: 'nothing' }, 'payout.list')
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  await page.getByRole('button', { name: 'Show more requests' }).click()

  await page.getByRole('cell', { name: 'payout.create invalid_recipient' }).waitFor()
  const link = page.getByRole('link', { name: id })
  expect(await link.getAttribute('href')).toBe(`/dashboard/payouts/${id}?environment=sandbox`)
  await visitor.leave()
})

test('our logo is shown under any host name of the page', async () => {
  // The configured address is localhost, and the page is opened by IP address here.
  await api.db.transaction((tx) => storeLogo(tx, partner.id, { type: 'image/png', bytes: aPng }))
  await visitor.go(`/p/${partner.slug}`)
  const logo = page.locator('main img')
  await logo.waitFor()

  expect(await logo.evaluate((img: { currentSrc: string }) => img.currentSrc)).toContain(`${api.url}/v1/public/`)
  expect(await logo.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBe(1)
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

interface Box {
  readonly scrollWidth: number
  readonly clientWidth: number
}

function done(
  { changes, by = email, ...fields }: Partial<ActivityEntry> & Pick<ActivityEntry, 'changes'> & { by?: string },
  action = 'account.update',
) {
  const { db, clock } = api
  const about = {
    partnerId: partner.id,
    at: clock.now(),
    environment: null,
    status: 200,
    detail: null,
    requestId: null,
    ...fields,
  }
  return recordActivity(db, [{ ...about, action, changes, madeBy: by }])
}

function paid(recipientName: string) {
  return aPayoutRow(api, partner, { recipientName })
}

function made(status: PayoutStatus, recipientName: string, { days }: { readonly days: number }) {
  const createdAt = new Date(api.clock.now().getTime() - days * 24 * 60 * minute)
  return aPayoutRow(api, partner, { status, recipientName, createdAt })
}
