// A rate that is stale or has jumped blocks quotes, balances, payouts and debits until the bank quotes a valid
// rate or an operator accepts the jump.
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { type MetricsServer, startMetrics } from '../../support/api/a-metrics-server'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { scrape } from '../../support/api/scrape'
import { keys } from '../../support/bank/client'
import { oneSentence, runWith } from '../../support/terminal'

/** How far our clock is ahead of the bank's, which uses the system time. */
let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }
const world = usePayoutWorld({ clock, workers: 'none', payouts: { answerTimeoutMs: 100 } })
let payer: Payer
let metrics: MetricsServer

beforeAll(async () => {
  payer = await world.aPayer()
})

/**
 * Each test begins with 0.79 accepted in both environments. Metrics are cached for 5 s, so each
 * test has its own metrics server.
 */
beforeEach(async () => {
  await world.bank.control('DELETE', '/faults')
  await world.api.db.dataSource.query('DELETE FROM exchange_rates')
  past(31_000)
  for (const environment of ['sandbox', 'live'] as const) await balance(environment)
  past(31_000)
  metrics = await startMetrics(world.api)
})
afterEach(() => metrics.close())

test('with a rate of 0.079 from ten days ago, balance, quote and payout requests get 502, and nothing is debited', async () => {
  const before = await debits()
  await world.bank.fault({ kind: 'rate_jump', sell_rate: '0.079' })
  await world.bank.fault({ kind: 'rate_stale', ms: 10 * 86_400_000 })

  const answers = [await balance(), await quote(), await world.pay(payer)]

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [502, 'provider_unavailable'],
    [502, 'provider_unavailable'],
    [502, 'payout_not_created'],
  ])
  expect(await debits()).toEqual(before)
  const { value } = await scrape(metrics.url)
  expect(value('payouts_rate_rejected{environment="sandbox",reason="stale"}')).toBe(1)
  expect(value('payouts_rate_rejected{environment="sandbox",reason="jump"}')).toBe(0)
  expect(value('payouts_rate_rejected{environment="live",reason="stale"}')).toBe(0)
})

test('a jump of 6% is refused until an operator accepts it', async () => {
  await world.bank.fault({ kind: 'rate_jump', sell_rate: '0.7426' })

  const refused = [await quote(), await world.pay(payer)]
  const shown = await rates<Shown>('show', '--environment', 'sandbox', '--json')
  const accepted = await ops(
    'accept',
    '0.7426',
    '--environment',
    'sandbox',
    '--reason',
    'Checked with two other sources',
  )
  past(5_001)
  const [quoted, paid] = [await quote(), await world.pay(payer, { amount_gbp: '74.26' })]
  const { value } = await scrape(metrics.url)

  expect(refused.map(({ status }) => status)).toEqual([502, 502])
  expect(shown.data).toEqual([
    expect.objectContaining({
      environment: 'sandbox',
      state: 'rejected',
      rejection: 'jump',
      gbp_per_usd: '0.7426',
      midmarket_gbp_per_usd: '0.7444565',
      accepted_gbp_per_usd: '0.79',
      explanation: expect.stringContaining('6.00 % from the last accepted rate; at most 5.00 % is allowed now'),
    }),
  ])
  expect([accepted.code, accepted.out]).toEqual([
    0,
    'The rate 0.7426 is accepted in sandbox; quotes and payouts use it within 5 seconds.\n',
  ])
  expect([quoted.status, quoted.body['exchange_rate'], paid.status]).toEqual([200, { gbp_per_usd: 0.7426 }, 201])
  expect(value('payouts_rate_rejected{environment="sandbox",reason="jump"}')).toBe(0)
})

