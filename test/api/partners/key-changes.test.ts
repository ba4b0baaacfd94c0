// POST /v1/keys and revocation: the secret is shown once, an environment has at most five keys, a live key needs an
// approved partner, and a revocation takes effect immediately.
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { sendConfirmed } from '../../support/api/confirmed'
import { aKey, aPartner, aSession, changePartner } from '../../support/api/fixtures'

const api = useApi()

const create = (session: string, body: object = { environment: 'sandbox', label: 'Checkout' }) =>
  api.post('/v1/keys', body, { session })

test('a key is created, shown once and accepted, and is refused after it is revoked', async () => {
  const session = await aSession(api, await aPartner(api))

  const { status, body } = await create(session)
  const secret = String(body['secret'])
  const used = await api.get('/v1/account', { key: secret })
  const listed = await api.get('/v1/keys', { session })
  const revoked = await api.post(`/v1/keys/${String(body['id'])}/revoke`, undefined, { session })
  const after = await api.get('/v1/account', { key: secret })

  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(String),
    environment: 'sandbox',
    key_prefix: secret.slice(0, 'kp_sandbox_'.length + 8),
    label: 'Checkout',
    created_at: expect.any(String),
    secret: expect.stringMatching(/^kp_sandbox_[a-f0-9]{48}$/),
    note: 'The secret is shown only once: store it now.',
  })
  expect(used.status).toBe(200)
  expect(JSON.stringify(listed.body)).not.toContain(secret)
  expect([revoked.status, revoked.body]).toEqual([200, { id: body['id'], revoked: true }])
  expect(after.status).toBe(401)
})

test('an admin of a suspended partner can revoke a key but not create one', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const { id, secret } = (await create(session)).body
  await changePartner(api, partner, { status: 'suspended' })

  const refused = await create(session)
  const revoked = await api.post(`/v1/keys/${String(id)}/revoke`, undefined, { session })
  const after = await api.get('/v1/account', { key: String(secret) })

  expect([refused.status, refused.body.error?.code]).toEqual([403, 'partner_not_active'])
  expect([revoked.status, after.status]).toEqual([200, 401])
})

test('neither a revoked key nor another partner’s key can be revoked', async () => {
  const partner = await aPartner(api)
  const [session, stranger] = [await aSession(api, partner), await aSession(api, await aPartner(api))]
  const { body } = await create(session)
  const revoke = (who: string, id: unknown) => api.post(`/v1/keys/${String(id)}/revoke`, undefined, { session: who })

  const foreign = await revoke(stranger, body['id'])
  await revoke(session, body['id'])
  const again = await revoke(session, body['id'])
  const unknown = await revoke(session, 'nonsense')

  expect([foreign.status, unknown.status]).toEqual([404, 404])
  expect([again.status, again.body.error?.code, again.body.error?.details]).toEqual([
    409,
    'invalid_state',
    { status: 'revoked' },
  ])
})

test('the sixth key of an environment is refused, even among concurrent requests', async () => {
  const session = await aSession(api, await aPartner(api))

  const answers = await Promise.all(Array.from({ length: 12 }, () => create(session)))
  const live = await sendConfirmed(api, 'POST', '/v1/keys', { environment: 'live' }, { session })

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
  expect(answers.find(({ status }) => status !== 201)?.body.error?.code).toBe('key_limit_reached')
  expect([live.status, live.body['label']]).toEqual([201, null])
})

test('creating a live key before approval is 403 verification_required', async () => {
  const session = await aSession(api, await aPartner(api, { verificationStatus: 'in_review' }))

  const { status, body } = await create(session, { environment: 'live', label: 'Shop' })

  expect([status, body.error?.code]).toEqual([403, 'verification_required'])
})

test('a label has at most 60 characters, and unknown fields are refused', async () => {
  const session = await aSession(api, await aPartner(api))
  const bodies = [{ environment: 'sandbox', label: 'x'.repeat(61) }, { environment: 'test' }, { label: 'x' }]

  for (const body of [...bodies, { environment: 'sandbox', secret: 'kp_sandbox_' }]) {
    expect((await create(session, body)).body.error?.code).toBe('invalid_request')
  }
  expect((await create(session, { environment: 'sandbox', label: 'x'.repeat(60) })).status).toBe(201)
})

test.each(['', '   ', '\u200b', 'shop\nserver'])('%j is not a valid label', async (label) => {
  const session = await aSession(api, await aPartner(api))

  const { status, body } = await create(session, { environment: 'sandbox', label })

  expect([status, body.error?.details]).toEqual([422, { errors: ['label (1 to 60 visible characters and spaces)'] }])
})

test('a label with markup is returned unchanged', async () => {
  const session = await aSession(api, await aPartner(api))
  const label = '<img src=x onerror=alert(1)>'
  await create(session, { environment: 'sandbox', label })

  const { body, headers } = await api.get('/v1/keys', { session })

  expect(body.data?.[0]?.['label']).toBe(label)
  expect([headers.get('Content-Type'), headers.get('X-Content-Type-Options')]).toEqual([
    'application/json; charset=utf-8',
    'nosniff',
  ])
})

test('the activity list shows who created or revoked which key, and no API key can create a key', async () => {
  const partner = await aPartner(api)
  const [session, key] = [await aSession(api, partner), await aKey(api, partner, 'sandbox')]
  const { body: made } = await create(session)
  await api.post(`/v1/keys/${String(made['id'])}/revoke`, undefined, { session })

  const byKey = await api.post('/v1/keys', { environment: 'sandbox' }, { key })
  const { body } = await api.get('/v1/activity', { session })

  expect([byKey.status, byKey.body.error?.code]).toEqual([403, 'api_key_required'])
  expect(body.data?.filter(({ by }) => String(by).endsWith('@people.test'))).toEqual([
    expect.objectContaining({ action: 'key.revoke', status: 200, environment: 'sandbox', detail: made['key_prefix'] }),
    expect.objectContaining({ action: 'key.create', status: 201, environment: 'sandbox', detail: made['key_prefix'] }),
  ])
})
