// GET /v1/public/partners/{slug}: needs no key, and returns only name and branding.
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aPartner } from '../../support/api/fixtures'

const api = useApi()

test('anyone can see a partner’s name, logo and colour', async () => {
  const partner = await aPartner(api, { logoUrl: 'https://acme.test/logo.svg', brandColor: '#0f766e' })

  const { status, body } = await api.get(`/v1/public/partners/${partner.slug}`)

  expect(status).toBe(200)
  expect(body).toEqual({
    slug: partner.slug,
    name: 'Acme Ltd',
    logo_url: 'https://acme.test/logo.svg',
    brand_color: '#0f766e',
  })
})

test('a partner without branding has null values, and a suspended partner is still shown', async () => {
  const partner = await aPartner(api, { status: 'suspended' })

  const { status, body } = await api.get(`/v1/public/partners/${partner.slug}`)

  expect(status).toBe(200)
  expect(body).toMatchObject({ logo_url: null, brand_color: null })
})

test('the slugs of unknown, malformed and closed partners get the same 404 not_found', async () => {
  const closed = await aPartner(api, { status: 'closed' })
  const slugs = ['nobody', 'x', 'UPPER', 'a_b', '%00', 'a%2fb', 'a'.repeat(41), 'ac%20me', closed.slug]

  const answers = await Promise.all(slugs.map((slug) => api.get(`/v1/public/partners/${slug}`)))

  expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`))).toEqual(
    new Set(['404 {"error":{"code":"not_found","message":"There is no such resource."}}']),
  )
})
