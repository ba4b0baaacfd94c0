// A real browser opens /docs, reads the guide and an operation, and calls the API from the page. All requests go to
// our server.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useApi } from '../support/api/client'
import { aKey, aPartner } from '../support/api/fixtures'
import type { Json } from '../support/bank/client'
import { openChromium } from '../support/browser/chromium'
import { keepPicture } from '../support/browser/pictures'
import { opened } from '../support/opened'

/** Browsers treat hosts under .localhost as secure origins, so the page can use features that require one. */
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

  // The page is opened once, because rendering the reference takes most of the test time.
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

  test('opens with the guide, lists the operations, and sends no request to another host', async () => {
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    // One code is both an error of a request and the failure of a payout.
    for (const table of [0, 1]) await page.getByRole('cell', { name: 'insufficient_funds' }).nth(table).waitFor()
    // Text in angle brackets is text, not a tag.
    await page.getByRole('cell', { name: 'Send "Authorization: Bearer <API key>"' }).waitFor()
    await page.getByRole('button', { name: 'Create a quote' }).waitFor()
    await keepPicture(page, 'docs-light')

    expect(asked).toContain(`${origin}/openapi.json`)
    expect(foreignRequests()).toEqual([])
    expect(complaints).toEqual([])
  })

  test('shows a sample of Create a payout that runs as pasted, with the reader’s key', async () => {
    await page.getByRole('button', { name: 'Create a payout' }).first().click()
    const title = page.getByRole('heading', { name: 'Create a payout', exact: true })
    await title.waitFor()
    await keepPicture(page, 'docs-operation')
    const operation = page.locator('section', { has: title }).last()
    const sample = await operation.locator('pre', { hasText: 'Idempotency-Key' }).first().innerText()

    const { url, method, headers, body } = readCurl(sample)
    expect([method, url]).toEqual(['POST', `${origin}/v1/payouts`])
    const { 'Idempotency-Key': idempotencyKey = '' } = headers
    const answer = await api.post('/v1/payouts', body, { key, headers: { 'Idempotency-Key': idempotencyKey } })
    const withoutKey = await api.post('/v1/payouts', body, { key })

    expect([answer.status, answer.body['amount_gbp']]).toEqual([201, body['amount_gbp']])
    expect(withoutKey.body.error?.code).toBe('idempotency_key_required')
  })

  test('lets readers call the API with their own key', async () => {
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

interface CurlCommand {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/** Parses a curl command whose options are long and whose values contain no quotes. */
function readCurl(command: string): CurlCommand {
  const words = Array.from(command.matchAll(/'([^']*)'|([^\s\\]+)/g), ([, quoted, plain]) => quoted ?? plain ?? '')
  const valuesOf = (option: string) => words.filter((_, at) => words[at - 1] === option)
  const headers = valuesOf('--header').map((header) => header.split(/: (.*)/s))
  return {
    method: valuesOf('--request')[0],
    url: words.find((word) => word.startsWith('http')),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value ?? ''])),
    body: JSON.parse(valuesOf('--data')[0] ?? ''),
  }
}
