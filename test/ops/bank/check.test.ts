// `bank check` reports problems with the bank's URL, key, environment, clock and webhook.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { registerWebhook } from '../../../activities/bank/webhooks'
import { systemClock } from '../../../runtime/clock'
import { keys, still, useSandboxBank } from '../../support/bank/client'
import { json, useScriptedBank } from '../../support/bank/scripted'
import { aConnectedPartner, railsTo, useRails } from '../../support/stages/payout'
import { runWith, useTerminal } from '../../support/terminal'

interface Report {
  readonly data: readonly {
    readonly environment: string
    readonly url: string | null
    readonly checks: Readonly<Record<string, { readonly state: string; readonly text: string }>>
  }[]
}

const terminal = useTerminal()
const bank = useSandboxBank({ delaysMs: still, fsync: 'off' })
const rails = useRails(bank)
const scripted = useScriptedBank()
const webhookUrl = `http://127.0.0.1:1/webhooks/${randomUUID()}`

beforeAll(async () => {
  // The bank creates a key pair for each webhook, which takes seconds on a busy machine.
  const slowRails = railsTo(bank, { callMs: 30_000 })
  await aConnectedPartner(terminal.db, bank)
  for (const [environment, rail] of [
    ['sandbox', slowRails.provider_sandbox],
    ['live', slowRails.provider_production],
  ] as const)
    await registerWebhook({ db: terminal.db, clock: systemClock, rail }, { environment, url: webhookUrl })
  slowRails.close()
})

afterEach(async () => {
  await bank.control('DELETE', '/faults')
})

const check = (change: Record<string, string> = {}, ...argv: string[]) =>
  runWith(
    {
      ...terminal.env,
      BANK_SANDBOX_URL: `${bank.url}/v0`,
      BANK_SANDBOX_KEY: keys.sandbox,
      BANK_LIVE_URL: `${bank.url}/v0`,
      BANK_LIVE_KEY: keys.live,
      WEBHOOK_URL: webhookUrl,
      ...change,
    },
    ['bank', 'check', ...argv],
  )

/** The failed checks in both environments. */
async function problems(change: Record<string, string>): Promise<string[]> {
  const { code, out } = await check(change, '--json')
  const { data }: Report = JSON.parse(out)
  const failed = data.flatMap(({ environment, checks }) =>
    Object.entries(checks).flatMap(([name, { state, text }]) =>
      state === 'problem' ? [`${environment} ${name}: ${text}`] : [],
    ),
  )
  expect(code).toBe(failed.length === 0 ? 0 : 1)
  return failed
}

test('with a healthy bank, the output has one line per check and no key, and the exit code is 0', async () => {
  const { code, out } = await check()

  expect(code).toBe(0)
  expect(out).toMatch(/^live {2}http:\/\/127\.0\.0\.1:\d+\/v0\n {3}reachable +yes, in \d+ ms\n {3}key +accepted\n/)
  expect(out).toContain('   environment  live: the bank has our wallets\n   clock        within 1 s of ours\n')
  expect(out.match(new RegExp(`   webhook      active, ${webhookUrl}\n`, 'g'))).toHaveLength(2)
  expect(out).toMatch(/\n\nAll checks passed\.\n$/)
  expect(out).not.toContain(keys.live)
  expect(out).not.toContain(keys.sandbox)
})

