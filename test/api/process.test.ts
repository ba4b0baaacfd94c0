// The API as a separate process: it uses existing servers, starts none of them, and stops without losing a request.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openDatabase } from '../../db/data-source'
import { choosePort } from '../../local/ports'
import { systemClock } from '../../runtime/clock'
import { connectClient } from '../../runtime/temporal/client'
import { requireSearchAttributes, wantedAttributes } from '../../worker/temporal/search-attributes'
import { aKey, aPartner } from '../support/api/fixtures'
import { aRequest } from '../support/api/payout-world'
import { createDatabase, type TestDatabase } from '../support/db/database'
import { proxyOf } from '../support/db/tcp-proxy'
import { testSystem } from '../support/jest/system'
import { keepOutput } from '../support/kept-logs'
import { childEnv } from '../support/system/child-env'
import { testTemporal } from '../support/temporal/a-worker'
import { until } from '../support/until'

let database: TestDatabase
let key: string

/** The secret keys of testKeyring, in the format of SECRET_KEYS. */
const testSecretKeys = `k2:${'02'.repeat(32)},k1:${'01'.repeat(32)}`

beforeAll(async () => {
  database = await createDatabase()
  const db = await openDatabase({ url: database.url, poolSize: 2, onError: () => undefined })
  key = await aKey(
    { db, clock: systemClock },
    await aPartner({ db, clock: systemClock }, { rateLimitSandbox: 10_000 }),
    'sandbox',
  )
  await db.close()
  const temporal = connectClient(testTemporal())
  await requireSearchAttributes(temporal, wantedAttributes)
  await temporal.connection.close()
})
afterAll(() => database.drop())

interface Run {
  readonly child: ChildProcess
  readonly url: string
  output(): string
}

async function start(env: Record<string, string> = {}): Promise<Run> {
  const port = await choosePort(0)
  const child = spawn(process.execPath, [join(__dirname, '../../dist/api/main.js')], {
    env: {
      ...childEnv(),
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: testSystem().temporalAddress,
      SECRET_KEYS: testSecretKeys,
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  keepOutput('api', [child.stdout, child.stderr])
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await Promise.race([once(child, 'message'), once(child, 'exit')])
  return { child, url: `http://127.0.0.1:${port}`, output: () => output }
}

async function exitCodeOf({ child }: Run): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit')
  return child.exitCode
}

function secondsSince(): () => number {
  const startedAt = process.hrtime.bigint()
  return () => Number(process.hrtime.bigint() - startedAt) / 1e9
}

async function payoutsStored(idempotencyKey: string): Promise<{ answered: boolean }[]> {
  const db = await openDatabase({ url: database.url, poolSize: 1, onError: () => undefined })
  const rows = await db.sql<{ answered: boolean }>`SELECT answered_at IS NOT NULL AS answered FROM payouts
    WHERE idempotency_key = ${idempotencyKey}`
  await db.close()
  return rows
}

async function occupy(port: number): Promise<Server> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('a Temporal server without TLS does not stop the API, and the log names the remedy', async () => {
  const run = await start({ TEMPORAL_TLS: 'on' })

  await until('the remedy is logged', () =>
    /Temporal cannot be used: the server does not use TLS: set TEMPORAL_TLS/.test(run.output()),
  )

  expect((await fetch(`${run.url}/healthz`)).status).toBe(200)
  run.child.kill('SIGTERM')
  expect(await exitCodeOf(run)).toBe(0)
})

test('the API is ready when PostgreSQL and Temporal answer, and otherwise reports which of them does not', async () => {
  const whole = await start()
  const without = await start({ TEMPORAL_ADDRESS: `127.0.0.1:${await choosePort(0)}` })

  const ready = await fetch(`${whole.url}/readyz`)
  const notReady = await fetch(`${without.url}/readyz`)

  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ok', postgres: 'ok', schema: 'ok', temporal: 'ok' },
  ])
  expect([notReady.status, await notReady.json()]).toEqual([
    503,
    {
      status: 'unavailable',
      postgres: 'ok',
      schema: 'ok',
      temporal: 'unreachable',
      reasons: ['Temporal does not answer.'],
    },
  ])
  expect((await fetch(`${without.url}/healthz`)).status).toBe(200)
  whole.child.kill('SIGTERM')
  without.child.kill('SIGTERM')
  expect(await Promise.all([exitCodeOf(whole), exitCodeOf(without)])).toEqual([0, 0])
})

