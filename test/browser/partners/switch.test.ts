// A member of two partners: switching between them, and the behaviour of a page that still shows the previous one.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { PartnerRow } from '../../../db/partners/partners'
import { aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'
import { aMember, aSessionOf } from '../../support/browser/fixtures'
import { useDashboard } from '../../support/browser/served-dashboard'
import { fillPayout } from '../../support/browser/steps'
import type { Visitor } from '../../support/browser/visitor'
import { openedForEach } from '../../support/opened'

const { api, visit } = useDashboard()
const north = openedForEach(() => aPartner(api, { name: 'Northwind Market Ltd' }))
const south = openedForEach(() => aPartner(api, { name: 'Southwind Market Ltd' }))
let visitor: Visitor
let page: Page

beforeEach(async () => {
  await aPayoutRow(api, north, { recipientName: 'Nora North' })
  await aPayoutRow(api, south, { recipientName: 'Sid South' })
  const email = `ada@${north.slug}.example`
  const member = await aMember(api, north, { email, role: 'admin' })
  await aSessionOf(api, await aMember(api, south, { email, role: 'admin' }))
  visitor = await visit({ session: await aSessionOf(api, member) })
  page = visitor.page
})

test('switching shows the other partner and none of the first one’s data', async () => {
  await visitor.go('/dashboard/payouts?environment=sandbox')
  await page.getByText('Nora North').waitFor()

  await switchTo(page, 'Southwind Market Ltd')
  await page.evaluate(watchForNora)
  await page.getByRole('link', { name: 'Payouts', exact: true }).click()
  await page.waitForURL('**/dashboard/payouts?*')
  await page.getByRole('heading', { name: 'Payouts', exact: true }).waitFor()

  await page.getByRole('table', { name: 'Payouts' }).getByText('Sid South').waitFor()
  expect(await page.evaluate('window.sawNora')).toBe(false)
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

test('after a switch in another tab, a payout from the old page is refused and sent for neither partner', async () => {
  await visitor.go('/dashboard/send?environment=sandbox')
  await fillPayout(page, { amount: '12.00', name: 'Grace Hopper', account: '38291111' })
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('You are about to send').waitFor()
  await inAnotherTab(page, (tab) => switchTo(tab, 'Southwind Market Ltd'))
  const answered = page.waitForResponse(/\/v1\/payouts\?/)
  await page.getByRole('button', { name: 'Send £12.00' }).click()

  expect((await answered).status()).toBe(409)
  await page.getByText('You switched accounts in another tab').waitFor()
  await page.getByText('Nothing was sent').waitFor()
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('switched-elsewhere')
  for (const partner of [north, south]) expect(await payoutsOf(partner)).toHaveLength(1)
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).getByText('Southwind Market Ltd').waitFor()
  await visitor.leave()
})

test('after a switch in another tab, an export from the old page fails and saves no file', async () => {
  let saved = 0
  page.on('download', () => saved++)
  await visitor.go('/dashboard/payouts?environment=sandbox')
  await inAnotherTab(page, (tab) => switchTo(tab, 'Southwind Market Ltd'))
  await page.getByRole('button', { name: 'CSV' }).click()

  await page.getByText(/^Download failed\./).waitFor()
  await page.getByText('You switched accounts in another tab').waitFor()
  expect(saved).toBe(0)
  await visitor.leave()
})

describe('an invitation', () => {
  let east: PartnerRow

  beforeEach(async () => {
    east = await aPartner(api, { name: ' northwind market ltd' })
    await aMember(api, east, { email: `ada@${north.slug}.example`, role: 'viewer' })
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByRole('button', { name: /Signed in as .*, invitation waiting/ }).click()
  })

  test('is listed apart from the member’s own partners, and partners with similar names show their slugs', async () => {
    await invitation().waitFor()
    expect(await page.getByRole('menuitemradio', { name: /wind market/i }).allTextContents()).toEqual(
      expect.arrayContaining([`Northwind Market Ltd${north.slug}`, 'Southwind Market Ltd']),
    )
    expect(await page.getByRole('menuitemradio', { name: east.slug }).count()).toBe(0)
    expect(await invitation().textContent()).toContain(east.slug)
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('menu-invitation')
    await visitor.leave()
  })

  test('is declined without switching, and disappears', async () => {
    await invitation().getByRole('menuitem', { name: 'Decline' }).click()

    await page.getByText(/^Invitation to .* declined$/).waitFor()
    await page.getByRole('button', { name: /Signed in as [^,]*$/ }).click()
    await page.getByRole('menuitemradio', { name: 'Southwind Market Ltd' }).waitFor()
    expect(await page.getByText(east.slug).count()).toBe(0)
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByText('Northwind Market Ltd').count()).toBe(1)
    await visitor.leave()
  })

  test('switches to the partner when it is accepted, and the partner is then listed with the others', async () => {
    await invitation().getByRole('menuitem', { name: 'Accept' }).click()

    await page.getByRole('navigation', { name: 'Pages' }).getByText('northwind market ltd', { exact: true }).waitFor()
    await page.getByRole('button', { name: /Signed in as [^,]*$/ }).click()
    await page.getByRole('menuitemradio', { name: east.slug }).waitFor()
    expect(await invitation().count()).toBe(0)
    await visitor.leave()
  })

  const invitation = () => page.getByRole('group', { name: /^Invitation to/ })
})

/** Records whether the previous partner's recipient is shown at any moment, even before the list is read again. */
const watchForNora = `(() => {
  const look = () => { window.sawNora ||= document.body.textContent.includes('Nora North') }
  window.sawNora = false
  look()
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
})()`

async function switchTo(tab: Page, name: string): Promise<void> {
  await tab.getByRole('button', { name: /Signed in as/ }).click()
  await tab.getByRole('menuitemradio', { name }).click()
  await tab.getByRole('navigation', { name: 'Pages' }).getByText(name).waitFor()
}

async function inAnotherTab(first: Page, act: (tab: Page) => Promise<void>): Promise<void> {
  const tab = await first.context().newPage()
  await tab.goto(`${api.url}/dashboard?environment=sandbox`)
  await act(tab)
  await tab.close()
}

async function payoutsOf(partner: PartnerRow): Promise<readonly unknown[]> {
  const { body } = await api.get('/v1/payouts', { key: await aKey(api, partner, 'sandbox') })
  return body.data ?? []
}