test('an acceptance stores the operator, the reason and the previous rate, and the activity list omits the reason', async () => {
  await world.bank.fault({ kind: 'rate_jump', sell_rate: '0.85', match: { environment: 'live' } })

  const { code } = await ops('accept', '0.85', '--environment', 'live', '--reason', 'Ticket 4711')

  expect(code).toBe(0)
  const rows = await world.api.db.dataSource.query('SELECT * FROM rate_acceptances ORDER BY accepted_at DESC LIMIT 1')
  expect(rows).toEqual([
    expect.objectContaining({
      rail: 'provider_production',
      accepted_nano: 850_000_000n,
      previous_nano: 790_000_000n,
      reason: 'Ticket 4711',
      accepted_by: 'ops:ada',
    }),
  ])
  const activity = (await latestActivity(world.api.db, payer.id, 100)).find(({ detail }) => detail === '0.85')
  const change = { environment: 'live', action: 'rate.accept', madeBy: 'ops:ada', detail: '0.85', changes: 'something' }
  expect(activity).toMatchObject(change)
  await expect(world.api.db.dataSource.query('DELETE FROM rate_acceptances')).rejects.toThrow('rate_acceptances')
})

test('only the exact rate that the bank quotes can be accepted, and only if it jumped', async () => {
  const accept = (rate: string) => ops('accept', rate, '--environment', 'sandbox', '--reason', 'Checked')

  const usable = await accept('0.79')
  await world.bank.fault({ kind: 'rate_jump', sell_rate: '0.7' })
  const typo = await accept('0.07')
  await world.bank.fault({ kind: 'rate_stale', ms: 16 * 60_000 })
  const stale = await accept('0.7')

  expect([usable, typo, stale].map(({ code }) => code)).toEqual([2, 2, 2])
  expect([usable, typo, stale].map(({ err }) => err)).toEqual([
    'The rate is not rejected, so there is nothing to accept.\n',
    'The bank now quotes 0.7, so nothing was accepted.\n',
    expect.stringMatching(/^Only a jump can be accepted: the rate is \d+ s old; at most 900 s is allowed/),
  ])
  for (const { err } of [usable, typo, stale]) expect(err).toMatch(oneSentence)
  past(31_000)
  expect((await quote()).status).toBe(502)
})

test('rate show reports an accepted rate, an unavailable bank and a missing bank, and rate accept needs a bank that answers', async () => {
  const both = await ops('show')
  const unavailable = await runWith({ ...env(), BANK_LIVE_URL: 'http://127.0.0.1:1/v0', BANK_SANDBOX_URL: '' }, [
    'rate',
    'show',
  ])
  const refused = await runWith({ ...env(), BANK_SANDBOX_URL: 'http://127.0.0.1:1/v0' }, accepting)

  expect(both.out).toMatch(/^ENVIRONMENT .*\nsandbox +accepted +0\.79 .*\nlive +accepted +0\.79 .*\n$/)
  expect(unavailable.out).toMatch(/^sandbox +no_bank +- .*\nlive +no_answer +- +- +- +0\.79 /m)
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^The bank does not answer/)])
})

const accepting = ['rate', 'accept', '0.79', '--environment', 'sandbox', '--reason', 'Checked']

interface Shown {
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

const ops = (...argv: string[]) => runWith(env(), ['rate', ...argv])

async function rates<Value>(...argv: string[]): Promise<Value> {
  return JSON.parse((await ops(...argv)).out)
}

function env(): Record<string, string> {
  const url = `${world.bank.url}/v0`
  return {
    DATABASE_URL: world.api.databaseUrl,
    OPS_USER: 'ada',
    BANK_SANDBOX_URL: url,
    BANK_SANDBOX_KEY: keys.sandbox,
    BANK_LIVE_URL: url,
    BANK_LIVE_KEY: keys.live,
  }
}

const balance = (environment: 'sandbox' | 'live' = 'sandbox') =>
  world.api.get('/v1/balance', { key: payer.keys[environment] })
const quote = () => world.api.post('/v1/quotes', { amount_gbp: '100.00' }, { key: payer.keys.sandbox })

/** The number of ledger sets and payouts, which a refused request must not change. */
async function debits(): Promise<unknown> {
  return world.api.db.dataSource.query(
    `SELECT (SELECT count(*)::integer FROM ledger_sets) AS sets, (SELECT count(*)::integer FROM payouts) AS payouts`,
  )
}

function past(ms: number): void {
  aheadMs += ms
}
