// Business metrics from a real database: open payouts, durations and everything that needs an operator.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { type MetricsServer, startMetrics } from '../../support/api/a-metrics-server'
import { type Api, startApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'
import { scrape } from '../../support/api/scrape'
import { type Tap, tapped } from '../../support/db/tapped'
import { until } from '../../support/until'

const now = '2026-11-15T12:00:00.000Z'
const anHourAgo = new Date('2026-11-15T11:00:00.000Z')
let api: Api
let clock: ReturnType<typeof aClock>
let metrics: MetricsServer
let url: string
let others: MetricsServer[]

beforeEach(async () => {
  clock = aClock(now)
  api = await startApi({ clock })
  metrics = await startMetrics(api)
  url = metrics.url
  others = []
})

afterEach(async () => {
  for (const server of [metrics, ...others]) server.close()
  await api.close()
})

test('open payouts are counted by status, with their total and the age of the oldest', async () => {
  const partner = await aPartner(api)
  await aPayoutRow(api, partner, { status: 'pending', createdAt: anHourAgo })
  await aPayoutRow(api, partner, { status: 'pending' })
  await aPayoutRow(api, partner, { status: 'processing' })
  await aPayoutRow(api, partner, { status: 'completed', closedAt: clock.now() })
  await aPayoutRow(api, partner, { status: 'pending', releasedAt: clock.now(), answeredAt: null })

  const { value } = await scrape(url)

  expect(value('payouts_open{environment="sandbox",status="pending"}')).toBe(2)
  expect(value('payouts_open{environment="sandbox",status="processing"}')).toBe(1)
  expect(value('payouts_open{environment="live",status="pending"}')).toBe(0)
  expect(value('payouts_oldest_open_seconds{environment="sandbox",status="pending"}')).toBe(3_600)
  expect(value('payouts_held_usdc{environment="sandbox"}')).toBeCloseTo(3 * 153.3, 6)
  expect(value('payouts_database_up')).toBe(1)
})

test('a pending payout’s age counts from its bank call, or from when it could have been sent, excluding pauses', async () => {
  const partner = await aPartner(api)
  const pending = { status: 'pending', createdAt: anHourAgo } as const
  await aPayoutRow(api, partner, { ...pending, submitStartedAt: null })
  await aPayoutRow(api, partner, { ...pending, submitStartedAt: new Date('2026-11-15T11:10:00.000Z') })
  await aPayoutRow(api, partner, { ...pending, submitStartedAt: null, environment: 'live' })
  const pauses = (change: string) => api.db.dataSource.query(change)

  const open = await scrape(url)
  await pauses(`INSERT INTO rail_pauses (id, environment, paused_at, paused_by)
    VALUES (gen_random_uuid(), 'sandbox', '2026-11-15T11:20:00Z', 'ops')`)
  const paused = await scrapeLater()
  await pauses(`UPDATE rail_pauses SET resumed_at = '${now}', resumed_by = 'ops'`)
  const resumed = await scrapeLater()

  const [called, notCalled] = ['called', 'not_called'].map(
    (bank) => `payouts_oldest_pending_seconds{environment="sandbox",bank="${bank}"}`,
  )
  expect([open, paused, resumed].map(({ value }) => value(String(called)))).toEqual([3_000, 3_006, 3_012])
  expect([open, paused, resumed].map(({ value }) => value(String(notCalled)))).toEqual([3_600, 0, 12])
  expect(paused.value('payouts_oldest_pending_seconds{environment="live",bank="not_called"}')).toBe(3_606)
})

test('an unsent payout of a suspended partner waits intentionally, so its age is not counted', async () => {
  const partner = await aPartner(api)
  await aPayoutRow(api, partner, { status: 'pending', createdAt: anHourAgo, submitStartedAt: null })
  await api.db.dataSource.query(`UPDATE partners SET status = 'suspended' WHERE id = $1`, [partner.id])

  const { value } = await scrape(url)

  expect(value('payouts_open{environment="sandbox",status="pending"}')).toBe(1)
  expect(value('payouts_oldest_pending_seconds{environment="sandbox",bank="not_called"}')).toBe(0)
})

test('payouts that need attention, held deposits, unread wallets, quarantined events, drifts and pauses are counted', async () => {
  const partner = await aPartner(api)
  const { walletId } = await aPayoutRow(api, partner, { attention: 'outcome_overdue', closedAt: clock.now() })
  await aPayoutRow(api, partner, { environment: 'live', status: 'completed', attention: 'can_not_book_charge' })
  await api.db.dataSource.query(
    `INSERT INTO held_deposits (id, wallet_id, bank_ref, amount_micro_usdc, why, found_at)
    VALUES (gen_random_uuid(), '${walletId}', 'movement-1', 12500000, 'unknown', '${now}')`,
  )
  await api.db.dataSource.query(
    `INSERT INTO wallet_reading_failures (wallet_id, since, failed_at, failures, reason)
    VALUES ('${walletId}', timestamptz '${now}' - interval '20 minutes', '${now}', 4, 'failed')`,
  )
  await api.db.dataSource.query(
    `INSERT INTO bank_events (id, environment, event_id, category, received_at, outcome)
    VALUES (gen_random_uuid(), 'live', 'event-1', 'transfer', '${now}', 'quarantined')`,
  )

  await api.db.dataSource.query(
    `INSERT INTO drifts (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at, resolved_at)
    SELECT gen_random_uuid(), 'bank_balance', '${walletId}', 'wallet-' || n, '1', '2', '${now}', '${now}',
      CASE WHEN n = 3 THEN timestamptz '${now}' END FROM generate_series(1, 3) n`,
  )
  await api.db.dataSource.query(
    `INSERT INTO drifts (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at)
    VALUES (gen_random_uuid(), 'silent_payout', '${walletId}', 'payout-1', 'news', 'none', '${now}', '${now}')`,
  )
  await api.db.dataSource.query(`UPDATE partners SET requested_name = 'Acme Bank plc' WHERE id = '${partner.id}'`)
  await api.db.dataSource.query(
    `INSERT INTO rail_pauses (id, environment, paused_at, paused_by) VALUES (gen_random_uuid(), 'live', '${now}', 'ops')`,
  )

  const { value } = await scrape(url)

  expect(value('payouts_drifts{environment="sandbox",kind="bank_balance"}')).toBe(2)
  expect(value('payouts_drifts{environment="sandbox",kind="silent_payout"}')).toBe(1)
  expect(value('payouts_drifts{environment="live",kind="bank_balance"}')).toBe(0)
  expect(value('payouts_rail_paused{environment="live"}')).toBe(1)
  expect(value('payouts_attention{environment="sandbox"}')).toBe(1)
  expect(value('payouts_not_charged{environment="sandbox"}')).toBe(0)
  expect(value('payouts_not_charged{environment="live"}')).toBe(1)
  expect(value('payouts_held_deposits{environment="sandbox"}')).toBe(1)
  expect(value('payouts_held_deposits_usdc{environment="sandbox"}')).toBe(12.5)
  expect(value('payouts_wallets_not_read{environment="sandbox"}')).toBe(1)
  expect(value('payouts_wallet_not_read_seconds{environment="sandbox"}')).toBe(1_200)
  expect(value('payouts_wallet_not_read_seconds{environment="live"}')).toBe(0)
  expect(value('payouts_quarantined_events{environment="live"}')).toBe(1)
  expect(value('payouts_requested_names')).toBe(1)
})

test('a final payout is counted once with its duration, even if its event is committed after later ones', async () => {
  const partner = await aPartner(api)
  const [late, soon] = [await anOldPayout(), await anOldPayout()]
  const slow = new Client({ connectionString: api.databaseUrl })
  await slow.connect()
  await slow.query('BEGIN')
  await slow.query(settle(late, 'completed'))
  await api.db.dataSource.query(settle(soon, 'completed'))

  const first = await scrape(url)
  await slow.query('COMMIT')
  await slow.end()
  const second = await scrapeLater()
  const third = await scrapeLater()

  const count = 'payouts_time_to_settle_seconds_count{environment="sandbox"}'
  expect([first, second, third].map(({ value }) => value(count))).toEqual([1, 2, 2])
  expect(third.value('payouts_finished_total{environment="sandbox",status="completed"}')).toBe(2)
  const bucket = (le: number) => `payouts_time_to_settle_seconds_bucket{environment="sandbox",le="${le}"}`
  expect([third.value(bucket(1_800)), third.value(bucket(3_600))]).toEqual([0, 2])

  async function anOldPayout(): Promise<string> {
    return (await aPayoutRow(api, partner, { createdAt: anHourAgo, closedAt: clock.now() })).id
  }
})

test('old final payouts are not read again, and are still counted', async () => {
  const { id } = await aPayoutRow(api, await aPartner(api), { closedAt: clock.now() })
  const read: unknown[] = []
  const url = await metricsOn(async ({ text }, next) => {
    const answer = await next()
    if (/FROM payout_events .* JOIN payouts/.test(text)) read.push(answer.rows.length)
    return answer
  })
  await api.db.dataSource.query(settle(id, 'failed'))

  await scrape(url)
  clock.set('2026-11-15T12:02:00.000Z')
  await scrape(url)
  clock.set('2026-11-15T12:04:00.000Z')
  const { value } = await scrape(url)

  expect(read).toEqual([1, 1, 0])
  expect(value('payouts_finished_total{environment="sandbox",status="failed"}')).toBe(1)
})

test('however many scrapes arrive, the database is queried once per interval', async () => {
  let asked = 0
  const url = await metricsOn(({ text }, next) => {
    if (text.includes(`'held_deposits'`)) asked += 1
    return next()
  })

  await Promise.all(Array.from({ length: 20 }, () => scrape(url)))

  expect(asked).toBe(1)
})

test('without its database, the API reports the outage and still shows its own metrics', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  await api.get('/v1/account', { key })
  await api.get('/v1/nowhere', { key })
  const url = await metricsOn(() => Promise.reject(new Error('away')))

  const { value, names } = await scrape(url)

  expect(value('payouts_database_up')).toBe(0)
  expect(names).not.toContain('payouts_open')
  expect(value('payouts_http_requests_total{method="GET",route="/v1/account",status="200"}')).toBe(1)
  expect(value('payouts_http_requests_total{method="any",route="other",status="404"}')).toBe(1)
  expect(value('payouts_http_request_seconds_count{method="GET",route="/v1/account"}')).toBe(1)
  // On a busy machine, Temporal may answer too late for the first scrape.
  await until('Temporal is up', async () => (await scrapeLater(url)).value('payouts_temporal_up') === 1)
})

