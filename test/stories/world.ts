// The whole system for a story: API and worker as processes, a bank that can be told to fail, and a referee at the end.
import { randomBytes, randomUUID } from 'node:crypto'
import { Client } from '@temporalio/client'
import { systemClock } from '../../clock'
import type { Db } from '../../db/database'
import type { Environment } from '../../domain/environment'
import { choosePort } from '../../local/ports'
import { connectClient } from '../../temporal'
import { invoiceRunName, ofSystem, payoutWorkflowId, pruneActivityId, sweepId } from '../../workflows/names'
import { aConnectedPartner, anAccountNumber, type ConnectedPartner, openDb, topUp } from '../activities/payout/a-stage'
import { testSecretKeys } from '../api/client'
import { aKey } from '../api/fixtures'
import { until } from '../local/until'
import { referee, type Seen } from '../referee/referee'
import { keys as bankKeys, type Json, quick, type TestBank } from '../sandbox-bank/bank-client'
import { createDatabase } from '../setup/database'
import { testSystem } from '../setup/system'
import { testTemporal } from '../worker/a-worker'
import { openBankProcess } from './bank-process'
import { textOfHistory } from './history-text'
import { aPart, type Part } from './part'

export interface WorldOptions {
  /** Changes to what API and worker are told. */
  readonly env?: Readonly<Record<string, string>>
  /** Changes to what the API alone is told. */
  readonly apiEnv?: Readonly<Record<string, string>>
  readonly delaysMs?: typeof quick
  readonly liveUsdc?: string
  /** Servers of the story's own, which it may kill; those of all tests without them. */
  readonly databaseUrl?: string
  readonly temporalAddress?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface Asked {
  /** The Idempotency-Key; a new one without it. */
  readonly key?: string
  readonly environment?: Environment
}

export interface World {
  readonly db: Db
  readonly databaseUrl: string
  readonly bank: TestBank
  readonly api: Part
  readonly worker: Part
  readonly temporal: Client
  readonly partner: ConnectedPartner
  readonly queuePrefix: string
  pay(change?: Json, asked?: Asked): Promise<Answer>
  get(path: string, environment?: Environment): Promise<Answer>
  /** What is no JSON, such as a PDF, of the live environment. */
  download(path: string): Promise<Buffer>
  /** A POST by anybody, without a key. */
  send(path: string, body: Json, headers: Record<string, string>): Promise<Answer>
  /** Resolves when the bank has been told where to send its events, in both environments. */
  bankKnowsUs(): Promise<unknown>
  /** The payout's row, as it is now. */
  row(payoutId: string): Promise<Json>
  /** The row once nothing is left to do. */
  settled(payoutId: string): Promise<Json>
  /** The row as soon as it is as wanted. */
  reached(payoutId: string, wanted: (row: Json) => boolean): Promise<Json>
  /** The row under an Idempotency-Key, as soon as there is one that is as wanted. */
  claimed(key: string, wanted?: (row: Json) => boolean): Promise<Json>
  /** What the bank has of it. */
  transfersOf(payoutId: string): Promise<Json[]>
  balance(environment?: Environment): Promise<bigint>
  topUp(usdc: string, environment?: Environment): Promise<void>
  workflowId(key: string, attempt?: number, environment?: Environment): string
  sweep(): Promise<void>
  /** A person has to decide about it, so the referee does not wait for its end. */
  leaveOpen(payoutId: string): void
  /** Throws what the referee finds; every story ends with it. */
  judge(): Promise<void>
  /** Takes the world down, after a last word of the referee. */
  close(): Promise<void>
}

/** Long enough for a machine that does other things too. */
const patienceMs = 60_000

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const database = options.databaseUrl === undefined ? await createDatabase() : null
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const [db, bank, port] = await Promise.all([
    openDb(databaseUrl),
    openBankProcess(options.delaysMs ?? quick),
    choosePort(0),
  ])
  const prefix = `story-${randomBytes(5).toString('hex')}`
  const temporalAddress = options.temporalAddress ?? testSystem().temporalAddress
  const env = { ...settings({ databaseUrl, temporalAddress, bank, port, prefix }), ...options.env }
  const [api, worker] = [aPart('api/main.js', { ...env, ...options.apiEnv }), aPart('worker/main.js', env)]
  const partner = await aConnectedPartner(db, bank, options.liveUsdc)
  const stage = { db, clock: systemClock }
  const secrets = {
    sandbox: await aKey(stage, await partnerRow(db, partner.id), 'sandbox'),
    live: await aKey(stage, await partnerRow(db, partner.id), 'live'),
  }
  await Promise.all([api.start(), worker.start()])
  const temporal = connectClient({ ...testTemporal(), address: temporalAddress })
  const account = anAccountNumber()
  const lastName = `Canary${randomBytes(4).toString('hex')}`
  const seen: Seen[] = []
  const leftOpen: string[] = []