test.each<[string, () => Record<string, string>, RegExp]>([
  [
    'a rejected key',
    () => ({ BANK_LIVE_KEY: 'sk-live-wrong' }),
    /^live key: key rejected \(HTTP 401 invalid\): correct BANK_LIVE_KEY/,
  ],
  [
    'a key for the other environment',
    () => ({ BANK_LIVE_KEY: keys.sandbox }),
    /^live environment: wrong environment: BANK_LIVE_KEY is a sandbox key$/,
  ],
  [
    'a bank that is down',
    () => ({ BANK_LIVE_URL: 'http://127.0.0.1:1/v0' }),
    /^live reachable: no answer \(connection refused\): check the network and BANK_LIVE_URL/,
  ],
  [
    'a wrong bank URL',
    () => ({ BANK_SANDBOX_URL: `${bank.url}/v9` }),
    /^sandbox reachable: no rate at this address \(HTTP 404/,
  ],
])('%s is reported', async (_, change, expected) => {
  const failed = await problems(change())

  // With a key for the other environment, bank check also reports that the bank does not have our webhook.
  expect(failed[0]).toMatch(expected)
  expect(failed.slice(1).filter((each) => !each.includes('webhook unknown to the bank'))).toEqual([])
})

test('a failing bank is reported', async () => {
  const match = { method: 'GET', path: '/v0/exchange_rates', environment: 'live' }
  await bank.fault({ kind: 'status', status: 500, times: null, match })

  expect(await problems({})).toEqual([
    expect.stringMatching(/^live reachable: failing \(HTTP 500.*\): contact the bank$/),
  ])
  expect((await check()).out).toMatch(/^! {2}reachable +failing \(HTTP 500/m)
})

test('an unknown wallet is reported, because the key may belong to another account', async () => {
  const set = (ref: string) => `UPDATE wallets SET wallet_ref = ${ref} WHERE environment = 'live'`
  await terminal.db.dataSource.query(set(`'x' || wallet_ref`))

  const failed = await problems({})
  await terminal.db.dataSource.query(set('substr(wallet_ref, 2)'))

  expect(failed).toEqual([expect.stringMatching(/^live environment: wrong environment: the bank does not have/)])
})

test('a difference between our clock and the bank’s is reported', async () => {
  const rate = { sell_rate: '0.79', midmarket_rate: '0.791', updated_at: '2026-11-16T00:00:00Z' }
  scripted.answer(({ path }, response) => {
    response.setHeader('Date', new Date(Date.now() + 120_000).toUTCString())
    if (path.startsWith('/v0/exchange_rates')) json(response, 200, rate)
    else json(response, 500, {})
  })

  expect(await problems({ BANK_LIVE_URL: scripted.url })).toEqual([
    expect.stringMatching(/^live clock: clock differs: ours is 1[12]\d s behind the bank's; check the time service/),
  ])
})

test('a missing bank is reported only if partners have wallets at a bank', async () => {
  const none = { BANK_LIVE_URL: '', BANK_LIVE_KEY: '' }

  const withWallets = await problems(none)
  await terminal.db.dataSource.query(`UPDATE wallets SET wallet_ref = NULL WHERE environment = 'live'`)
  const { code, out } = await check(none)

  expect(withWallets).toEqual([
    'live reachable: not configured, but partners have wallets at a bank: set BANK_LIVE_URL and BANK_LIVE_KEY',
  ])
  expect(code).toBe(0)
  expect(out).toMatch(/^live {2}no bank\n {3}reachable {2}not configured: live payouts get 502\n/)
})

test('a missing webhook, a disabled one and one with another URL are reported', async () => {
  const elsewhere = await problems({ WEBHOOK_URL: 'https://payouts.example.test/webhooks/bank' })
  const refs = 'SELECT webhook_ref AS ref FROM bank_webhooks WHERE environment = $1'
  const [{ ref }] = await terminal.db.dataSource.query(refs, ['live'])
  await rails.provider_production.disableWebhook(ref)
  const disabled = await problems({})
  await terminal.db.dataSource.query('DELETE FROM bank_webhooks')
  const missing = await problems({})
  const unwanted = await problems({ WEBHOOK_URL: '' })

  expect(elsewhere).toHaveLength(2)
  expect(elsewhere[0]).toMatch(/^live webhook: webhook address differs: \S+ is registered, WEBHOOK_URL is https:/)
  expect(disabled).toEqual([expect.stringMatching(/^live webhook: webhook disabled at the bank: the next sweep/)])
  expect(missing).toHaveLength(2)
  expect(missing[0]).toMatch(/^live webhook: webhook not registered: a worker's log shows why/)
  expect(unwanted).toEqual([])
})
