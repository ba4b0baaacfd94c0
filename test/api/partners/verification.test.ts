// POST /v1/compliance/verification: the steps up to live payouts, and which callers can start a verification.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { saveBankWebhook } from '../../../db/bank/webhooks'
import { latestActivity } from '../../../db/controls/activity'
import { findPartnerById, type PartnerRow } from '../../../db/partners/partners'
import { systemClock } from '../../../runtime/clock'
import { type Answer, startApi, useApi } from '../../support/api/client'
import { sendConfirmed } from '../../support/api/confirmed'
import { aKey, aPartner, aSession, changePartner } from '../../support/api/fixtures'
import { railTo } from '../../support/bank/a-connected-partner'
import { accessTo, type Json, keys, useSandboxBank } from '../../support/bank/client'
import { useWorker } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const path = '/v1/compliance/verification'
const day = 86_400_000
const bank = useSandboxBank({ fsync: 'off' })
const banks = () => ({ ...accessTo(bank), sandbox: null })
const worker = useWorker(() => ({ clock: systemClock, bank: banks() }))
// No poll happens within a test, so every change here comes from the bank's events.
const api = useApi(() => ({
  database: worker.databaseUrl,
  taskQueuePrefix: worker.queuePrefix,
  bank: banks(),
  pollMs: [day],
}))

beforeAll(async () => {
  const rail = railTo(bank.url, { apiKey: keys.live })
  const url = `${api.url}/webhooks/bank`
  const registered = await rail.registerWebhook({ url, key: randomUUID() })
  await saveBankWebhook(api.db, { environment: 'live', url, ...registered }, api.clock.now())
  rail.close()
})

describe('an admin', () => {
  test('starts verification, continues on the bank’s pages, and gets live keys, bank details and an address', async () => {
    const { partner, session } = await aBeginner()
    await expect(newLiveKey(session)).resolves.toMatchObject({ status: 403 })

    const started = await api.post(path, {}, { session })
    expect(started).toMatchObject({ status: 200, body: { object: 'compliance' } })
    expect(verificationIn(started)).toMatchObject({ status: 'pending', can_start: false })
    const [activity] = await latestActivity(api.db, partner.id, 1)
    expect(activity).toMatchObject({ action: 'verification.start', status: 200, environment: 'live' })

    const { continue_url, terms_url } = await untilShown(session, ({ continue_url: url }) => url !== null)
    await press(terms_url, 'accept')
    await press(continue_url, 'ask')
    await untilShown(session, ({ status }) => status === 'action_required')
    await press(continue_url, 'approve')
    const approved = await untilShown(session, ({ status }) => status === 'approved')

    expect(approved).toEqual({
      status: 'approved',
      provider_status: 'approved',
      continue_url: null,
      terms_url: null,
      reasons: [],
      can_start: false,
    })
    const account = await api.get('/v1/account?environment=live', { session })
    expect(account.body).toMatchObject({
      funding_wallet: { currency: 'USDC', chain: 'base', address: expect.stringMatching(/^0x/) },
      bank_funding: {
        sort_code: expect.stringMatching(/^\d{6}$/),
        account_number: expect.stringMatching(/^\d{8}$/),
        account_holder_name: 'Acme Ltd',
        bank_name: 'Sandbox Bank',
      },
    })
    const key = await sendConfirmed(api, 'POST', '/v1/keys', { environment: 'live' }, { session })
    expect(key.status).toBe(201)
  })

  test('sees why a refused verification failed, and tries again', async () => {
    const { session } = await aBeginner()
    await api.post(path, {}, { session })
    const { continue_url } = await untilShown(session, ({ continue_url: url }) => url !== null)
    await press(continue_url, 'reject')
    const refused = await untilShown(session, ({ status }) => status === 'rejected')
    expect(refused).toMatchObject({ reasons: ['Your information could not be verified.'], can_start: true })

    const again = await api.post(path, {}, { session })

    expect([again.status, verificationIn(again)]).toEqual([
      200,
      { ...refused, status: 'action_required', can_start: false },
    ])
    await press(continue_url, 'reject')
    await untilShown(session, ({ status, reasons }) => status === 'rejected' && reasons.length === 2)
  })

  test('cannot make live payouts while the bank has paused the business, but can afterwards', async () => {
    const { partner, session } = await anApproved()
    const key = await aKey(api, partner, 'live')
    await setBankStatus(partner, { status: 'paused' })
    await untilShown(session, ({ status }) => status === 'in_review')

    expect((await api.get('/v1/compliance', { key })).body['screening']).toBe('blocked')
    expect(codeOf(await aLivePayout(key))).toBe('403 verification_required')
    await setBankStatus(partner, { status: 'approved' })
    await untilShown(session, ({ status }) => status === 'approved')
    expect(codeOf(await aLivePayout(key))).not.toBe('403 verification_required')
  })
})

