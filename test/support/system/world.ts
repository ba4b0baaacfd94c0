// The complete system for a story: API and worker as processes, a bank that can be made to fail, and a final check by
// the referee.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, expect } from '@jest/globals'
import { Client } from '@temporalio/client'
import type { Db } from '../../../db/database'
import type { Environment } from '../../../domain/environment'
import { choosePort } from '../../../local/ports'
import { systemClock } from '../../../runtime/clock'
import { connectClient } from '../../../runtime/temporal/client'
import { ofSystem, payoutWorkflowId, scheduleIds } from '../../../workflows/names'
import { referee, type Seen } from '../../referee/referee'
import { aKey } from '../api/fixtures'
import { keys as bankKeys, type Json, quick } from '../bank/client'
import { type KillableBank, openBankProcess } from '../bank/process'
import { asApplication } from '../db/app-role'
import { createDatabase, openDb } from '../db/database'
import { testSystem } from '../jest/system'
import { opened } from '../opened'
import { aConnectedPartner, anAccountNumber, type ConnectedPartner, topUp } from '../stages/payout'
import { testTemporal } from '../temporal/a-worker'
import { lastEventsOfOpen, textsOf } from '../temporal/histories'
import { deleteSchedules } from '../temporal/own-schedules'
import { opsAt } from '../terminal'
import { until } from '../until'
import { clockAhead } from './clock-ahead'
import { aPart, type Part, startAll } from './part'
import { settings } from './settings'

export interface WorldOptions {
  /** Settings that override the defaults of the API and the worker. */
  readonly env?: Readonly<Record<string, string>>
  /** Settings that override the defaults of the API alone. */
  readonly apiEnv?: Readonly<Record<string, string>>
  readonly delaysMs?: typeof quick
  /** How many APIs and how many workers to start. The default is one of each. Requests go to the APIs in turn. */
  readonly ofEach?: number
  /** The program of each worker, relative to dist. By default, there is one worker of this build for each API. */
  readonly workerMains?: readonly string[]
  readonly liveUsdc?: string
  /** How far the clocks of the APIs, workers and bank are ahead of this machine. Required, even if 0, for `goAhead`. */
  readonly aheadMs?: number
  /** The story's own servers, which it may kill. By default, it uses the shared ones. */
  readonly databaseUrl?: string
  readonly temporalAddress?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface Asked {
  /** The Idempotency-Key. Defaults to a new one. */
  readonly key?: string
  readonly environment?: Environment
  /** When this signal aborts, the client disconnects without a response. */
  readonly signal?: AbortSignal
}

export interface World {
  readonly db: Db
  readonly databaseUrl: string
  /** The URL of the first API. */
  readonly url: string
  readonly bank: KillableBank
  /** The first API and the first worker. Most worlds have only these. */
  readonly api: Part
  readonly worker: Part
  readonly apis: readonly Part[]
  readonly workers: readonly Part[]
  readonly urls: readonly string[]
  readonly temporal: Client
  readonly partner: ConnectedPartner
  /** The partner's API keys. */
  readonly keys: Readonly<Record<Environment, string>>
  readonly queuePrefix: string
  /** The request body for a payout to the world's own recipient, for whose data the referee searches. */
  order(change?: Json): Json
  pay(change?: Json, asked?: Asked): Promise<Answer>
  get(path: string, environment?: Environment): Promise<Answer>
  cancel(payoutId: string, environment?: Environment): Promise<Answer>
  /** Downloads a response that is not JSON, such as a PDF, in the live environment. */
  download(path: string): Promise<Buffer>
  /** Sends a POST request without an API key. */
  send(path: string, body: Json, headers: Record<string, string>): Promise<Answer>
  /** Resolves when our webhook is registered at the bank, in both environments. */
  bankKnowsUs(): Promise<unknown>
  row(payoutId: string): Promise<Json>
  /** Resolves with the row once the payout is final and closed. */
  settled(payoutId: string): Promise<Json>
  /** Resolves with the rows of the answered payouts once all of them are final and closed. */
  allSettled(answers: readonly Answer[]): Promise<Json[]>
  /** Resolves with the row as soon as it matches. */
  reached(payoutId: string, wanted: (row: Json) => boolean): Promise<Json>
  /** Resolves with the row for an Idempotency-Key as soon as it matches. */
  claimed(key: string, wanted?: (row: Json) => boolean): Promise<Json>
  /** Reads the bank's transfers for the payout. */
  transfersOf(payoutId: string): Promise<Json[]>
  balance(environment?: Environment): Promise<bigint>
  topUp(usdc: string, environment?: Environment): Promise<void>
  workflowId(key: string, attempt?: number, environment?: Environment): string
  sweep(): Promise<void>
  /** Triggers a Schedule now, by its ID in workflows/names.ts. */
  trigger(scheduleId: string): Promise<void>
  /**
   * Moves the clocks of the APIs and workers this far ahead of this machine, and restarts the bank with such a clock.
   * PostgreSQL, Temporal and the story itself still use the real time.
   */
  goAhead(aheadMs: number): Promise<void>
  /** Runs an ops command and returns its output as JSON. */
  ops(...args: readonly string[]): Promise<Json>
  /** Marks a payout that needs an operator's decision, so that the referee does not wait for it to end. */
  leaveOpen(payoutId: string): void
  /** Removes every fault and outage that the story has set at the bank. */
  clearFaults(): Promise<void>
  /** Throws if the referee finds a violation. Every story ends with this check. */
  judge(): Promise<void>
  /** Stops the world after a final check by the referee. */
  close(): Promise<void>
}

/** The status of a payout that the bank accepted. A quick bank may have paid it before the API answers. */
export const sent = expect.stringMatching(/^(processing|completed)$/)

/** A world for the whole test file. After each test, the faults are removed and the referee checks everything. */
export function useWorld(options: WorldOptions): World {
  const world = opened(
    () => openWorld(options),
    (current) => current.close(),
  )
  afterEach(async () => {
    await world.clearFaults()
    await world.judge()
  })
  return world
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const database = options.databaseUrl === undefined ? await createDatabase() : null
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const each = Array.from({ length: options.ofEach ?? 1 })
  let ahead = clockAhead(options.aheadMs)
  const [db, bank, ports] = await Promise.all([
    openDb(databaseUrl),
    openBankProcess(options.delaysMs ?? quick, ahead),
    Promise.all(each.map(() => choosePort(0))),
  ])
  const [webhookPort = 0] = ports
  const prefix = `story-${randomBytes(5).toString('hex')}`
  const temporalAddress = options.temporalAddress ?? testSystem().temporalAddress
  const systemSettings = {
    databaseUrl: await asApplication(databaseUrl),
    temporalAddress,
    bankUrl: bank.url,
    webhookPort,
    prefix,
  }
  const env = { ...settings(systemSettings), ...options.env }
  const apis = ports.map((port) => aPart('api/main.js', { ...env, PORT: String(port), ...options.apiEnv }))
  const workerMains = options.workerMains ?? each.map(() => 'worker/main.js')
  const workers = workerMains.map((main) => aPart(main, env))
  const [api, worker] = [first(apis), first(workers)]
  const partner = await aConnectedPartner(db, bank, options.liveUsdc)
  const stage = { db, clock: systemClock }
  const secrets = {
    sandbox: await aKey(stage, await partnerRow(db, partner.id), 'sandbox'),
    live: await aKey(stage, await partnerRow(db, partner.id), 'live'),
  }
  const parts = [...apis, ...workers]
  await startAll(parts, ahead)
  const temporal = connectClient({ ...testTemporal(), address: temporalAddress })
  const account = anAccountNumber()
  const lastName = `Canary${randomBytes(4).toString('hex')}`
  const seen: Seen[] = []
  const leftOpen: string[] = []
  let turn = 0

  async function ask(method: string, path: string, environment: Environment, more: Json = {}): Promise<Answer> {
    const headers = { Authorization: `Bearer ${secrets[environment]}`, ...more.headers }
    const port = ports[turn++ % ports.length]
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...more, method, headers })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  async function find(sql: string, values: unknown[]): Promise<Json> {
    const [found] = await db.dataSource.query<Json[]>(sql, values)
    return found ?? null
  }
  /** Waits for a value. If the wait times out, the error contains the last events of the open workflows. */
  function waitFor(what: string, probe: () => Promise<Json>): Promise<Json> {
    return until(what, probe).catch(explained)
  }

