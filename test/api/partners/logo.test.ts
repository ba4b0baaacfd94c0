// Admins upload a partner's logo, and its content is verified. Our server serves it to anyone, and never fetches
// it from elsewhere.
import { expect, test } from '@jest/globals'
import { logoMaxBytes } from '../../../domain/partners/logo'
import { useApi } from '../../support/api/client'
import { aPartner, aSession, changePartner } from '../../support/api/fixtures'

const api = useApi()

/** Each image is 1 × 1 pixel. */
const beginnings = {
  png: Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
  jpeg: Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100', 'hex'),
  webp: Buffer.from('524946461600000057454250565038200a0000003001009d012a01000100', 'hex'),
}
const pictureOf = (kind: keyof typeof beginnings, length = 200) =>
  Buffer.concat([beginnings[kind], Buffer.alloc(length - beginnings[kind].length, 7)])
const asData = (kind: string, bytes: Buffer) => `data:image/${kind};base64,${bytes.toString('base64')}`
const store = (session: string, logo: string | null) => api.send('PATCH', '/v1/account', { logo }, { session })
const logoUrlOf = async (session: string) =>
  Object((await api.get('/v1/auth/session', { session })).body['partner']).logo_url
const fetchLogo = (slug: string, headers = {}) => api.get(`/v1/public/partners/${slug}/logo`, { headers })

test.each(['png', 'jpeg', 'webp'] as const)(
  'a %s logo is stored, and anyone can download exactly its bytes from us',
  async (kind) => {
    const partner = await aPartner(api, { logoUrl: 'https://acme.test/logo.svg' })
    const session = await aSession(api, partner)
    const bytes = pictureOf(kind)

    const stored = await store(session, asData(kind, bytes))
    const answer = await fetchLogo(partner.slug)
    const shown = await api.get(`/v1/public/partners/${partner.slug}`)

    expect(stored.status).toBe(200)
    expect([answer.status, answer.bytes.equals(bytes)]).toEqual([200, true])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': `image/${kind}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none'/),
      'cache-control': 'public, max-age=300',
    })
    const ours = new RegExp(`^http://payouts\\.test/v1/public/partners/${partner.slug}/logo\\?v=[\\w-]{12}$`)
    expect(shown.body['logo_url']).toMatch(ours)
    expect(await logoUrlOf(session)).toBe(shown.body['logo_url'])
  },
)

test('a new logo has a new URL, an unchanged one is 304, and null removes the logo', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  await store(session, asData('png', pictureOf('png')))
  const [first, etag] = [await logoUrlOf(session), (await fetchLogo(partner.slug)).headers.get('ETag') ?? '']

  const unchanged = await fetchLogo(partner.slug, { 'If-None-Match': etag })
  await store(session, asData('png', pictureOf('png', 300)))
  const [second, changed] = [await logoUrlOf(session), await fetchLogo(partner.slug, { 'If-None-Match': etag })]
  await store(session, null)

  expect([unchanged.status, changed.status, first === second]).toEqual([304, 200, false])
  expect([await logoUrlOf(session), (await fetchLogo(partner.slug)).status]).toEqual([null, 404])
})

test('the largest allowed logo fits into a request, and one more byte is refused', async () => {
  const session = await aSession(api, await aPartner(api))

  const largest = await store(session, asData('jpeg', pictureOf('jpeg', logoMaxBytes)))
  const larger = await store(session, asData('jpeg', pictureOf('jpeg', logoMaxBytes + 1)))

  expect([largest.status, larger.status, larger.body.error?.code]).toEqual([200, 422, 'invalid_request'])
})

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
test.each([
  ['an SVG', asData('svg+xml', svg)],
  ['an SVG that is declared as a PNG', asData('png', svg)],
  ['a JPEG that is declared as a PNG', asData('png', pictureOf('jpeg'))],
  ['a RIFF that is not WebP', asData('webp', Buffer.from('RIFF\x10\x00\x00\x00WAVEfmt ', 'latin1'))],
  ['a truncated PNG', asData('png', beginnings.png.subarray(0, 32))],
  ['an HTML page', asData('png', Buffer.from('<html>')).replace('image/png', 'text/html')],
  ['invalid base64', 'data:image/png;base64,%89PNG'],
  ['a data URL with a second line', `${asData('png', pictureOf('png'))}\n`],
  ['a data URL with another parameter', asData('png', pictureOf('png')).replace(';base64', ';charset=utf-8;base64')],
  ['an external URL', 'https://acme.test/logo.png'],
  ['an empty string', ''],
])('%s is 422, and nothing is stored', async (_what, logo) => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)

  const { status, body } = await store(session, logo)

  expect([status, body.error?.code]).toEqual([422, 'invalid_request'])
  expect((await fetchLogo(partner.slug)).status).toBe(404)
})

test('viewers cannot upload a logo, and a closed partner’s logo is not found', async () => {
  const partner = await aPartner(api)
  const logo = asData('png', pictureOf('png'))

  const refused = await store(await aSession(api, partner, 'viewer'), logo)
  await store(await aSession(api, partner), logo)
  const before = await fetchLogo(partner.slug)
  await changePartner(api, partner, { status: 'closed' })

  expect([refused.status, before.status, (await fetchLogo(partner.slug)).status]).toEqual([403, 200, 404])
})

test('the activity list shows that the logo was changed, but not the new logo', async () => {
  const session = await aSession(api, await aPartner(api))
  await store(session, asData('png', pictureOf('png')))

  const { body } = await api.get('/v1/activity', { session })

  expect(body.data?.[0]).toMatchObject({ action: 'account.update', detail: 'logo' })
})
