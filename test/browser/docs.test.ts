// A real browser reads /docs: the guide, an operation and a call from the page, with requests to our server only.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useApi } from '../support/api/client'
import { aKey, aPartner } from '../support/api/fixtures'
import { openChromium } from '../support/browser/chromium'
import { keepPicture } from '../support/browser/pictures'
import { opened } from '../support/opened'

/** Browsers treat a name under .localhost like https, so the page may use features that need a secure origin. */
const origin = 'http://payouts.localhost'

const api = useApi({ publicUrl: origin })
const held = opened(
  async () => ({
    browser: await openChromium([`--host-resolver-rules=MAP payouts.localhost:80 ${new URL(api.url).host}`]),
  }),
  ({ browser }) => browser.close(),
)
let key: string

beforeAll(async () => {
  execFileSync(process.execPath, [join(__dirname, '../../api/docs/build-assets.mjs')])
  key = await aKey(api, await aPartner(api), 'sandbox')
})

describe('/docs in a browser', () => {
  const asked: string[] = []
  const complaints: string[] = []
  let page: Page

  // Opened once, because rendering the reference is most of the work.
  beforeAll(async () => {
    page = await held.browser.newPage({ viewport: { width: 1440, height: 1000 }, colorScheme: 'light' })
    // The reference renders slowly on a busy machine.
    page.setDefaultTimeout(120_000)
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.exposeFunction('complain', (complaint: string) => complaints.push(complaint))
    await page.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
      complain(event.violatedDirective + ' ' + event.blockedURI)
    })`)
    await page.goto(`${origin}/docs`)
    await page.getByRole('heading', { name: 'Make a first call' }).waitFor()
  })

  function foreignRequests(): string[] {
    return asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))
  }

  test('opens with the guide, lists the operations, and sends no request elsewhere', async () => {
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'insufficient_funds' }).waitFor()
    await keepPicture(page, 'docs-light')
    await page.getByRole('button', { name: 'Create a quote' }).click()
    await page.getByRole('heading', { name: 'Create a quote' }).waitFor()
    await keepPicture(page, 'docs-operation')

    expect(asked).toContain(`${origin}/openapi.json`)
    expect(foreignRequests()).toEqual([])
    expect(complaints).toEqual([])
  })

  test('the sample of a payout has an Idempotency-Key that the API accepts', async () => {
    const sample: string =
      await page.evaluate(`fetch('/openapi.json').then((answer) => answer.json()).then(({ paths }) =>
      paths['/v1/payouts'].post.parameters.find(({ name }) => name === 'Idempotency-Key').example)`)
    const codeWith = async (pasted: string) => {
      const headers = { 'Idempotency-Key': pasted }
      return (await api.post('/v1/payouts', {}, { key, headers })).body.error?.code
    }

    expect(await codeWith('')).toBe('idempotency_key_required')
    expect(await codeWith(sample)).not.toBe('idempotency_key_required')
  })

  test('a call can be made from the page with the reader’s own key', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByPlaceholder('Token').first().fill(key)
    await page.getByRole('button', { name: 'Retrieve the wallet balance' }).click()
    await page.getByRole('button', { name: /Test Request.*\/v1\/balance/ }).click()
    await page
      .getByRole('button', { name: /Send get request to .*balance/i })
      .first()
      .click()
    await page.getByText('200 OK').waitFor()
    await keepPicture(page, 'docs-call')

    expect(foreignRequests()).toEqual([])
    expect(complaints).toEqual([])
  })
})
