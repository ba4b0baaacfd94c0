// The mail inbox in a real browser: an email appears without a reload, and a hostile one runs no script and
// sends no request.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { invoicePdf } from '../../mail/documents/invoice-pdf'
import { createMailer } from '../../mail/mailer'
import { invoiceMessage } from '../../mail/messages/invoice'
import { openChromium } from '../support/browser/chromium'
import { keepPicture } from '../support/browser/pictures'
import { useInbox } from '../support/mail/an-inbox'
import { anInvoice } from '../support/mail/an-invoice'
import { opened } from '../support/opened'

const inbox = useInbox()
const mailer = opened(
  async () => createMailer({ smtpUrl: inbox.smtpUrl, from: { name: 'Billing', address: 'billing@example.test' } }),
  (current) => current.close(),
)
const held = opened(
  async () => ({ browser: await openChromium() }),
  ({ browser }) => browser.close(),
)
let page: Page
/** A third-party server that records every request. */
let evil: Server
let evilUrl: string
const requests: string[] = []

beforeAll(async () => {
  evil = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  })
  await once(evil.listen(0, '127.0.0.1'), 'listening')
  evilUrl = urlOf(evil)
  page = await held.browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(inbox.url)
})

afterAll(() => void evil?.close())

test('an email appears without a reload, opens with a click, and its PDF can be saved', async () => {
  expect(await page.textContent('nav')).toContain('No mail yet')
  const document = anInvoice()
  const pdf = await invoicePdf(document)
  const about = { address: 'ada@acme.test', messageId: '<one@example.test>', publicUrl: 'https://payouts.test' }
  await mailer.send(invoiceMessage({ document, pdf, ...about }))

  await page.click('a.row')

  expect(await page.textContent('h1')).toBe('Invoice INV-2026-000123 from Example Payouts Ltd for October 2026')
  expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('Your invoice for October 2026')
  await keepPicture(page, 'mail-inbox')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.files a')])
  expect(download.suggestedFilename()).toBe('INV-2026-000123.pdf')
})

test('a new email appears in the list, and the open one stays open', async () => {
  const address = page.url()
  await mailer.send(aMail('<p>second</p>'))

  await page.locator('a.row').nth(1).waitFor()

  expect(page.url()).toBe(address)
  expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('Your invoice for October 2026')
})

test('a hostile email runs no script, loads nothing and sends no request', async () => {
  const html = [
    `<script>document.title = "evil"; top.location = "${evilUrl}/1"</script>`,
    `<img src="${evilUrl}/2" onerror="document.title = 1">`,
    `<link rel="stylesheet" href="${evilUrl}/3"><iframe src="${evilUrl}/4"></iframe>`,
    `<form action="${evilUrl}/5"><button id="send">send</button></form>`,
    `<meta http-equiv="refresh" content="0;url=${evilUrl}/6"><p id="end">end</p>`,
  ].join('')
  await mailer.send(aMail(html))
  await page.locator('a.row').nth(2).waitFor()
  await page.locator('a.row').first().click()

  const frame = page.frameLocator('iframe')
  await frame.locator('#send').click()
  await frame.locator('#end').waitFor()

  expect(await page.title()).toBe('<b>hostile</b> · Mail inbox')
  expect(await page.textContent('h1')).toBe('<b>hostile</b>')
  expect(requests).toEqual([])
})

test('a button empties the inbox', async () => {
  await page.click('#empty')

  await page.waitForSelector('text=No mail yet')
  expect(await inbox.messages()).toEqual([])
})

function urlOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

function aMail(html: string) {
  const to = { name: 'Ada', address: 'ada@acme.test' }
  return { to, subject: '<b>hostile</b>', text: 'words', html, messageId: '<two@example.test>', attachments: [] }
}
