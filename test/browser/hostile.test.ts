// Pages show names, references and labels as plain text, whatever they contain, and load no logo from another
// server.
import { beforeAll, expect, test } from '@jest/globals'
import { recordActivity } from '../../db/controls/activity'
import { createApiKey } from '../../db/partners/api-keys'
import type { PartnerRow } from '../../db/partners/partners'
import { postSet } from '../../db/wallets/ledger'
import { findWallet } from '../../db/wallets/wallets'
import { debitPostings } from '../../domain/wallets/ledger'
import { testKeyring } from '../support/api/client'
import { anInvoice, aPartner, aPayoutRow } from '../support/api/fixtures'
import { aMember, aSessionOf } from '../support/browser/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'

const hostile = '<img src=x onerror=alert(1)>'

const { api, visit } = useDashboard()
let partner: PartnerRow
let payoutId: string
let visitor: Visitor
let alerts = 0

beforeAll(async () => {
  // A logo on another server. The visitor records any request to that server as a complaint.
  partner = await aPartner(api, { name: hostile, logoUrl: 'https://elsewhere.example/logo.png' })
  const payout = { recipientName: hostile, reference: hostile, status: 'failed', failureReason: hostile } as const
  payoutId = (await aPayoutRow(api, partner, payout)).id
  await aPayoutRow(api, partner, { recipientName: hostile })
  await moneyMoved(payoutId)
  const entry = { action: 'account.update', changes: 'something', detail: hostile, madeBy: hostile, requestId: hostile }
  const about = { partnerId: partner.id, at: api.clock.now(), environment: null, status: 200 }
  await recordActivity(api.db, [{ ...about, ...entry, changes: 'something' }])
  const line = { kind: 'payout_fees', description: hostile, quantity: 1 } as const
  const amount = { unitAmountMicropounds: 1_000_000n, amountPence: 100n }
  await anInvoice(api, partner, { period: '2026-10-01', number: hostile }, [{ ...line, ...amount }])
  const key = { partnerId: partner.id, environment: 'sandbox', label: hostile, createdBy: hostile } as const
  await api.db.transaction((tx) => createApiKey(tx, { ...key, at: api.clock.now(), keyring: testKeyring }))
  const member = { email: 'ada@hostile.example', role: 'admin', name: hostile } as const
  const ada = await aMember(api, partner, member)
  await aSessionOf(api, await aMember(api, await aPartner(api, { name: `${hostile} too` }), member))
  await aMember(api, await aPartner(api, { name: `${hostile} invites` }), member)
  visitor = await visit({ session: await aSessionOf(api, ada) })
  visitor.page.on('dialog', async (dialog) => {
    alerts++
    await dialog.dismiss()
  })
})

const pages: readonly (readonly [what: string, path: () => string])[] = [
  ['the business name on Home', () => '/dashboard?environment=sandbox'],
  ['recipients and references in the payout list', () => '/dashboard/payouts?environment=sandbox'],
  ['a recipient and a failure reason on a payout’s page', () => `/dashboard/payouts/${payoutId}?environment=sandbox`],
  ['recipients in the statement', () => '/dashboard/wallet?environment=sandbox'],
  ['invoice numbers and lines', () => '/dashboard/invoices?environment=live'],
  ['audit log entries', () => '/dashboard/audit-log?environment=sandbox'],
  ['recipients', () => '/dashboard/recipients?environment=sandbox'],
  ['key labels', () => '/dashboard/keys?environment=sandbox'],
  ['member names', () => '/dashboard/team?environment=sandbox'],
  ['settings', () => '/dashboard/settings?environment=sandbox'],
  ['the business name on its sign-in page', () => `/p/${partner.slug}`],
]

test.each(pages)('hostile text is shown as plain text: %s', async (_, path) => {
  await visitor.go(path())

  // A filter option also contains the text, but is not visible while its list is closed.
  const shown = visitor.page.locator('main').getByText(hostile).filter({ visible: true })
  await shown.first().or(field()).first().waitFor()
  expect(await whatRan()).toEqual(nothing)
})

test('hostile text is shown as plain text: the business name on the usage page', async () => {
  await visitor.go('/dashboard/usage?environment=sandbox')

  await visitor.page.getByRole('navigation', { name: 'Pages' }).getByText(hostile).waitFor()
  expect(await whatRan()).toEqual(nothing)
})

test('hostile text is shown as plain text: Ctrl+K results, and other partners in the menu', async () => {
  const { page } = visitor
  await visitor.go('/dashboard?environment=sandbox')

  await page.getByRole('button', { name: /Signed in as/ }).click()
  await page.getByRole('menuitemradio', { name: `${hostile} too` }).waitFor()
  await page.getByRole('group', { name: `Invitation to ${hostile} invites` }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('onerror')
  await page.getByRole('option', { name: hostile }).first().waitFor()

  expect(await whatRan()).toEqual(nothing)
})

/** Debits the wallet for the payout, so that the statement shows its recipient. */
async function moneyMoved(id: string): Promise<void> {
  const wallet = await findWallet(api.db, partner.id, 'sandbox')
  if (wallet === null) throw new Error('the partner has no wallet')
  const set = { walletId: wallet.id, cause: 'debit', causeRef: `test/${id}`, payoutId: id, createdBy: 'test' }
  await postSet(api.db, { ...set, at: api.clock.now(), postings: debitPostings(1_000_000n) })
}

const field = () => visitor.page.locator(`input[value="${hostile}"]`)

const nothing = { pictures: 0, alerts: 0, complaints: [] }

/** The content security policy would stop an injected script, but the injected element must not exist either. */
async function whatRan() {
  return { pictures: await visitor.page.locator('img[src=x]').count(), alerts, complaints: visitor.complaints }
}