test('without Temporal, the API reports the outage and still shows the database as up', async () => {
  const cutOff = await startApi({ clock, database: api.databaseUrl, temporalAddress: '127.0.0.1:1' })
  const withoutTemporal = await startMetrics(cutOff)

  const { value } = await scrape(withoutTemporal.url)
  withoutTemporal.close()
  await cutOff.close()

  expect([value('payouts_temporal_up'), value('payouts_database_up')]).toEqual([0, 1])
})

test('health checks and bank webhooks are counted separately from unknown routes', async () => {
  for (const path of ['/healthz', '/readyz', '/healthz/']) await fetch(`${api.url}${path}`)
  await fetch(`${api.url}/webhooks/bank`, { method: 'POST' })

  const { value, text } = await scrape(url)

  for (const route of ['/healthz', '/readyz'])
    expect(value(`payouts_http_requests_total{method="GET",route="${route}",status="200"}`)).toBe(1)
  expect(value('payouts_http_requests_total{method="any",route="other",status="404"}')).toBe(1)
  expect(text).toMatch(/^payouts_http_requests_total\{method="POST",route="\/webhooks\/bank",status="4\d\d"\} 1$/m)
})

test('the metrics port serves only GET /metrics, and the API port does not serve it', async () => {
  expect((await fetch(`${url}/`)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${api.url}/metrics`)).status).toBe(404)
})

/** Starts another metrics server, whose database statements pass through the tap, and returns its URL. */
async function metricsOn(tap: Tap): Promise<string> {
  const server = await startMetrics({ deps: { ...api.deps, db: tapped(api.db, tap) } })
  others.push(server)
  return server.url
}

function settle(payoutId: string, status: string): string {
  return `INSERT INTO payout_events (payout_id, at, kind, status, made_by)
    VALUES ('${payoutId}', '${now}', '${status}', '${status}', 'bank')`
}

/** Scrapes after the cache has expired, and before any payout is old enough to be skipped. */
async function scrapeLater(from = url): ReturnType<typeof scrape> {
  clock.set(new Date(clock.now().getTime() + 6_000).toISOString())
  return scrape(from)
}
