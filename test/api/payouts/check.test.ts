// POST /v1/payouts/check warns of a payout with the same account and amount within a day, and stores nothing.

import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { nearMissesPerCallerAndHour } from '../../../domain/limits'
import { startApi, testKeyring, useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow, useCaller } from '../../support/api/fixtures'
import { aRequest } from '../../support/api/payout-world'
import type { Json } from '../../support/bank/client'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })
const { partner, caller } = useCaller(api)

const account = '12345678'
const wanted = aRequest({ recipient: { bank: { account_number: account } } })
const similar = async (body = wanted) => (await api.post('/v1/payouts/check', body, caller)).body['similar']

test('the check lists payouts of the last day to the same account with the same amount, newest first', async () => {
  const older = await aPayoutRow(api, partner, { account, createdAt: new Date('2026-11-15T12:00:00Z') })
  const newer = await aPayoutRow(api, partner, { account, status: 'processing' })
  await aPayoutRow(api, partner, { account, createdAt: new Date('2026-11-15T11:59:59.999Z') })
  await aPayoutRow(api, partner, { account, amountPence: 12_001n })
  await aPayoutRow(api, partner, { account: '99995678' })
  await aPayoutRow(api, partner, { account, status: 'failed' })
  await aPayoutRow(api, partner, { account, status: 'returned' })
  await aPayoutRow(api, partner, { account, environment: 'live' })
  await aPayoutRow(api, await aPartner(api), { account })

  expect(await similar()).toEqual([
    { id: newer.id, created_at: '2026-11-16T12:00:00.000Z', status: 'processing' },
    { id: older.id, created_at: '2026-11-15T12:00:00.000Z', status: 'completed' },
  ])
  expect(await similar({ ...wanted, amount_gbp: '120.02' })).toEqual([])
})

test('the check finds an account that was hashed with an older secret key', async () => {
  const old = testKeyring.all('account')[1]
  const hash = createHmac('sha256', old?.bytes ?? '')
    .update(`200415:${account}`)
    .digest()
  const row = await aPayoutRow(api, partner, { account, accountHash: hash, accountHashKeyId: 'k1' })

  expect(await similar()).toEqual([expect.objectContaining({ id: row.id })])
})

test('the check includes payouts with an unknown outcome, and excludes released ones', async () => {
  const undecided = { verdict: null, verdictAt: null, answeredAt: null } as const
  const row = await aPayoutRow(api, partner, { account, status: 'pending', ...undecided })
  await aPayoutRow(api, partner, { account, status: 'pending', releasedAt: clock.now() })

  expect(await similar()).toEqual([expect.objectContaining({ id: row.id, status: 'pending' })])
})

test('the check shows the name and the reference that the bank receives', async () => {
  const business = { type: 'business', first_name: 'The', last_name: 'Worshipful Company of Haberdashers Ltd' }
  const receives = async (change: Json) =>
    (await api.post('/v1/payouts/check', aRequest(change), caller)).body['bank_receives']

  expect(await receives({ recipient: business, reference: 'Invoice 1042 – Müller' })).toEqual({
    recipient_name: 'The Worshipful Company of Haberdash',
    reference: 'Invoice 1042 Mulle',
  })
  expect(await receives({ reference: '発票' })).toEqual({ recipient_name: 'Ada Lovelace', reference: null })
})

test('guesses at a payout’s account are limited, and above the limit even the right account is refused', async () => {
  const limited = await startApi({ clock, database: api.databaseUrl, rateLimit: 'on' })
  const victim = await aPartner(api, { rateLimitSandbox: 10_000 })
  const guesser = await aKey(api, victim, 'sandbox')
  await aPayoutRow(api, victim, { account })
  const check = (account_number: string) =>
    limited.post('/v1/payouts/check', aRequest({ recipient: { bank: { account_number } } }), { key: guesser })

  const unrelated = await check('12345670')
  const statuses: number[] = []
  for (let n = 0; n <= nearMissesPerCallerAndHour; n++) statuses.push((await check(`${2000 + n}5678`)).status)
  const right = await check(account)
  await limited.close()

  expect(unrelated.status).toBe(200)
  expect(statuses).toEqual([...Array(nearMissesPerCallerAndHour).fill(200), 429])
  expect([right.status, right.headers.get('Retry-After')]).toEqual([429, '36'])
})

test('the check creates no payout, and refuses an invalid one', async () => {
  await similar()
  const wrong = await api.post('/v1/payouts/check', { ...wanted, amount_gbp: '0.99' }, caller)

  expect((await api.get('/v1/payouts', caller)).body.data).toEqual([])
  expect([wrong.status, wrong.body.error?.code]).toEqual([422, 'invalid_amount'])
})