describe('starting verification is refused', () => {
  test.each(['pending', 'action_required', 'in_review', 'approved'] as const)('while it is %s', async (status) => {
    const { partner, session } = await aBeginner({ verificationStatus: status })

    const answer = await api.post(path, {}, { session })

    expect(codeOf(answer)).toBe('409 invalid_state')
    expect(answer.body.error?.details).toEqual({ status })
    expect(await findPartnerById(api.db, partner.id)).toEqual(partner)
  })

  test('after a final rejection by the bank', async () => {
    const { session } = await aBeginner({ verificationStatus: 'rejected', providerStatus: 'offboarded' })

    expect(codeOf(await api.post(path, {}, { session }))).toBe('409 invalid_state')
    expect(verificationIn(await api.get('/v1/compliance', { session }))).toMatchObject({ can_start: false })
  })

  test('for keys, viewers and suspended partners', async () => {
    const { partner } = await aBeginner()
    const [key, viewer, admin] = [
      await aKey(api, partner, 'sandbox'),
      await aSession(api, partner, 'viewer'),
      await aSession(api, partner),
    ]
    expect(codeOf(await api.post(path, {}, { key }))).toBe('403 api_key_required')
    expect(codeOf(await api.post(path, {}, { session: viewer }))).toBe('403 api_key_required')
    await changePartner(api, partner, { status: 'suspended' })
    expect(codeOf(await api.post(path, {}, { session: admin }))).toBe('403 partner_not_active')
  })

  test.each([
    ['Temporal is unavailable', { temporalAddress: '127.0.0.1:1', bank: true }],
    ['there is no live bank', { bank: false }],
  ])('with 503 while %s, and nothing is started', async (_, { bank: has, ...options }) => {
    const live = has ? { url: `${bank.url}/v0`, key: keys.live } : null
    const other = await startApi({ ...options, bank: { sandbox: null, live } })
    const partner = await aPartner(other, { verificationStatus: 'not_started' })

    const answer = await other.post(path, {}, { session: await aSession(other, partner) })

    expect(codeOf(answer)).toBe('503 service_unavailable')
    expect(await findPartnerById(other.db, partner.id)).toEqual(partner)
    const actions = (await latestActivity(other.db, partner.id, 20)).filter(({ changes }) => changes === 'something')
    expect(actions.map(({ action }) => action)).not.toContain('verification.start')
    await other.close()
  })

  test('for all but one of ten concurrent requests', async () => {
    const { session } = await aBeginner()

    const answers = await Promise.all(Array.from({ length: 10 }, () => api.post(path, {}, { session })))

    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    expect([count(200), count(409)]).toEqual([1, 9])
  })
})

async function aBeginner(changes: Parameters<typeof aPartner>[1] = {}) {
  const partner = await aPartner(api, { verificationStatus: 'not_started', ...changes })
  return { partner, session: await aSession(api, partner) }
}

async function anApproved() {
  const begun = await aBeginner()
  await api.post(path, {}, { session: begun.session })
  await untilShown(begun.session, ({ continue_url }) => continue_url !== null)
  await setBankStatus(begun.partner, { status: 'approved', tos_status: 'approved' })
  await untilShown(begun.session, ({ status }) => status === 'approved')
  return begun
}

/** Makes a choice on the bank's page, as an applicant does. */
async function press(url: string, choice: string): Promise<void> {
  const body = new URLSearchParams({ choice })
  const { status } = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  expect(status).toBe(303)
}

async function setBankStatus(partner: PartnerRow, changes: Json): Promise<void> {
  const { json } = await bank.get(`/kyc_links?email=${partner.contactEmail}`, { environment: 'live' })
  await bank.control('POST', `/customers/${json.data[0].customer_id}/kyc`, changes)
}

function verificationIn({ body }: Answer): Json {
  return body['business_verification']
}

function untilShown(session: string, isIt: (verification: Json) => boolean): Promise<Json> {
  return until('compliance shows the change', async () => {
    const shown = verificationIn(await api.get('/v1/compliance', { session }))
    return isIt(shown) ? shown : null
  })
}

function newLiveKey(session: string): Promise<Answer> {
  return api.post('/v1/keys', { environment: 'live' }, { session })
}

function aLivePayout(key: string): Promise<Answer> {
  return api.post('/v1/payouts', {}, { key, headers: { 'Idempotency-Key': `order-${randomUUID()}` } })
}

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code}`
}
