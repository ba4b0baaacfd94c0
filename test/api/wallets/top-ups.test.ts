// POST /v1/sandbox/top-ups creates test money at the sandbox bank and books it once, for admins and sandbox
// keys. POST /v1/live/simulated-top-ups does the same for a live wallet at a simulated bank.
import { describe, expect, test } from '@jest/globals'
import { findWallet } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { type Api, startApi, useApi } from '../../support/api/client'
import { aKey, aPartner, aSession, changePartner } from '../../support/api/fixtures'
import { accessTo, still, useSandboxBank } from '../../support/bank/client'
import { aConnectedPartner } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'
import { textOfHistory } from '../../support/temporal/history-text'
import { until } from '../../support/until'

const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
const worker = useWorker(() => ({ clock: systemClock, bank: accessTo(bank) }))
const api = useApi(() => ({
  database: worker.databaseUrl,
  bank: accessTo(bank),
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

test('a sandbox key can also add money, and is recorded by its prefix', async () => {
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

test('the workflow’s history contains no name and no email address', async () => {
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

test('without a worker, a top-up is 502 after the time limit, and the balance is unchanged', async () => {
  const alone = await startApi({ database: worker.databaseUrl, answerTimeoutMs: 200 })
  const partner = await aPartner(alone)
  const session = await aSession(alone, partner)

  const { status, body } = await alone.post('/v1/sandbox/top-ups', { usdc: '10.00' }, { session })

  expect([status, body.error?.code]).toEqual([502, 'provider_unavailable'])
  expect((await alone.get('/v1/balance', { session })).body['usdc']).toBe('10000.00')
  await alone.close()
})

describe('simulated money in live mode', () => {
  const send = (usdc: unknown, session: string, to: Api = api) =>
    to.post('/v1/live/simulated-top-ups?environment=live', { usdc }, { session })
  const balanceOf = async (partnerId: string, environment: 'sandbox' | 'live') =>
    (await findWallet(worker.db, partnerId, environment))?.balanceMicroUsdc

  test('is booked once from the history of the simulated bank, and never affects the sandbox wallet', async () => {
    const partner = await aConnectedPartner(worker.db, bank)
    const session = await aSession(api, partner)
    const sandbox = await balanceOf(partner.id, 'sandbox')

    const answers = [await send('250.50', session), await send('250.50', session)]

    for (const { status, body } of answers)
      expect([status, body]).toEqual([202, { object: 'simulated_top_up', usdc: '250.50' }])
    await until('both are booked', async () => (await balanceOf(partner.id, 'live')) === 10_501_000_000n)
    const live = await findWallet(worker.db, partner.id, 'live')
    const path = `/customers/${live?.customerRef}/wallets/${live?.walletRef}`
    const { json } = await bank.get(path, { environment: 'live' })
    expect(json.balances).toEqual([expect.objectContaining({ currency: 'usdc', balance: '10501.00' })])
    expect(await balanceOf(partner.id, 'sandbox')).toBe(sandbox)
    const { data = [] } = (await api.get('/v1/activity', { session })).body
    expect(data.filter(({ action }) => action === 'wallet.simulate')).toEqual(
      Array(2).fill(expect.objectContaining({ environment: 'live', detail: '250.50 USDC', status: 202 })),
    )
  })

  test.each([
    ['a real bank', { url: 'https://bank.example/v0', key: 'secret' }],
    ['a bank on another machine', { url: 'http://10.0.0.7:8800/v0', key: 'secret' }],
    ['no bank', null],
  ])('is refused with %s', async (_, live) => {
    const real = await startApi({ database: worker.databaseUrl, bank: { sandbox: accessTo(bank).sandbox, live } })
    const partner = await aConnectedPartner(worker.db, bank)
    const before = await balanceOf(partner.id, 'live')

    const { status, body } = await send('10.00', await aSession(real, partner), real)

    expect([status, body.error]).toEqual([
      409,
      expect.objectContaining({ code: 'invalid_state', details: { status: 'real_bank' } }),
    ])
    expect(real.deps.liveBank).toBeNull()
    expect(await balanceOf(partner.id, 'live')).toBe(before)
    await real.close()
  })

  test('is available only to admins of a verified partner, and only within the limits', async () => {
    const partner = await aConnectedPartner(worker.db, bank)
    const beginner = await aPartner(api, { verificationStatus: 'not_started' })
    const key = await aKey(api, await aPartner(api), 'live')

    const refused = [
      await send('10.00', await aSession(api, partner, 'viewer')),
      await api.post('/v1/live/simulated-top-ups', { usdc: '10.00' }, { key }),
      await send('0.99', await aSession(api, partner)),
      await send('100000.01', await aSession(api, partner)),
      await send('10.00', await aSession(api, beginner)),
    ]

    expect(refused.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual([
      ...Array(2).fill('403 api_key_required'),
      ...Array(2).fill('422 invalid_request'),
      '409 invalid_state',
    ])
  })
})
