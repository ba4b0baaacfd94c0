// Lists in the dashboard: the payout search, payouts that need attention, the audit log, keys and clickable rows.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Locator, Page, Route } from 'playwright-core'
import { type ActivityEntry, recordActivity } from '../../db/controls/activity'
import { storeLogo } from '../../db/partners/logos'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { aKey, aPartner, aPayoutRow, revokeKey } from '../support/api/fixtures'
import { aMember, aPng, aSessionOf } from '../support/browser/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'
import { openedForEach } from '../support/opened'
import { refund } from './partners/going-live-fixtures'

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

describe('the payout search', () => {
  test('is empty after the filters are cleared, and restored after going back', async () => {
    await paid('Ada Lovelace')
    await page.clock.install()
    await visitor.go('/dashboard/payouts?environment=sandbox')
    await page.getByRole('searchbox').fill('nobody')
    await page.waitForURL('**/payouts?*q=nobody*')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('Ada Lovelace').waitFor()
    // Within this time, a delayed search would have restored the cleared text.
    await page.clock.runFor(2_000)

    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    expect(page.url()).not.toContain('nobody')
    await page.goBack()
    await page.getByText('No payouts match these filters').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('nobody')
    await visitor.leave()
  })

  test('keeps every character that is typed while an earlier response arrives', async () => {
    await paid('Ada Lovelace')
    await visitor.go('/dashboard/payouts?environment=sandbox')
    await page.getByRole('searchbox').pressSequentially('Ada Lovelace', { delay: 290 })
    await page.waitForURL('**/payouts?*q=Ada*Lovelace')

    expect(await page.getByRole('searchbox').inputValue()).toBe('Ada Lovelace')
    await visitor.leave()
  })
})

