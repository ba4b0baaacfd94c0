// Verification, top-up, payout and settings pages in a real browser: the texts and actions of each state, without axe
// violations.
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { PartnerRow } from '../../../db/partners/partners'
import { simulatedRail } from '../../../rail/simulated'
import { aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { checkPage, noFindings } from '../../support/browser/page-checks'
import { useDashboard } from '../../support/browser/served-dashboard'
import { fillPayout } from '../../support/browser/steps'
import type { Visitor } from '../../support/browser/visitor'
import { until } from '../../support/until'
import { aFundedPartner, aPayoutWithCases, aReturnedPayout, refund, verificationStates } from './going-live-fixtures'

const bank = { url: 'http://127.0.0.1:1/v0', key: 'unused' }
const rails = { simulated: simulatedRail, provider_sandbox: simulatedRail, provider_production: simulatedRail }
const { api, visit } = useDashboard({ rails, bank: { sandbox: bank, live: bank } })
let partner: PartnerRow
let admin: string
let viewer: string

beforeAll(async () => {
  partner = await aFundedPartner(api)
  admin = await aSession(api, partner, 'admin')
  viewer = await aSession(api, partner, 'viewer')
})

const open = async (session: string, path: string): Promise<Visitor> => {
  const visitor = await visit({ session })
  await visitor.go(path)
  return visitor
}

describe('verification', () => {
  test.each(Object.entries(verificationStates))(
    'the state %s is shown without axe violations',
    async (name, changes) => {
      const visitor = await open(
        await aSession(api, await aPartner(api, changes), 'admin'),
        '/dashboard/verification?environment=live',
      )

      expect(await checkPage(visitor, name)).toEqual(noFindings)
      for (const link of await visitor.page.locator('main a[target=_blank]').all()) {
        expect(await link.getAttribute('rel')).toContain('noopener')
      }
      await visitor.leave()
    },
  )

  test('a new application shows neither the earlier decision nor a screening that has not started', async () => {
    const factsOf = async (state: string) => {
      const partnerIn = await aPartner(api, verificationStates[state])
      const visitor = await open(await aSession(api, partnerIn, 'admin'), '/dashboard/verification?environment=live')
      const facts = await visitor.page.locator('dl').first().locator('dd').allTextContents()
      await visitor.leave()
      return facts
    }

    expect(await factsOf('verification-connecting')).toEqual(['–', 'Not started'])
    expect(await factsOf('verification-rejected')).toEqual(['Rejected', 'Blocked'])
    expect(await factsOf('verification-again')).toEqual(['–', 'Not started'])
    expect(await factsOf('verification-review')).toEqual(['Under review', 'In review'])
  })

  test('the bank’s reasons are shown as text, and a final refusal offers no retry', async () => {
    const gone = await aPartner(api, {
      verificationStatus: 'rejected',
      providerStatus: 'offboarded',
      verificationReasons: ['<img src=x onerror=alert(1)>'],
    })
    const visitor = await open(await aSession(api, gone, 'admin'), '/dashboard/verification?environment=live')

    await visitor.page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await visitor.page.getByText('You can’t apply again.').waitFor()
    expect(await visitor.page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  })

  test('a business that the bank has paused sees that it cannot send live payouts', async () => {
    const paused = await aPartner(api, verificationStates['verification-paused'])
    const visitor = await open(await aSession(api, paused, 'admin'), '/dashboard/verification?environment=live')

    const sentence = await visitor.page.locator('[aria-live=polite] p').first().textContent()
    expect(sentence).toMatch(/paused your account .* can’t send live payouts/)
    await visitor.leave()
  })

  test('the limits are those of the live account, also if the page is opened in the sandbox', async () => {
    const fresh = await aPartner(api, { verificationStatus: 'not_started' })
    const visitor = await open(await aSession(api, fresh, 'admin'), '/dashboard/verification?environment=sandbox')

    const limits = visitor.page.locator('section', { hasText: 'Live account limits' })
    expect(await limits.locator('dd').allTextContents()).toContain('Not opened yet')
    await visitor.leave()
  })

  test('viewers see the status, but cannot start verification', async () => {
    const fresh = await aPartner(api, { verificationStatus: 'not_started' })
    const visitor = await open(await aSession(api, fresh, 'viewer'), '/dashboard/verification?environment=live')

    await visitor.page.getByText('An admin on your team needs to complete this.').waitFor()
    expect(await visitor.page.getByRole('button', { name: 'Start verification' }).count()).toBe(0)
    await visitor.leave()
  })

  test('the home page shows that the applicant must act', async () => {
    const asked = await aPartner(api, verificationStates['verification-action'])
    const visitor = await open(await aSession(api, asked, 'admin'), '/dashboard?environment=sandbox')

    await visitor.page.getByText('Action needed on verification').waitFor()
    await visitor.picture('home-verification')
    expect(await visitor.faults()).toEqual([])
    await visitor.leave()
  })
})

describe('the top-up page', () => {
  test('shows the bank account in the usual format with copy buttons, and the whole wallet address', async () => {
    const visitor = await open(admin, '/dashboard/top-up?environment=live')
    const { page } = visitor
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

    await page.getByText('04-00-04').waitFor()
    // The whole address, so that users can compare it.
    await page.getByText('0x52908400098527886E0F7030069857D2E4169EE7').waitFor()
    // The text is shown only for a moment, so the wait starts before the click.
    const copied = page.getByText('Copied account number').waitFor({ state: 'attached' })
    await Promise.all([copied, page.getByRole('button', { name: 'Copy account number' }).click()])
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('10234567')
    expect(await checkPage(visitor, 'top-up-live')).toEqual(noFindings)
    await visitor.leave()
  })

  test('in a simulated live environment warns that real money would be lost', async () => {
    const visitor = await open(admin, '/dashboard/top-up?environment=live')

    await visitor.page.getByText('04-00-04').waitFor()
    expect(await visitor.page.getByText(/This is a test .*\. Real money sent here will be lost/).count()).toBe(2)
    await visitor.leave()
  })
})

describe('on the send page', () => {
  test('the code field keeps the focus when the rate changes, and gets it after a wrong code', async () => {
    const visitor = await open(admin, '/dashboard/send?environment=live')
    const { page } = visitor
    const code = page.getByLabel('Six-digit code')
    await page.clock.install()
    await fillPayout(page, { amount: '45.50', name: 'Katherine Johnson', account: '38290008' })
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('You are about to send').waitFor()
    await page.getByRole('button', { name: 'Email me a code' }).click()
    await code.waitFor()
    await page.keyboard.type('12')
    // Simulates a rate change while the user reads their email.
    await page.route('**/v1/quotes?*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), wallet_sends_usdc: '77.77' } })
    })
    await page.clock.runFor(30_000)
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText('77.77').waitFor()
    await page.keyboard.type('3456')
    expect(await code.inputValue()).toBe('123456')

    await page.getByRole('button', { name: 'Send £45.50' }).click()
    await page.getByText('That code isn’t valid').waitFor()
    await code.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('654321')
    expect(await code.inputValue()).toBe('654321')
    await visitor.leave()
  })
})

describe('a payout', () => {
  test('that failed or was returned shows its refund once the money is in the wallet', async () => {
    for (const status of ['failed', 'returned'] as const) {
      const row = await aPayoutRow(api, partner, { status, environment: 'live' })
      const visitor = await open(admin, `/dashboard/payouts/${row.id}?environment=live`)
      await visitor.page.getByText(/will be in your wallet shortly/).waitFor()
      await refund(api, row)

      await visitor.page.reload()
      await visitor.page.getByText('Refunded to wallet').waitFor()
      await visitor.page.getByText(/back in your wallet\./).waitFor()
      expect(await visitor.page.getByText(/shortly/).count()).toBe(0)
      await visitor.picture(`payout-refunded-${status}`)
      await visitor.leave()
    }
  })

  test('shows its recalls and traces: status, due date, notes, outcome and charge', async () => {
    const visitor = await open(admin, `/dashboard/payouts/${await aPayoutWithCases(api, partner)}?environment=live`)
    const recall = visitor.page.getByRole('article', { name: 'Recall' })
    const trace = visitor.page.getByRole('article', { name: 'Trace' })

    expect(await recall.textContent()).toMatch(/Resolved.*Recipient declined.*The bank has asked the recipient\./)
    expect(await recall.textContent()).toContain('by us')
    expect(await trace.textContent()).toMatch(/Overdue.*Reply expected by/)
    await visitor.page.getByText('Recall resolved: recipient declined').waitFor()
    // A payout can have one open case of each kind, and this payout's trace is open.
    expect(await visitor.page.getByRole('button', { name: 'Request trace', exact: true }).count()).toBe(0)
    expect(await checkPage(visitor, 'payout-cases')).toEqual(noFindings)
    await visitor.leave()
  })

  test('shows an admin’s notes to a viewer, as text and not as markup', async () => {
    const { id } = await aPayoutRow(api, partner, { environment: 'live' })
    const visitor = await open(admin, `/dashboard/payouts/${id}?environment=live`)
    const { page } = visitor
    await page.getByText('No notes yet.').waitFor()
    await page.getByText('You can’t edit or delete a note.').waitFor()
    const button = page.getByRole('button', { name: 'Add note' })
    expect(await button.isDisabled()).toBe(true)
    await page.getByLabel('Add a note').fill('Supplier called.\n<b>New account</b> confirmed.')
    await button.click()

    const notes = page.getByRole('list', { name: 'Notes' }).getByRole('listitem')
    await notes.filter({ hasText: '<b>New account</b> confirmed.' }).waitFor()
    expect(await notes.textContent()).toMatch(/, by admin-\w+@people\.test$/)
    expect(await page.getByLabel('Add a note').inputValue()).toBe('')
    expect(await checkPage(visitor, 'payout-notes')).toEqual(noFindings)

    // The server adds the note, but the response is lost. A retry adds no second note.
    await page.route(
      '**/notes?*',
      async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      },
      { times: 1 },
    )
    await page.getByLabel('Add a note').fill('Sent twice.')
    await button.click()
    await page.getByText('We couldn’t reach the server').waitFor()
    await button.click()
    await notes.filter({ hasText: 'Sent twice.' }).first().waitFor()
    expect(await notes.filter({ hasText: 'Sent twice.' }).count()).toBe(1)
    await visitor.leave()

    const reader = await open(viewer, `/dashboard/payouts/${id}?environment=live`)
    await reader.page.getByText('<b>New account</b> confirmed.').waitFor()
    expect(await reader.page.getByLabel('Add a note').count()).toBe(0)
    await reader.leave()
  })

  test('that was returned long after its creation shows the reason, and appears on the home page', async () => {
    const id = await aReturnedPayout(api, partner)
    const visitor = await open(admin, `/dashboard/payouts/${id}?environment=live`)
    await visitor.page.getByText('The account is closed.').first().waitFor()
    expect(await checkPage(visitor, 'payout-returned')).toEqual(noFindings)

    await visitor.go('/dashboard?environment=live')
    await visitor.page.getByText('Returned. The account is closed.').waitFor()
    await visitor.leave()
  })

  test('offers an admin the actions that its status allows, and a viewer none', async () => {
    const offered = async (session: string, status: 'pending' | 'processing' | 'completed' | 'failed') => {
      const { id } = await aPayoutRow(api, partner, { status })
      const visitor = await open(session, `/dashboard/payouts/${id}?environment=sandbox`)
      const names = await visitor.page.locator('main button').allTextContents()
      await visitor.leave()
      return names.filter((name) => /^(Cancel payout|Simulate|Request recall|Request trace)$/.test(name))
    }

    expect(await offered(admin, 'pending')).toEqual(['Cancel payout'])
    expect(await offered(admin, 'processing')).toEqual(['Simulate', 'Request trace'])
    expect(await offered(admin, 'completed')).toEqual(['Simulate', 'Request recall', 'Request trace'])
    expect(await offered(admin, 'failed')).toEqual([])
    expect(await offered(viewer, 'pending')).toEqual([])
    expect(await offered(viewer, 'completed')).toEqual([])
  })

  test('offers no simulated outcomes in live mode', async () => {
    const { id } = await aPayoutRow(api, partner, { status: 'processing', environment: 'live' })
    const visitor = await open(admin, `/dashboard/payouts/${id}?environment=live`)

    expect(await visitor.page.getByRole('button', { name: 'Simulate' }).count()).toBe(0)
    await visitor.leave()
  })
})