test('SIGTERM lets requests in flight finish, and every recorded call is written', async () => {
  const run = await start()
  const flying = Array.from({ length: 60 }, () =>
    fetch(`${run.url}/v1/account`, { headers: { Authorization: `Bearer ${key}` } }),
  )
  await Promise.race(flying)

  run.child.kill('SIGTERM')
  const statuses = (await Promise.allSettled(flying)).map((each) =>
    each.status === 'fulfilled' ? each.value.status : 'refused',
  )

  expect(await exitCodeOf(run)).toBe(0)
  const answered = statuses.filter((status) => status === 200).length
  expect(answered).toBeGreaterThan(0)
  expect(statuses.filter((status) => status !== 200 && status !== 'refused')).toEqual([])
  const db = await openDatabase({ url: database.url, poolSize: 1, onError: () => undefined })
  const [row] = await db.sql<{ count: number }>`SELECT count(*)::int AS count FROM activity
    WHERE action = 'account.read'`
  await db.close()
  expect(row?.count).toBe(answered)
})

test('on SIGTERM, the API answers a payout in flight with pending instead of waiting for a verdict, and the payout remains', async () => {
  const run = await start({ PAYOUT_ANSWER_MS: '60000', TASK_QUEUE_PREFIX: 'nobody' })
  const answer = fetch(`${run.url}/v1/payouts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'order-sigterm' },
    body: JSON.stringify(aRequest()),
  })
  await until('the payout is in flight', async () => (await payoutsStored('order-sigterm')).length === 1)

  const seconds = secondsSince()
  run.child.kill('SIGTERM')
  const answered = await answer

  const made: { readonly id: string; readonly status: string } = JSON.parse(await answered.text())
  expect([answered.status, made.status]).toEqual([201, 'pending'])
  expect([await exitCodeOf(run), seconds() < 10]).toEqual([0, true])
  expect(await payoutsStored('order-sigterm')).toEqual([{ answered: true }])
  expect(run.output()).toMatch(new RegExp(`"route":"/v1/payouts".*"payout_id":"${made.id}"`))
})

test.each([
  ['refuse connections', 'cut'],
  ['no longer answer', 'stopForwarding'],
] as const)('SIGTERM ends the API within ten seconds even if PostgreSQL and Temporal %s', async (_what, how) => {
  const [postgres, temporal] = [await proxyOf(database.url), await proxyOf(`tcp://${testSystem().temporalAddress}`)]
  const run = await start({ DATABASE_URL: postgres.url, TEMPORAL_ADDRESS: new URL(temporal.url).host })
  const headers = { Authorization: `Bearer ${key}` }
  expect((await fetch(`${run.url}/v1/account`, { headers })).status).toBe(200)
  await Promise.all([postgres[how](), temporal[how]()])
  const flying = fetch(`${run.url}/v1/account`, { headers }).then(
    ({ status }) => status,
    () => 'cut off',
  )

  const seconds = secondsSince()
  run.child.kill('SIGTERM')
  await exitCodeOf(run)

  expect(seconds()).toBeLessThan(10)
  expect([503, 'cut off']).toContain(await flying)
  await Promise.all([postgres.cut(), temporal.cut()])
})

test('the API stops when its parent process ends', async () => {
  const run = await start()

  run.child.disconnect()

  expect(await exitCodeOf(run)).toBe(0)
})

test('a port that is in use is reported in one sentence without a stack trace', async () => {
  const port = await choosePort(0)
  const taken = await occupy(port)

  const run = await start({ PORT: String(port), HOST: '127.0.0.1' })

  expect(await exitCodeOf(run)).toBe(1)
  expect(run.output()).toBe(`Port ${port} is in use; choose another with PORT=<number>.\n`)
  taken.close()
})

test('all configuration errors are reported together', async () => {
  const run = await start({ DATABASE_URL: 'mysql://x', PORT: 'x', SECRET_KEYS: 'secret-canary', RATE_LIMIT: 'maybe' })

  expect(await exitCodeOf(run)).toBe(1)
  for (const name of ['DATABASE_URL', 'PORT', 'SECRET_KEYS', 'RATE_LIMIT']) expect(run.output()).toContain(name)
  expect(run.output()).not.toContain('canary')
  expect(run.output()).not.toContain('    at ')
})

test('each request logs one JSON line, with IDs and without the caller’s data', async () => {
  const run = await start()
  const canaries = ['canary-path', 'canary-query', 'canary-token', 'canary-body']

  await fetch(`${run.url}/v1/canary-path?email=canary-query`, { headers: { Authorization: 'Bearer canary-token' } })
  await fetch(`${run.url}/v1/quotes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"amount_gbp":"canary-body\\r\\n{}"}',
  })
  run.child.kill('SIGTERM')
  await exitCodeOf(run)

  const lines = run
    .output()
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(requests.map(({ route, status }) => [route, status])).toEqual([
    [null, 404],
    ['/v1/quotes', 422],
  ])
  expect(requests.every(({ request_id }) => typeof request_id === 'string')).toBe(true)
  for (const canary of [...canaries, key.slice(20)]) expect(run.output()).not.toContain(canary)
})