describe('the attention list', () => {
  test('shows old overdue payouts even if many newer ones have failed or were returned', async () => {
    await made('pending', 'Pia Pending', { days: 40 })
    await made('processing', 'Paul Processing', { days: 20 })
    for (let count = 0; count < 5; count++) {
      await made('failed', 'Fay Failed', { days: 1 })
      await made('returned', 'Rae Returned', { days: 1 })
      await made('pending', 'Nia New', { days: 0 })
    }
    await visitor.go('/dashboard?environment=sandbox')

    const names = page.getByRole('listitem').getByRole('link', { name: /^(Pia|Paul|Fay|Rae|Nia)/ })
    await page.getByText('Needs attention').waitFor()
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

  test('shows the oldest of many overdue payouts, oldest first', async () => {
    for (let days = 1; days <= 60; days++) await made('pending', `Day ${days}`, { days })
    await visitor.go('/dashboard?environment=sandbox')

    const first = page.getByRole('listitem').getByRole('link', { name: /^Day \d+ / })
    await page.getByText('Needs attention').waitFor()
    expect((await first.allTextContents()).map((text) => text.slice(0, 6))).toEqual(['Day 60', 'Day 59', 'Day 58'])
    await visitor.leave()
  })
})

describe('the home page', () => {
  test('counts a new payout in the list, the figures and the chart', async () => {
    await page.clock.install()
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByText('Create your first payout with the API').waitFor()
    await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace', amountPence: 1_200n, completedAt: api.clock.now() })
    await page.clock.runFor(21_000)

    await page.getByRole('table', { name: 'Payouts' }).getByText('£12.00').waitFor()
    await page.getByText('1 completed').waitFor()
    await page.getByRole('figure').getByText('£12.00, 1 payout').last().waitFor({ state: 'attached' })
    expect(await page.getByText('0 completed').count()).toBe(0)
    await visitor.leave()
  })

  test('reports that its figures could not be loaded, and loads them on request', async () => {
    await made('failed', 'Fay Failed', { days: 1 })
    const refuse = (route: Route) =>
      route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Too many requests.' } } })
    const unreadable = /\/v1\/overview/
    await page.route(unreadable, refuse)
    await visitor.go('/dashboard?environment=sandbox')

    const failure = page.getByRole('alert').filter({
      hasText: 'We couldn’t load your figures or check for payouts that need attention',
    })
    await failure.waitFor()
    expect(await page.getByRole('main').locator('dd', { hasText: '–' }).count()).toBe(4)
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('home-unreadable')
    await page.unroute(unreadable)
    await failure.getByRole('button', { name: 'Try again' }).click()

    await page.getByText('Fay Failed').first().waitFor()
    await page.getByText('0 completed').waitFor()
    await page.getByText('couldn’t').first().waitFor({ state: 'detached' })
    await visitor.leave()
  })
})

test('a completed payout shows the amount debited from the wallet, and a failed or cancelled one does not', async () => {
  for (const status of ['completed', 'failed', 'cancelled'] as const) await made(status, status, { days: 1 })
  await visitor.go('/dashboard/payouts?environment=sandbox')
  const rows = page.getByRole('table', { name: 'Payouts' }).getByRole('row')

  expect(await rows.filter({ hasText: 'Completed' }).textContent()).toContain('USDC')
  for (const status of ['Failed', 'Cancelled'])
    expect(await rows.filter({ hasText: status }).textContent()).not.toContain('USDC')
  await visitor.leave()
})

test('the audit log names no operator, and offers to clear the filters if nothing matches', async () => {
  await done({ changes: 'something', detail: '10.00 USDC, requested by ops:root', by: 'ops:root' }, 'deposit.credit')
  await done({ changes: 'something', by: 'system' }, 'sandbox.connect')
  await visitor.go('/dashboard/audit-log?environment=sandbox&show=security&q=nothing')
  await page.getByText('No entries match these filters').waitFor()
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('audit-log-none')
  await page.getByRole('button', { name: 'Clear filters' }).click()

  const ours = (action: string) => page.getByRole('row').filter({ hasText: action }).getByRole('cell', { name: /^us$/ })
  for (const action of ['deposit.credit', 'sandbox.connect']) await ours(action).waitFor()
  expect([await page.getByText('ops:').count(), new URL(page.url()).search]).toEqual([0, '?environment=sandbox'])
  await visitor.leave()
})

test('an ID in the URL cannot make the page request another path', async () => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await visitor.go('/dashboard/payouts/..%2Fkeys?environment=sandbox')

  expect(await page.locator('h1').textContent()).toBe('Payout not found')
  expect(asked).not.toContain('/v1/keys')
  await visitor.leave()
})

test('the audit log shows whole email addresses on a phone', async () => {
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

test('the audit log can show a change that is older than a full page of reads', async () => {
  await done({ changes: 'something' }, 'key.revoke')
  for (let reads = 0; reads < 200; reads++) await done({ changes: 'nothing' }, 'payout.list')
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  expect(await page.getByRole('cell', { name: 'key.revoke' }).count()).toBe(0)
  await page.getByLabel('Show').selectOption('Changes only')

  await page.getByRole('cell', { name: 'key.revoke' }).waitFor()
  await page.getByRole('cell', { name: 'payout.list' }).first().waitFor({ state: 'detached' })
  await visitor.leave()
})

test('the security filter of the audit log finds an event that is older than a full page of other changes', async () => {
  await done({ changes: 'something', environment: 'live', detail: 'kp_live_4f9a1c02' }, 'key.create')
  for (let changes = 0; changes < 201; changes++) await done({ changes: 'something', detail: 'brand_color' })
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  // The list before the filter has the same button.
  await Promise.all([page.waitForResponse(/changes_only=true/), page.getByLabel('Show').selectOption('Changes only')])
  await page.getByRole('button', { name: 'Show more entries' }).waitFor()
  expect(await page.getByRole('cell', { name: 'key.create' }).count()).toBe(0)
  await page.getByLabel('Show').selectOption('Security')

  await page.getByRole('cell', { name: 'key.create kp_live_4f9a1c02' }).waitFor()
  await page.getByRole('cell', { name: 'account.update' }).first().waitFor({ state: 'detached' })
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('audit-log-security')
  await visitor.leave()
})

test('active keys come first, and revoked keys follow in pages', async () => {
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

test('the audit log links to the payout of a call, names the error of a refused call, and shows older entries', async () => {
  const { id } = await paid('Ada Lovelace')
  await done({ changes: 'nothing', environment: 'sandbox', detail: id }, 'payout.read')
  await done({ changes: 'nothing', status: 422, detail: 'invalid_recipient' }, 'payout.create')
  for (let reads = 0; reads < 200; reads++) await done({ changes: 'nothing' }, 'payout.list')
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  await page.getByRole('button', { name: 'Show more entries' }).click()

  await page.getByRole('cell', { name: 'payout.create invalid_recipient' }).waitFor()
  const link = page.getByRole('link', { name: id })
  expect(await link.getAttribute('href')).toBe(`/dashboard/payouts/${id}?environment=sandbox`)
  await visitor.leave()
})

describe('a click on a row outside its link', () => {
  test('opens the payout of a wallet entry, and an entry without a payout has no link', async () => {
    const payout = await paid('Ada Lovelace')
    await refund(api, payout)
    await visitor.go('/dashboard/wallet?environment=sandbox')
    const rows = page.getByRole('table', { name: 'Wallet statement' }).getByRole('row')
    // The sandbox wallet starts with a top-up.
    expect([await rows.count(), await rows.getByRole('link').count()]).toEqual([3, 1])

    const row = rows.filter({ hasText: 'Ada Lovelace' })
    expect(await cellsThatOpen(row, `/dashboard/payouts/${payout.id}?*`)).toBe(4)
    await visitor.leave()
  })

  test('opens the payouts of a recipient', async () => {
    await paid('Ada Lovelace')
    await visitor.go('/dashboard/recipients?environment=sandbox')

    const row = page.getByRole('row').filter({ hasText: 'Ada Lovelace' })
    expect(await cellsThatOpen(row, '/dashboard/payouts?*5678*')).toBe(4)
    await visitor.leave()
  })

  test('opens an audit log entry, but its copy button copies and its payout link opens the payout', async () => {
    const { id } = await paid('Ada Lovelace')
    const requestId = '5b0f7a52-58a3-4f3c-9a53-0d6a4c9d7c11'
    await done({ changes: 'something', environment: 'sandbox', detail: id, requestId }, 'payout.cancel')
    await visitor.go('/dashboard/audit-log?environment=sandbox')
    const row = page.getByRole('row').filter({ hasText: 'payout.cancel' })

    await page.context().grantPermissions(['clipboard-write'])
    // The text is shown only for a moment, so the wait starts before the click.
    const copied = row.getByText('Copied request ID').waitFor({ state: 'attached' })
    await Promise.all([copied, row.getByRole('button', { name: 'Copy request ID' }).click()])
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 860 })
      await row.getByRole('link', { name: id }).click()
      await page.waitForURL(`**/dashboard/payouts/${id}?*`)
      await page.goBack()
    }
    await row.getByRole('cell', { name: email }).click({ force: true })
    await page.getByRole('heading', { name: 'Audit log entry' }).waitFor()
    await row.waitFor()
    expect(await row.getByRole('link').allTextContents()).toEqual([expect.stringContaining(id)])
    await visitor.leave()
  })
})

test('an uploaded logo loads from the host on which the page was opened', async () => {
  // The configured URL uses localhost, but this page is opened by IP address.
  await api.db.transaction((tx) => storeLogo(tx, partner.id, { type: 'image/png', bytes: aPng }))
  await visitor.go(`/p/${partner.slug}`)
  const logo = page.locator('main img')
  await logo.evaluate((img: { decode: () => Promise<void> }) => img.decode())

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

/** Clicks every cell with `force`, because Playwright otherwise refuses to click a cell that a link covers. */
async function cellsThatOpen(row: Locator, target: string): Promise<number> {
  await row.waitFor()
  const cells = await row.getByRole('cell').count()
  for (let cell = 0; cell < cells; cell++) {
    await row.getByRole('cell').nth(cell).click({ force: true })
    await page.waitForURL(`**${target}`)
    await page.goBack()
    await row.waitFor()
  }
  return cells
}

function paid(recipientName: string) {
  return aPayoutRow(api, partner, { recipientName })
}

function made(status: PayoutStatus, recipientName: string, { days }: { readonly days: number }) {
  const createdAt = new Date(api.clock.now().getTime() - days * 24 * 60 * minute)
  return aPayoutRow(api, partner, { status, recipientName, createdAt })
}