describe('emails to admins', () => {
  test('can be switched off one by one, and the low balance threshold is saved', async () => {
    const visitor = await open(admin, '/dashboard/settings?environment=live')
    const { page } = visitor
    const topUps = page.getByRole('switch', { name: 'Top-up received' })
    expect(await page.getByRole('switch').count()).toBe(6)
    expect(await topUps.isChecked()).toBe(true)

    await topUps.click()
    await page.getByText('Changes saved', { exact: true }).waitFor()
    const level = page.getByLabel('Low-balance alert level (USDC)')
    await level.fill('1,250.5')
    await page.getByRole('button', { name: 'Save low-balance alert' }).click()
    // The message about the first change may still be shown, so it does not prove that the level is saved.
    await until('the saved level is shown', async () => (await level.inputValue()) === '1250.50')
    await page.reload()
    await page.getByRole('switch').first().waitFor()

    expect(await topUps.isChecked()).toBe(false)
    expect(await page.getByRole('switch', { checked: true }).count()).toBe(5)
    expect(await level.inputValue()).toBe('1250.50')
    expect(await checkPage(visitor, 'settings-mails')).toEqual(noFindings)
    await visitor.leave()
  })

  test('cannot be switched off by a viewer', async () => {
    const visitor = await open(viewer, '/dashboard/settings?environment=live')

    expect(await visitor.page.getByRole('switch', { disabled: true }).count()).toBe(6)
    await visitor.leave()
  })
})
