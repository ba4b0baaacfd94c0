// PATCH /v1/account: admins can change certain fields, and no others.
import { describe, expect, test } from '@jest/globals'
import { findPartnerById } from '../../../db/partners/partners'
import { useApi } from '../../support/api/client'
import { aConfirmCode } from '../../support/api/confirmed'
import { aPartner, aSession } from '../../support/api/fixtures'

const api = useApi()

const change = (session: string, body: object) => api.send('PATCH', '/v1/account', body, { session })

test('only the fields in the request change, and null clears a field', async () => {
  const partner = await aPartner(api, { logoUrl: 'https://acme.test/old.svg', verificationStatus: 'not_started' })
  const session = await aSession(api, partner)
  const wanted = {
    name: ' Acme Payments Ltd ',
    logo_url: null,
    brand_color: '#0F766E',
    billing_email: 'billing@acme.test',
    billing_address: '1 High Street\nLondon',
  }

  const { billing_email } = wanted
  const confirm_code = await aConfirmCode(api, '/v1/account', { billing_email }, { session })
  const { status, body } = await change(session, { ...wanted, confirm_code })
  const sessionPartner = Object((await api.get('/v1/auth/session', { session })).body['partner'])
  const shown = await api.get(`/v1/public/partners/${partner.slug}`)

  expect([status, body['name'], body['id']]).toEqual([200, 'Acme Payments Ltd', partner.id])
  expect(sessionPartner).toMatchObject({ ...wanted, name: 'Acme Payments Ltd', contact_email: partner.contactEmail })
  expect(shown.body).toMatchObject({ name: 'Acme Payments Ltd', logo_url: null, brand_color: '#0F766E' })
})

test.each([
  [{ logo_url: 'javascript:alert(1)' }],
  [{ logo_url: 'http://acme.test/logo.svg' }],
  [{ brand_color: 'red;background:url(https://evil.test)' }],
  [{ brand_color: '#0f766e00' }],
  [{ billing_email: 'nobody' }],
  [{ name: '' }],
  [{ name: '   ' }],
  [{ name: '\u200b' }],
  [{ name: 'Acme\nLtd' }],
  [{ name: 'Acme \u202edtL' }],
  [{ name: 'Ac\u200bme' }],
  [{ name: 'Visit https://evil.test/login now "<b>x</b>' }],
  [{ name: 'Sign in at evil.test' }],
  [{ name: 'www.evil' }],
  [{ name: null }],
  [{ billing_address: 'x'.repeat(501) }],
  [{ billing_address: '1 High Street\u202e\nLondon' }],
  [{ status: 'active' }],
  [{ verification_status: 'approved' }],
  [{ slug: 'other' }],
  [{ low_balance_usdc: '0.00' }],
  [{ low_balance_usdc: '5' }],
  [{ low_balance_usdc: '-5.00' }],
  [{ low_balance_usdc: '1000000000.01' }],
  [{ notifications: { everything: false } }],
  [{ notifications: { top_up: 'no' } }],
])('%j is 422 and changes nothing', async (wanted) => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)

  const { status, body } = await change(session, wanted)

  expect([status, body.error?.code]).toEqual([422, 'invalid_request'])
  expect(await findPartnerById(api.db, partner.id)).toEqual(partner)
})

test.each([
  [{ brand_color: 'red' }, 'brand_color (a colour such as #0f766e)'],
  [{ billing_email: 'nobody' }, 'billing_email (must match format "email")'],
  [{ billing_address: 7 }, 'billing_address (0 to 500 visible characters, spaces and line breaks)'],
])('the error for %j states a single rule, although the field may also be null', async (wanted, rule) => {
  const session = await aSession(api, await aPartner(api))

  const { body } = await change(session, wanted)

  expect(body.error?.details).toEqual({ errors: [rule] })
})

