// The confirm code for a live payout from the dashboard is valid for exactly one payout, and only once.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { boundToPayout } from '../../../api/payouts/confirmation'
import { readPayoutRequest } from '../../../api/payouts/request/order'
import { confirmCodeBinding } from '../../../api/sign-in/confirm-codes'
import { takeMails } from '../../../db/partners/mails'
import { membershipsOf } from '../../../db/partners/members'
import type { PartnerRow } from '../../../db/partners/partners'
import { giveCodeBack, issueCode } from '../../../db/sign-in/codes'
import { createSimulatedRail } from '../../../rail/simulated'
import { testKeyring, useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aSession, changePartner, deposit } from '../../support/api/fixtures'
import { aRequest } from '../../support/api/payout-world'
import type { Json } from '../../support/bank/client'

const start = '2026-11-16T12:00:00Z'
const clock = aClock(start)
const simulated = createSimulatedRail({ clock })
const api = useApi({ clock, rails: { simulated, provider_production: simulated } })
let partner: PartnerRow
let session: string

beforeEach(async () => {
  clock.set(start)
  partner = await aFundedPartner()
  session = await aSession(api, partner)
})
async function aFundedPartner(): Promise<PartnerRow> {
  const opened = await aPartner(api)
  await deposit(api, opened, { microUsdc: 1_000_000_000n })
  return opened
}

const wanted = aRequest({ recipient: { bank: { account_number: '12340008' } } })
const aKeyName = () => `order-${randomUUID()}`

const askFor = (body: Json, key: string, by = session, environment = 'live') =>
  api.post(`/v1/payouts/confirm-codes?environment=${environment}`, body, {
    session: by,
    headers: { 'Idempotency-Key': key },
  })

const pay = (body: Json, key: string, confirm_code?: string, by = session, environment = 'live') =>
  api.post(`/v1/payouts?environment=${environment}`, confirm_code === undefined ? body : { ...body, confirm_code }, {
    session: by,
    headers: { 'Idempotency-Key': key },
  })

/** The only queued email to that address. */
async function mailTo(address: unknown) {
  const anHourLater = new Date(clock.now().getTime() + 3_600_000)
  const mails = await takeMails(api.db, testKeyring, { at: clock.now(), leaseUntil: anHourLater, limit: 100 })
  const [mail, ...others] = mails.map((each) => each.mail).filter((each) => each?.to.address === address)
  if (!mail || others.length > 0) throw new Error('expected exactly one mail')
  return mail
}

async function codeFor(body: Json, key: string, by = session): Promise<string> {
  const { status, body: answer } = await askFor(body, key, by)
  expect(status).toBe(202)
  return (await mailTo(answer['sent_to'])).subject.slice(0, 6)
}

async function memberOf(email: unknown): Promise<string> {
  const [member] = await membershipsOf(api.db, String(email), api.clock.now())
  return member?.memberId ?? ''
}

const stored = async () => (await api.get('/v1/payouts?environment=live', { session })).body.data?.length

const refusal = { status: 422, code: 'invalid_confirm_code' }
const outcomeOf = ({ status, body }: Awaited<ReturnType<typeof pay>>) => ({ status, code: body.error?.code })
const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000')

test('an admin makes a live payout with the emailed code, and the activity list shows it with their email', async () => {
  const key = aKeyName()
  const { body: asked } = await askFor(wanted, key)
  const code = (await mailTo(asked['sent_to'])).subject.slice(0, 6)

  const { status, body } = await pay(wanted, key, code)

  expect([status, body['created_via'], body['environment']]).toEqual([201, 'dashboard', 'live'])
  const activity = (await api.get('/v1/activity', { session })).body.data ?? []
  expect(activity.slice(0, 2).map(({ action, by, detail }) => [action, by, detail])).toEqual([
    ['payout.create', asked['sent_to'], body['id']],
    ['payout.confirm', asked['sent_to'], '120.00 GBP'],
  ])
})

test('the email shows the code, amount, recipient, sort code and last four digits, but not the full account number', async () => {
  const key = aKeyName()
  const { body } = await askFor(
    aRequest({ ...wanted, recipient: { ...wanted['recipient'], last_name: '<img src=x onerror=alert(1)>' } }),
    key,
  )

  const { subject, text, html } = await mailTo(body['sent_to'])

  expect(subject).toMatch(/^\d{6} is your code to confirm £120\.00 to Ada <img/)
  expect(text).toMatch(
    /£120\.00[^]*20-04-15[^]*ending 0008[^]*Ada <img src=x onerror=alert\(1\)>[^]*Invoice 1042[^]*Acme Ltd/,
  )
  expect(html).not.toContain('<img')
  expect(subject + text + html).not.toContain('12340008')
})

