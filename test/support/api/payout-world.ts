// Everything a payout needs, in the test's own process: the API, the sandbox bank, and a worker for each environment.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import type { Db } from '../../../db/database'
import type { Keyring } from '../../../db/keyring'
import { environments } from '../../../domain/environment'
import { createRails } from '../../../rail/rails'
import { type Clock, systemClock } from '../../../runtime/clock'
import type { PayoutConfig, SecretKey } from '../../../runtime/config/config'
import { connectClient } from '../../../runtime/temporal/client'
import { createPayoutParts } from '../../../worker/payouts'
import { connectWorker } from '../../../worker/temporal/connect'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { payoutQueue } from '../../../workflows/names'
import { accessTo, type Json, openTestBank, still, type TestBank } from '../bank/client'
import { createDatabase, openDb } from '../db/database'
import { testSystem } from '../jest/system'
import { keptLog } from '../kept-logs'
import { opened } from '../opened'
import { aConnectedPartner, type ConnectedPartner } from '../stages/payout'
import { payoutActivities } from '../stages/payout-activities'
import { silenceTemporal, testTemporal } from '../temporal/a-worker'
import { type Answer, type Api, startApi, testSecretKeys } from './client'
import { aKey } from './fixtures'

export interface PayoutWorld {
  readonly api: Api
  readonly bank: TestBank
  readonly temporal: Client
  /** A partner connected to the bank in both environments, with a key for each. */
  aPayer(): Promise<Payer>
  pay(payer: Payer, change?: Json, call?: PayCall): Promise<Answer>
  startWorkers(): Promise<void>
  stopWorkers(): Promise<void>
  /** Returns the payout's transfers from the bank's own records. */
  transfersOf(payoutId: unknown): Promise<Json[]>
  close(): Promise<void>
}

export interface Payer extends ConnectedPartner {
  readonly keys: { readonly sandbox: string; readonly live: string }
}

export interface PayCall {
  readonly key?: string
  readonly environment?: 'sandbox' | 'live'
}

export interface WorldOptions {
  readonly clock?: Clock
  readonly payouts?: Partial<PayoutConfig>
  readonly bank?: Parameters<typeof openTestBank>[0]
  readonly workers?: 'started' | 'none'
  readonly rateLimit?: 'on' | 'off'
  /** An http URL for browser tests. The session cookie then has another name. */
  readonly publicUrl?: string
  /** The API's secret keys, if not the default ones. */
  readonly keyring?: Keyring
  /** The workers' secret keys, if not the default ones. */
  readonly secretKeys?: readonly SecretKey[]
}

/** Long time limits, so that a busy machine does not look like a bank or a worker that does not answer. */
const patientPayouts: PayoutConfig = {
  answerTimeoutMs: 120_000,
  pollMs: [100],
  repeatForMs: 3_600_000,
  listLagMs: 0,
  // Together less than the 8 s of the activity that submits the transfer.
  answerWithinMs: 4_500,
  briefCallMs: 3_000,
  briefConnectMs: 3_000,
  backgroundCallMs: 6_000,
}
/** Without workers, a caller always waits this long. Temporal must have stored the workflow by then. */
const startTimeoutMs = 3_000

/** A payout world for this test file. */
export function usePayoutWorld(options: WorldOptions = {}): PayoutWorld {
  silenceTemporal()
  return opened(
    () => aPayoutWorld(options),
    (world) => world.close(),
  )
}

export async function aPayoutWorld(options: WorldOptions = {}): Promise<PayoutWorld> {
  const { clock = systemClock } = options
  const payouts = { ...patientPayouts, ...options.payouts }
  const taskQueuePrefix = `test-${randomBytes(6).toString('hex')}`
  const log = keptLog()
  const database = await createDatabase()
  const db = await openDb(database.url, 10)
  const bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0, ...options.bank })
  const access = accessTo(bank)
  const rails = createRails({ bank: access, clock, timeouts: { connectMs: 20_000, callMs: 20_000 } })
  const temporal = connectClient(testTemporal())
  await requireSearchAttributes(temporal, wantedAttributes)
  const about = { database: database.url, clock, rails, bank: access }
  const { publicUrl, keyring, secretKeys = testSecretKeys, rateLimit = 'off' } = options
  const parts = createPayoutParts({ bank: access, payouts, secretKeys }, { db, log, clock })
  const workers = workersOf({ activities: payoutActivities(parts.background, parts.brief), taskQueuePrefix })
  const api = await startApi({
    ...about,
    taskQueuePrefix,
    // A getter, because the API reads it for each request, and tests stop and start the workers.
    get answerTimeoutMs() {
      const isGiven = options.payouts?.answerTimeoutMs !== undefined
      return isGiven || workers.areRunning() ? payouts.answerTimeoutMs : startTimeoutMs
    },
    pollMs: payouts.pollMs,
    rateLimit,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(keyring === undefined ? {} : { keyring }),
  })
  if (options.workers !== 'none') await workers.start()

  return {
    api,
    bank,
    temporal,
    aPayer: () => aPayer(api, db, bank),
    pay: (payer, change = {}, { key = `order-${randomUUID()}`, environment = 'sandbox' } = {}) =>
      api.post('/v1/payouts', aRequest(change), { key: payer.keys[environment], headers: { 'Idempotency-Key': key } }),
    startWorkers: () => workers.start(),
    stopWorkers: () => workers.stop(),
    transfersOf: async (payoutId) =>
      (await bank.control('GET', `/transfers?client_reference_id=${String(payoutId)}`)).json.data,
    close: async () => {
      await workers.stop()
      await api.close()
      await temporal.connection.close()
      parts.close()
      rails.close()
      await bank.close()
      await db.close()
      await database.drop()
    },
  }
}

/** A valid request with a random account number. `change` can replace single fields of the recipient. */
export function aRequest(change: Json = {}): Json {
  const { recipient = {}, ...rest } = change
  const { bank, address, ...other } = recipient
  const account_number = `${randomInt(1_000, 10_000)}${randomInt(1_000, 10_000)}`
  return {
    amount_gbp: '120.00',
    reference: 'Invoice 1042',
    recipient: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH', ...address },
      bank: { bank_name: 'Barclays', sort_code: '200415', account_number, ...bank },
      ...other,
    },
    ...rest,
  }
}

async function aPayer(api: Api, db: Db, bank: TestBank): Promise<Payer> {
  const partner = await aConnectedPartner(db, bank)
  const [sandbox, live] = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'live')]
  return { ...partner, keys: { sandbox, live } }
}

function workersOf({ activities, taskQueuePrefix }: { activities: object; taskQueuePrefix: string }) {
  let stopAll: (() => Promise<void>) | null = null
  return {
    async start() {
      const connection = await connectWorker(testTemporal())
      const workers = await Promise.all(
        environments.map((environment) =>
          Worker.create({
            connection,
            taskQueue: payoutQueue(environment, taskQueuePrefix),
            workflowBundle: { codePath: testSystem().workflowBundlePath },
            activities,
            stickyQueueScheduleToStartTimeout: '1s',
          }),
        ),
      )
      const running = workers.map((worker) => worker.run())
      stopAll = async () => {
        for (const worker of workers) worker.shutdown()
        await Promise.all(running)
        await connection.close()
      }
    },
    async stop() {
      await stopAll?.()
      stopAll = null
    },
    areRunning: () => stopAll !== null,
  }
}