  async function explained(cause: Error): Promise<never> {
    throw new Error(`${cause.message}\n${await lastEventsOfOpen(db, temporal, prefix)}`, { cause })
  }

  const row = (payoutId: string) => find('SELECT * FROM payouts WHERE id = $1', [payoutId])

  const world: World = {
    db,
    databaseUrl,
    url: `http://127.0.0.1:${webhookPort}`,
    bank,
    api,
    worker,
    apis,
    workers,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    temporal,
    partner,
    keys: secrets,
    queuePrefix: prefix,
    order: (change = {}) => aBody({ account, lastName }, change),
    async pay(change = {}, { key = `order-${randomUUID()}`, environment = 'sandbox', signal } = {}) {
      const body = JSON.stringify(world.order(change))
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
      const send = async () => {
        const answer = await ask('POST', '/v1/payouts', environment, { headers, body, signal })
        const { status } = answer
        const { id: payoutId = null, amount_gbp: amountGbp = null, error } = answer.body
        seen.push({ partnerId: partner.id, environment, key, status, payoutId, amountGbp, code: error?.code ?? null })
        return answer
      }
      const first = await send()
      // On a busy machine, the API may stop waiting for a body. It did nothing, so a client repeats the request.
      return first.status === 408 ? send() : first
    },
    get: (path, environment = 'sandbox') => ask('GET', path, environment),
    cancel: (payoutId, environment = 'sandbox') => ask('POST', `/v1/payouts/${payoutId}/cancel`, environment),
    async download(path) {
      const response = await fetch(world.url + path, { headers: { Authorization: `Bearer ${secrets.live}` } })
      return Buffer.from(await response.arrayBuffer())
    },
    send: (path, body, headers) =>
      ask('POST', path, 'sandbox', { headers: { ...headers, Authorization: '' }, body: JSON.stringify(body) }),
    bankKnowsUs: () =>
      until(
        'the bank knows our address',
        async () => (await find('SELECT count(*)::int AS n FROM bank_webhooks', [])).n === 2,
      ),
    row,
    reached: (payoutId, wanted) =>
      waitFor(`payout ${payoutId} as wanted`, async () => {
        const now = await row(payoutId)
        return now !== null && wanted(now) && now
      }),
    settled: (payoutId) => world.reached(payoutId, ({ closed_at }) => closed_at !== null),
    allSettled(answers) {
      const ids = answers.map(({ body }) => body.id)
      // Uses one query for all payouts, because a hundred separate queries would overload the database.
      const sql = 'SELECT * FROM payouts WHERE id = ANY ($1) AND closed_at IS NOT NULL'
      return waitFor('all payouts are over', async () => {
        const rows = await db.dataSource.query<Json[]>(sql, [ids])
        return rows.length === new Set(ids).size && rows
      })
    },
    claimed: (key, wanted = () => true) =>
      waitFor(`a payout under ${key}`, async () => {
        const now = await find('SELECT * FROM payouts WHERE idempotency_key = $1', [key])
        return now !== null && wanted(now) && now
      }),
    async transfersOf(payoutId) {
      return (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data
    },
    async balance(environment = 'sandbox') {
      const sql = 'SELECT balance_micro_usdc AS balance FROM wallets WHERE partner_id = $1 AND environment = $2'
      return BigInt((await find(sql, [partner.id, environment])).balance)
    },
    topUp: (usdc, environment = 'sandbox') => topUp(db, bank, { partnerId: partner.id, environment, usdc }),
    workflowId: (idempotencyKey, attempt = 1, environment = 'sandbox') =>
      payoutWorkflowId({ environment, partnerId: partner.id, idempotencyKey, attempt }),
    sweep: () => world.trigger(scheduleIds.sweep),
    trigger: (scheduleId) => temporal.schedule.getHandle(ofSystem(scheduleId, prefix)).trigger(),
    async goAhead(aheadMs) {
      if (options.aheadMs === undefined) throw new Error('goAhead needs the option aheadMs, even if it is 0')
      ahead = clockAhead(aheadMs)
      // The bank is stopped while the clocks move, because the API rejects events whose timestamp is not recent.
      await bank.kill()
      await Promise.all(parts.map((part) => part.moveClock(aheadMs)))
      await bank.start(ahead)
    },
    async ops(...args) {
      const { code, out, err } = await opsAt(ahead, env, [...args, '--json'])
      if (code !== 0) throw new Error(`ops ${args.join(' ')} exited with ${code}: ${err}`)
      return JSON.parse(out)
    },
    leaveOpen: (payoutId) => void leftOpen.push(payoutId),
    async clearFaults() {
      await bank.control('DELETE', '/faults')
      await bank.control('DELETE', '/outage')
    },
    async judge() {
      const histories = await textsOf(db, temporal)
      const logs = parts.map((part) => ({ where: `the log of ${part.name}`, text: part.output() }))
      const canaries = [
        { text: lastName, allowedIn: 'payouts.recipient_name' },
        ...[account, bankKeys.sandbox, bankKeys.live].map((text) => ({ text })),
        ...[secrets.sandbox, secrets.live].map((secret) => ({ text: secret.slice(-40) })),
      ]
      const texts = [...logs, ...histories]
      const books = { records: db.dataSource, audited: db, bankControlUrl: bank.controlUrl }
      await referee({ ...books, seen, canaries, texts, leftOpen }).catch(explained)
    },
    async close() {
      try {
        await world.judge()
      } finally {
        // Everything is idle, so killing the processes loses nothing.
        await Promise.all(parts.map((part) => part.kill()))
        await deleteSchedules(temporal, prefix)
        await temporal.connection.close()
        await db.close()
        await bank.close()
        await database?.drop()
      }
    },
  }
  // A bank that has just started may be slow, and without its rate the API refuses every payout.
  await until('the bank’s rates are known', async () => {
    const balances = await Promise.all([world.get('/v1/balance'), world.get('/v1/balance', 'live')])
    return balances.every(({ status }) => status === 200)
  })
  return world
}

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error('a world must have at least one API and one worker')
  return one
}

async function partnerRow(db: Db, partnerId: string): Promise<Json> {
  const [row] = await db.dataSource.query<Json[]>('SELECT * FROM partners WHERE id = $1', [partnerId])
  return row
}

/** A request to pay 120.00 to the world's own recipient, with the given changes. */
function aBody({ account, lastName }: { account: string; lastName: string }, change: Json): Json {
  const { accountNumber = account, ...rest } = change
  return {
    amount_gbp: '120.00',
    recipient: {
      first_name: 'Ada',
      last_name: lastName,
      address: { line1: '10 High St', city: 'London', postal_code: 'SW1A 2AA' },
      bank: { bank_name: 'Barclays', sort_code: '123456', account_number: accountNumber },
    },
    ...rest,
  }
}