describe('a new name', () => {
  test.each(['pending', 'action_required', 'in_review', 'approved'] as const)(
    'waits for an operator while verification is %s, and the old name stays in use',
    async (verificationStatus) => {
      const partner = await aPartner(api, { verificationStatus })
      const session = await aSession(api, partner)

      const changed = await change(session, { name: 'Acme Bank plc' })
      const shown = await api.get(`/v1/public/partners/${partner.slug}`)
      const sessionAnswer = await api.get('/v1/auth/session', { session })
      const account = await api.get('/v1/account', { session })

      const waiting = { name: 'Acme Ltd', requested_name: 'Acme Bank plc' }
      expect([changed.status, changed.body]).toMatchObject([200, waiting])
      expect([sessionAnswer.body['partner'], account.body]).toMatchObject([waiting, waiting])
      expect(shown.body['name']).toBe('Acme Ltd')
    },
  )

  test('also waits after the bank has withdrawn a live partner’s approval', async () => {
    const partner = await aPartner(api, { verificationStatus: 'rejected', liveOpenedAt: api.clock.now() })

    const { body } = await change(await aSession(api, partner), { name: 'Acme Bank plc' })

    expect(body).toMatchObject({ name: 'Acme Ltd', requested_name: 'Acme Bank plc' })
  })

  test.each(['not_started', 'rejected'] as const)('applies immediately while verification is %s', async (status) => {
    const partner = await aPartner(api, { verificationStatus: status })

    const { body } = await change(await aSession(api, partner), { name: 'Acme Payments Ltd' })

    expect(body).toMatchObject({ name: 'Acme Payments Ltd', requested_name: null })
  })

  test('is withdrawn by sending the current name, and other changes leave it pending', async () => {
    const session = await aSession(api, await aPartner(api))
    await change(session, { name: 'Acme Bank plc' })

    const other = await change(session, { brand_color: '#000000' })
    const withdrawn = await change(session, { name: 'Acme Ltd' })

    expect(other.body['requested_name']).toBe('Acme Bank plc')
    expect(withdrawn.body).toMatchObject({ name: 'Acme Ltd', requested_name: null })
  })
})

test('the activity list shows who changed which fields, but not the values', async () => {
  const session = await aSession(api, await aPartner(api))
  const contact_email = 'canary@acme.test'
  const confirm_code = await aConfirmCode(api, '/v1/account', { contact_email }, { session })
  await change(session, { contact_email, brand_color: '#000000', confirm_code })

  const { body } = await api.get('/v1/activity', { session })

  expect(body.data?.[0]).toMatchObject({ action: 'account.update', status: 200, detail: 'contact_email, brand_color' })
  expect(JSON.stringify(body)).not.toContain('canary')
})

const allOn = {
  payout_failed: true,
  payout_returned: true,
  low_balance: true,
  verification: true,
  top_up: true,
  case: true,
}

test('each email is on by default and can be switched off separately, and the session shows the same settings', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const sessionPartner = async () => Object((await api.get('/v1/auth/session', { session })).body['partner'])
  expect(await sessionPartner()).toMatchObject({ notifications: allOn, low_balance_usdc: null })

  const first = await change(session, { notifications: { top_up: false, case: false }, low_balance_usdc: '500.00' })
  const second = await change(session, { notifications: { case: true, low_balance: false } })

  expect(first.body['notifications']).toEqual({ ...allOn, top_up: false, case: false })
  const after = { notifications: { ...allOn, top_up: false, low_balance: false }, low_balance_usdc: '500.00' }
  expect([second.status, second.body]).toMatchObject([200, after])
  expect(await sessionPartner()).toMatchObject(after)
  expect((await change(session, { low_balance_usdc: null })).body['low_balance_usdc']).toBeNull()
})

test('concurrent changes to email settings all apply', async () => {
  const session = await aSession(api, await aPartner(api))
  const kinds = Object.keys(allOn)

  await Promise.all(kinds.map((kind) => change(session, { notifications: { [kind]: false } })))

  const { body } = await change(session, {})
  expect(Object.values(Object(body['notifications']))).toEqual(kinds.map(() => false))
})