test('nothing is stored without a code or with a wrong one', async () => {
  const key = aKeyName()
  const code = await codeFor(wanted, key)

  const answers = [await pay(wanted, key), await pay(wanted, key, wrongFor(code))]

  expect(answers.map(outcomeOf)).toEqual([refusal, refusal])
  expect(await stored()).toBe(0)
})

describe('a code is for one payout', () => {
  const { recipient } = wanted
  test.each<[string, Json]>([
    ['another amount', { amount_gbp: '121.00' }],
    ['another account', { recipient: { ...recipient, bank: { ...recipient['bank'], account_number: '12350008' } } }],
    ['another sort code', { recipient: { ...recipient, bank: { ...recipient['bank'], sort_code: '200416' } } }],
    ['another name', { recipient: { ...recipient, first_name: 'Eda' } }],
    ['another reference', { reference: 'Invoice 1043' }],
  ])('a code is refused for %s, and the payout it was emailed for can still be made', async (_what, change) => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)

    const changed = await pay({ ...wanted, ...change }, key, code)
    const unchanged = await pay(wanted, key, code)

    expect([outcomeOf(changed), unchanged.status]).toEqual([refusal, 201])
  })

  test('a code is refused with another idempotency key, in another partner’s account and from another admin', async () => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)
    const theirs = await aSession(api, await aFundedPartner())
    const colleague = await aSession(api, partner)

    const answers = [
      await pay(wanted, aKeyName(), code),
      await pay(wanted, key, code, theirs),
      await pay(wanted, key, code, colleague),
    ]

    expect(answers.map(outcomeOf)).toEqual([refusal, refusal, refusal])
  })

  test('a used code cannot pay again, but the same key replays without a code', async () => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)
    const first = await pay(wanted, key, code)

    const other = await pay(wanted, aKeyName(), code)
    const again = [await pay(wanted, key), await pay(wanted, key, code), await pay(wanted, key, wrongFor(code))]

    const [codeRow] = await api.db.dataSource.query('SELECT used_at FROM codes WHERE used_for = $1', [first.body['id']])
    expect(codeRow.used_at).toEqual(clock.now())
    expect(outcomeOf(other)).toEqual(refusal)
    expect(again.map(({ status, headers, body }) => [status, headers.get('Idempotent-Replayed'), body['id']])).toEqual(
      again.map(() => [200, 'true', first.body['id']]),
    )
    expect(await stored()).toBe(1)
  })

  test('twenty concurrent requests with the right code create one payout', async () => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)

    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(wanted, key, code)))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1)
  })

  test('a sign-in code, or a code for another action, cannot confirm a payout', async () => {
    const key = aKeyName()
    const { body } = await askFor(wanted, key)
    const memberId = await memberOf(body['sent_to'])
    const idempotency = { partnerId: partner.id, environment: 'live', idempotencyKey: key } as const
    const bound = boundToPayout(idempotency, readPayoutRequest(wanted))
    const boundTo = confirmCodeBinding(testKeyring, partner.id, bound)
    const about = { perHour: 50, at: new Date(clock.now().getTime() + 1) }
    const codes = await api.db.transaction(async (tx) => [
      await issueCode(tx, testKeyring, { ...about, purpose: 'sign_in', subject: String(body['sent_to']), boundTo }),
      await issueCode(tx, testKeyring, { ...about, purpose: 'sign_in', subject: memberId, boundTo }),
      await issueCode(tx, testKeyring, { ...about, purpose: 'confirm', subject: memberId, boundTo: randomBytes(32) }),
    ])

    for (const code of codes) {
      expect(outcomeOf(await pay(wanted, key, code.outcome === 'issued' ? code.code : ''))).toEqual(refusal)
    }
  })
})

