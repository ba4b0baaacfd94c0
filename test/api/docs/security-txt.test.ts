// GET /.well-known/security.txt names the configured contact, in the format of RFC 9116. Its expiry date is
// always in the future.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Api, startApi } from '../../support/api/client'

const seller = {
  name: 'Example Ltd',
  addressLines: ['1 Example Street'],
  email: 'billing@example.test',
  companyNumber: null,
  vat: null,
  paymentLines: ['Example Bank'],
}

describe('security.txt with a contact', () => {
  let api: Api
  let now = new Date('2026-11-16T09:30:00Z')
  beforeAll(async () => {
    api = await startApi({
      opsEmail: 'ops&security@example.test',
      seller,
      publicUrl: 'https://payouts.test',
      clock: { now: () => now },
    })
  })
  afterAll(() => api.close())

  test('is public plain text with the fields of RFC 9116', async () => {
    const response = await fetch(`${api.url}/.well-known/security.txt`)

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe(
      'Contact: mailto:ops%26security@example.test\n' +
        'Expires: 2027-05-17T00:00:00Z\n' +
        'Preferred-Languages: en\n' +
        'Canonical: https://payouts.test/.well-known/security.txt\n',
    )
  })

  test('expires within a year, and always in the future', async () => {
    now = new Date('2031-02-28T23:59:59Z')
    const text = await (await fetch(`${api.url}/.well-known/security.txt`)).text()
    const expires = new Date(/^Expires: (.+)$/m.exec(text)?.[1] ?? '')

    expect(expires.getTime()).toBeGreaterThan(new Date('2031-08-01').getTime())
    expect(expires.getTime()).toBeLessThan(new Date('2032-02-28').getTime())
  })

  test('answers other methods with 405', async () => {
    expect((await fetch(`${api.url}/.well-known/security.txt`, { method: 'POST' })).status).toBe(405)
  })
})

test.each([
  [
    'the address on invoices is the contact if none is configured for operators',
    seller,
    200,
    'Contact: mailto:billing@',
  ],
  ['there is no file without a contact', undefined, 404, 'route_not_found'],
])('%s', async (_, configured, status, text) => {
  const api = await startApi(configured === undefined ? {} : { seller: configured })

  const response = await fetch(`${api.url}/.well-known/security.txt`)

  expect(response.status).toBe(status)
  expect(await response.text()).toContain(text)
  await api.close()
})
