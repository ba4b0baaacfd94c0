// POST /v1/sandbox/top-ups: test money, created at the sandbox bank and booked once, for admins and sandbox
// keys.
import { expect, test } from '@jest/globals'
import { findWallet } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { startApi, useApi } from '../../support/api/client'
import { aKey, aPartner, aSession, changePartner } from '../../support/api/fixtures'
import { accessTo, still, useSandboxBank } from '../../support/bank/client'
import { aConnectedPartner } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'
import { textOfHistory } from '../../support/temporal/history-text'

const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
const worker = useWorker(() => ({ clock: systemClock, bank: { ...accessTo(bank), live: null } }))
const api = useApi(() => ({
  database: worker.databaseUrl,
  taskQueuePrefix: worker.queuePrefix,
  answerTimeoutMs: 8_000,
}))

const add = (usdc: unknown, session: string, environment = 'sandbox') =>
  api.post(`/v1/sandbox/top-ups?environment=${environment}`, { usdc }, { session })

test('a simulated wallet gets the money immediately, and the statement and the activity list show it', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)

  const { status, body } = await add('250.50', session)

  expect([status, body]).toEqual([201, { object: 'top_up', usdc: '250.50', balance_usdc: '10250.50' }])
  const entries = (await api.get('/v1/wallet/entries', { session })).body.data
  expect(entries?.[0]).toMatchObject({ kind: 'topup', amount_usdc: '250.50', balance_usdc: '10250.50' })
  const [entry] = (await api.get('/v1/activity', { session })).body.data ?? []
  expect(entry).toMatchObject({
    action: 'wallet.credit',
    environment: 'sandbox',
    detail: '250.50 USDC',
    by: expect.stringMatching(/^admin-.*@people\.test$/),
  })
})

test('each top-up of a wallet at the sandbox bank is booked once, and never affects the live wallet', async () => {
  const partner = await aConnectedPartner(worker.db, bank)
  const session = await aSession(api, partner)
  const live = await api.get('/v1/wallet/entries?environment=live', { session })

  const answers = [await add('100.00', session), await add('100.00', session, 'live')]

  expect(answers.map(({ status }) => status)).toEqual([201, 201])
  const wallet = await findWallet(worker.db, partner.id, 'sandbox')
  const { json } = await bank.get(`/customers/${wallet?.customerRef}/wallets/${wallet?.walletRef}`)
  expect(json.balances).toEqual([expect.objectContaining({ currency: 'usdc', balance: '10200.00' })])
  const { body } = await api.get('/v1/wallet/entries', { session })
  const added = body.data?.filter(({ amount_usdc }) => amount_usdc === '100.00')
  expect(added?.map(({ kind, description }) => [kind, description])).toEqual([
    ['topup', 'Top-up'],
    ['topup', 'Top-up'],
  ])
  expect((await api.get('/v1/wallet/entries?environment=live', { session })).body).toEqual(live.body)
})

test('a sandbox key can add money too, and is recorded by its prefix', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')

  const { status, body, headers } = await api.post('/v1/sandbox/top-ups', { usdc: '30.00' }, { key })

  expect([status, body['balance_usdc']]).toEqual([201, '10030.00'])
  const entries = (await api.get('/v1/activity', { key })).body.data ?? []
  const prefix = key.slice(0, 'kp_sandbox_'.length + 8)
  expect(entries.filter(({ action }) => action === 'wallet.credit')).toEqual([
    expect.objectContaining({ detail: '30.00 USDC', by: `key:${prefix}` }),
  ])
  const handle = worker.client.workflow.getHandle(`top-up/${partner.id}/${headers.get('X-Request-Id')}`)
  expect(textOfHistory(await handle.fetchHistory())).not.toContain(key)
})

test('no personal name is in the workflow’s history', async () => {
  const partner = await aPartner(api)
  const { headers } = await add('10.00', await aSession(api, partner))

  const handle = worker.client.workflow.getHandle(`top-up/${partner.id}/${headers.get('X-Request-Id')}`)
  const history = textOfHistory(await handle.fetchHistory())

  expect(history).toContain('10.00')
  expect(history).not.toMatch(/people\.test|Grace/)
})

test('viewers, live keys, suspended partners and amounts out of range are refused', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const key = await aKey(api, partner, 'live')

  const refused = [
    await add('10.00', await aSession(api, partner, 'viewer')),
    await api.post('/v1/sandbox/top-ups', { usdc: '10.00' }, { key }),
    await api.post('/v1/sandbox/top-ups', { usdc: '0.99' }, { key }),
    ...(await Promise.all(['0.99', '100000.01', '10', '-10.00', 10, null].map((usdc) => add(usdc, session)))),
  ]
  await changePartner(api, partner, { status: 'suspended' })
  const suspended = await add('10.00', session)

  expect(refused.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual([
    ...Array(3).fill('403 api_key_required'),
    ...Array(6).fill('422 invalid_request'),
  ])
  expect([suspended.status, suspended.body.error?.code]).toEqual([403, 'partner_not_active'])
})

test('the sixty-first top-up within an hour is 429, and another partner is not affected', async () => {
  const withoutWorker = { temporalAddress: '127.0.0.1:1', answerTimeoutMs: 50 }
  const limited = await startApi({ database: worker.databaseUrl, rateLimit: 'on', ...withoutWorker })
  const [one, other] = [await aPartner(limited), await aPartner(limited)]
  for (const partner of [one, other]) await changePartner(limited, partner, { rateLimitSandbox: 1_000 })
  const sessions = [await aSession(limited, one), await aSession(limited, other)]
  const ask = (session = '') => limited.post('/v1/sandbox/top-ups', { usdc: '10.00' }, { session })

  const first = await Promise.all(Array.from({ length: 60 }, () => ask(sessions[0])))
  const tooMany = await ask(sessions[0])
  const elsewhere = await ask(sessions[1])
  await limited.close()

  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([502]))
  expect([tooMany.status, tooMany.headers.get('Retry-After'), elsewhere.status]).toEqual([429, '60', 502])
})

test('without a worker a top-up is 502 within the time limit, and nothing is created', async () => {
  const alone = await startApi({ database: worker.databaseUrl, answerTimeoutMs: 200 })
  const partner = await aPartner(alone)
  const session = await aSession(alone, partner)

  const { status, body } = await alone.post('/v1/sandbox/top-ups', { usdc: '10.00' }, { session })

  expect([status, body.error?.code]).toEqual([502, 'provider_unavailable'])
  expect((await alone.get('/v1/balance', { session })).body['usdc']).toBe('10000.00')
  await alone.close()
})