describe('limits on codes', () => {
  test('five wrong attempts void a code, and then even the right code is refused', async () => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)
    for (let tried = 0; tried < 5; tried++) await pay(wanted, key, wrongFor(code))

    expect(outcomeOf(await pay(wanted, key, code))).toEqual(refusal)
    expect(await stored()).toBe(0)
  })

  test('only five of a hundred concurrent guesses count', async () => {
    const key = aKeyName()
    const { body } = await askFor(wanted, key)
    const code = (await mailTo(body['sent_to'])).subject.slice(0, 6)
    const guesses = Array.from({ length: 100 }, (_each, guess) => String(guess).padStart(6, '0'))

    await Promise.all(guesses.filter((guess) => guess !== code).map((guess) => pay(wanted, key, guess)))

    const subject = await memberOf(body['sent_to'])
    expect(await api.db.dataSource.query('SELECT tries FROM codes WHERE subject = $1', [subject])).toEqual([
      { tries: 5 },
    ])
    expect(outcomeOf(await pay(wanted, key, code))).toEqual(refusal)
  })

  test('requests with the right code that are refused for another reason do not count as attempts', async () => {
    await changePartner(api, partner, { maxPayoutPence: 10_000n })
    const key = aKeyName()
    const code = await codeFor(wanted, key)
    for (let tried = 0; tried < 7; tried++)
      expect((await pay(wanted, key, code)).body.error?.code).toBe('invalid_amount')

    await changePartner(api, partner, { maxPayoutPence: 100_000n })

    expect((await pay(wanted, key, code)).status).toBe(201)
  })

  test('a code expires after ten minutes', async () => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)
    clock.set('2026-11-16T12:10:00Z')

    expect(outcomeOf(await pay(wanted, key, code))).toEqual(refusal)
  })

  test('a newer code replaces the older one', async () => {
    const key = aKeyName()
    const older = await codeFor(wanted, key)
    let newer = older
    // Requests another code if the two are equal, because the test could not distinguish them.
    for (let minute = 1; newer === older; minute++) {
      clock.set(`2026-11-16T12:0${minute}:00Z`)
      newer = await codeFor(wanted, key)
    }

    expect(outcomeOf(await pay(wanted, key, older))).toEqual(refusal)
    expect((await pay(wanted, key, newer)).status).toBe(201)
  })

  test('a member gets at most twenty codes an hour', async () => {
    for (let asked = 0; asked < 20; asked++) expect((await askFor(wanted, aKeyName())).status).toBe(202)

    const { status, headers } = await askFor(wanted, aKeyName())

    expect([status, headers.get('Retry-After')]).toEqual([429, '3600'])
    expect((await askFor(wanted, aKeyName(), await aSession(api, partner))).status).toBe(202)
  })
})

test('a request without a code is refused before the account’s limits are checked', async () => {
  await changePartner(api, partner, { maxPayoutPence: 10_000n })

  expect(outcomeOf(await pay(wanted, aKeyName()))).toEqual(refusal)
})

test('a payout that our own ledger refused can be retried with the same code', async () => {
  const key = aKeyName()
  const dear = { ...wanted, amount_gbp: '5000.00' }
  const code = await codeFor(dear, key)

  const refused = await pay(dear, key, code)

  expect([refused.status, refused.body.error?.code]).toEqual([402, 'insufficient_funds'])
  expect((await pay(dear, key, code)).status).toBe(402)
})

test('a code that became usable again works for its own payout only', async () => {
  const key = aKeyName()
  const code = await codeFor(wanted, key)
  const { body } = await pay(wanted, key, code)
  await api.db.transaction((tx) => giveCodeBack(tx, { usedFor: String(body['id']) }))

  expect(outcomeOf(await pay(wanted, aKeyName(), code))).toEqual(refusal)
  expect((await pay(wanted, key, code)).status).toBe(200)
})

describe('requesting a code', () => {
  test('is allowed only for an admin in live mode, and the sandbox needs no code', async () => {
    const viewer = await aSession(api, partner, 'viewer')
    const key = await aKey(api, partner, 'live')

    const refused = [
      await askFor(wanted, aKeyName(), viewer),
      await api.post('/v1/payouts/confirm-codes', wanted, { key, headers: { 'Idempotency-Key': aKeyName() } }),
      await pay(wanted, aKeyName(), undefined, viewer),
      await askFor(wanted, aKeyName(), session, 'sandbox'),
    ]

    expect(refused.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual([
      '403 api_key_required',
      '403 api_key_required',
      '403 api_key_required',
      '409 invalid_state',
    ])
    expect((await pay(wanted, aKeyName(), undefined, session, 'sandbox')).status).toBe(201)
    expect((await api.post('/v1/payouts', wanted, { key, headers: { 'Idempotency-Key': aKeyName() } })).status).toBe(
      201,
    )
  })

  test('is refused for a member of an unverified or inactive partner, and for a key that already has its payout', async () => {
    const key = aKeyName()
    const code = await codeFor(wanted, key)
    const { body } = await pay(wanted, key, code)
    const taken = await askFor(wanted, key)
    await changePartner(api, partner, { verificationStatus: 'pending' })
    const unverified = await askFor(wanted, aKeyName())
    await changePartner(api, partner, { status: 'suspended' })
    const suspended = [await askFor(wanted, aKeyName()), await askFor(wanted, key)]

    expect([taken.status, taken.body.error?.details]).toEqual([409, { status: 'pending', payout_id: body['id'] }])
    expect([unverified, ...suspended].map(({ status, body: { error } }) => `${status} ${error?.code}`)).toEqual([
      '403 verification_required',
      '403 partner_not_active',
      '403 partner_not_active',
    ])
  })

  test.each([
    ['no idempotency key', wanted, '', 'idempotency_key_required'],
    ['a code in the request', { ...wanted, confirm_code: '123456' }, aKeyName(), 'invalid_request'],
    ['an invalid amount', { ...wanted, amount_gbp: '0.99' }, aKeyName(), 'invalid_amount'],
  ])('is refused with %s', async (_what, body, key, code) => {
    expect((await askFor(body, key)).body.error?.code).toBe(code)
  })
})