  async function ask(method: string, path: string, environment: Environment, more: Json = {}): Promise<Answer> {
    const headers = { Authorization: `Bearer ${secrets[environment]}`, ...more.headers }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...more, method, headers })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  async function find(sql: string, values: unknown[]): Promise<Json> {
    const [found] = await db.dataSource.query<Json[]>(sql, values)
    return found ?? null
  }
  const row = (payoutId: string) => find('SELECT * FROM payouts WHERE id = $1', [payoutId])

  const world: World = {
    db,
    databaseUrl,
    bank,
    api,
    worker,
    temporal,
    partner,
    queuePrefix: prefix,
    async pay(change = {}, { key = `order-${randomUUID()}`, environment = 'sandbox' } = {}) {
      const body = JSON.stringify(aBody({ account, lastName }, change))
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
      const answer = await ask('POST', '/v1/payouts', environment, { headers, body })
      const { id = null, amount_gbp: amountGbp = null, error } = answer.body
      seen.push({
        partnerId: partner.id,
        environment,
        key,
        status: answer.status,
        payoutId: id,
        amountGbp,
        code: error?.code ?? null,
      })
      return answer
    },
    get: (path, environment = 'sandbox') => ask('GET', path, environment),
    async download(path) {
      const headers = { Authorization: `Bearer ${secrets.live}` }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
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
      until(
        `payout ${payoutId} as wanted`,
        async () => {
          const now = await row(payoutId)
          return now !== null && wanted(now) && now
        },
        patienceMs,
      ),
    settled: (payoutId) => world.reached(payoutId, ({ closed_at }) => closed_at !== null),
    claimed: (key, wanted = () => true) =>
      until(
        `a payout under ${key}`,
        async () => {
          const now = await find('SELECT * FROM payouts WHERE idempotency_key = $1', [key])
          return now !== null && wanted(now) && now
        },
        patienceMs,
      ),
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
    sweep: () => temporal.schedule.getHandle(ofSystem(sweepId, prefix)).trigger(),
    leaveOpen: (payoutId) => void leftOpen.push(payoutId),
    async judge() {
      const histories = await textsOf(db, temporal)
      const logs = [api, worker].map((part, index) => ({
        where: ['API log', 'worker log'][index] ?? '',
        text: part.output(),
      }))
      const canaries = [
        { text: account },
        { text: lastName, allowedIn: 'payouts.recipient_name' },
        { text: bankKeys.sandbox },
        { text: bankKeys.live },
        { text: secrets.sandbox.slice(-40) },
        { text: secrets.live.slice(-40) },
      ]
      const texts = [...logs, ...histories]
      await referee({ records: db.dataSource, bankControlUrl: bank.controlUrl, seen, canaries, texts, leftOpen })
    },
    async close() {
      try {
        await world.judge()
      } finally {
        await Promise.all([api.stop(), worker.stop()])
        for (const id of [sweepId, pruneActivityId, invoiceRunName]) {
          await temporal.schedule
            .getHandle(ofSystem(id, prefix))
            .delete()
            .catch(() => undefined)
        }
        await temporal.connection.close()
        await db.close()
        await bank.close()
        await database?.drop()
      }
    },
  }
  // A bank that has just started may be slow, and without its rate nobody is paid.
  await until('the bank’s rates are known', async () => {
    const balances = await Promise.all([world.get('/v1/balance'), world.get('/v1/balance', 'live')])
    return balances.every(({ status }) => status === 200)
  })
  return world
}

interface SettingsParts {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly bank: TestBank
  readonly port: number
  readonly prefix: string
}

function settings(parts: SettingsParts): Record<string, string> {
  const { databaseUrl, temporalAddress, bank, port, prefix } = parts
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    SECRET_KEYS: testSecretKeys.map(({ id, bytes }) => `${id}:${bytes.toString('hex')}`).join(),
    RATE_LIMIT: 'off',
    BANK_SANDBOX_URL: `${bank.url}/v0`,
    BANK_SANDBOX_KEY: bankKeys.sandbox,
    BANK_LIVE_URL: `${bank.url}/v0`,
    BANK_LIVE_KEY: bankKeys.live,
    WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/bank`,
    TASK_QUEUE_PREFIX: prefix,
    PAYOUT_POLL_MS: '50,100,200',
    PAYOUT_QUIET_MS: '200',
    PAYOUT_REPEAT_MS: '60000',
    PAYOUT_CALL_MS: '1500',
    PAYOUT_CONNECT_MS: '1000',
    PAYOUT_WITHIN_MS: '500',
    PAYOUT_PATIENT_CALL_MS: '2000',
    SWEEP_EVERY_MS: '5000',
    SWEEP_OLDER_THAN_MS: '0',
  }
}

async function partnerRow(db: Db, partnerId: string): Promise<Json> {
  const [row] = await db.dataSource.query<Json[]>('SELECT * FROM partners WHERE id = $1', [partnerId])
  return row
}

/** A request to pay 120.00 to the world's own recipient, or what is changed of it. */
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

/** What the histories of the last payouts say; some of a story's many will do. */
async function textsOf(db: Db, temporal: Client): Promise<{ where: string; text: string }[]> {
  const rows = await db.dataSource.query<Json[]>(
    `SELECT environment, partner_id AS "partnerId", idempotency_key AS "idempotencyKey", attempt FROM payouts
      ORDER BY created_at DESC LIMIT 20`,
  )
  const texts = rows.map(async (key) => {
    const workflowId = payoutWorkflowId(key)
    const history = await temporal.workflow
      .getHandle(workflowId)
      .fetchHistory()
      .catch(() => null)
    return { where: `the history of ${workflowId}`, text: textOfHistory(history) }
  })
  return Promise.all(texts)
}
