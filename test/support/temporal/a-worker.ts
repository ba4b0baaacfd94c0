// A worker in the test's own process, with its own task queue and database.
import { randomBytes } from 'node:crypto'
import { Client } from '@temporalio/client'
import { createActivities } from '../../../activities'
import type { ProofLimits } from '../../../activities/bind'
import type { Db } from '../../../db/database'
import type { Seller } from '../../../domain/invoices/document'
import type { Mailer } from '../../../mail/mailer'
import { openSimulatedBank } from '../../../rail/simulated-bank'
import type { Clock } from '../../../runtime/clock'
import { type BankConfig, type Config, loadConfig, type TemporalConfig } from '../../../runtime/config/config'
import type { Log } from '../../../runtime/log'
import { banksOf, createPayoutParts } from '../../../worker/payouts'
import { connectWorker, installRuntime } from '../../../worker/temporal/connect'
import { createWorker } from '../../../worker/worker'
import { housekeepingQueue, mailQueue, ofSystem } from '../../../workflows/names'
import { createDatabase, openDb } from '../db/database'
import { testSystem } from '../jest/system'
import { keptLog } from '../kept-logs'
import { opened } from '../opened'
// oxlint-disable-next-line import/no-unassigned-import -- It replaces a function of the SDK.
import './shared-thread.cjs'

export interface AWorker {
  readonly client: Client
  readonly db: Db
  readonly databaseUrl: string
  readonly queuePrefix: string
  readonly taskQueue: string
  /** Stops the worker. Resolves when nothing is running anymore. */
  stop(): Promise<void>
  /** Releases the worker's resources. Call this only after `stop`. */
  dispose(): Promise<void>
}

export function testTemporal(): TemporalConfig {
  return { address: testSystem().temporalAddress, namespace: 'default', tls: null, apiKey: null }
}

let isSilent = false

/** Call this before the first worker or connection. A process has only one runtime, which all its test files share. */
export function silenceTemporal(): void {
  if (isSilent) return
  isSilent = true
  installRuntime(keptLog())
}

export interface AWorkerOptions {
  readonly clock: Clock
  /** The test's own database. Defaults to a new one. */
  readonly databaseUrl?: string
  readonly activityRetentionDays?: number
  readonly activityReadRetentionDays?: number
  readonly retention?: Config['retention']
  readonly opsEmail?: string
  readonly proof?: Partial<ProofLimits>
  readonly bank?: BankConfig
  /** The secret keys for the sealed data that the worker opens. */
  readonly secretKeys?: Config['secretKeys']
  readonly log?: Log
  readonly seller?: Seller | null
  /** Without a mailer, no worker polls the email queue. */
  readonly mailer?: Mailer
}

export const testSeller: Seller = {
  name: 'Payouts Test Ltd',
  addressLines: ['1 Test Street', 'London'],
  email: 'billing@payouts.test',
  companyNumber: null,
  vat: null,
  paymentLines: ['Sort code 00-00-00', 'Account 12345678'],
}

/** A worker for this test file. Pass a function if the options depend on fixtures opened earlier. */
export function useWorker(options: AWorkerOptions | (() => AWorkerOptions)): AWorker {
  silenceTemporal()
  return opened(
    () => aWorker(typeof options === 'function' ? options() : options),
    async (worker) => {
      await worker.stop()
      await worker.dispose()
    },
  )
}

/**
 * Runs a worker on a housekeeping queue of its own. Payouts that it starts make no progress, because no worker polls
 * their queue.
 */
export async function aWorker(options: AWorkerOptions): Promise<AWorker> {
  const database = options.databaseUrl === undefined ? await createDatabase() : null
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const db = await openDb(databaseUrl, 3)
  const connection = await connectWorker(testTemporal())
  const client = new Client({ connection })
  const queuePrefix = `test-${randomBytes(6).toString('hex')}`
  const taskQueue = ofSystem(housekeepingQueue, queuePrefix)
  const { activities, close } = testActivities({ db, client, queuePrefix, ...options })
  const parts = { connection, namespace: 'default', activities }
  const workflowBundle = { codePath: testSystem().workflowBundlePath }
  const workers = [await createWorker({ ...parts, taskQueue, workflowBundle, load: 'housekeeping' })]
  if (options.mailer) workers.push(await createWorker({ ...parts, taskQueue: mailQueue(taskQueue), load: 'mail' }))
  const stopped = Promise.all(workers.map((worker) => worker.run()))
  return {
    client,
    queuePrefix,
    db,
    databaseUrl,
    taskQueue,
    stop: async () => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await stopped
    },
    dispose: async () => {
      close()
      await connection.close()
      await db.close()
      await database?.drop()
    },
  }
}

export interface TestActivityOptions extends AWorkerOptions {
  readonly db: Db
  readonly client: Client
  readonly queuePrefix: string
}

/** Creates all of a worker's activities, without a bank unless one is given. */
export function testActivities({ db, client, queuePrefix, clock, ...options }: TestActivityOptions) {
  const { log = keptLog(), bank, activityRetentionDays = 400 } = options
  const { activityReadRetentionDays = activityRetentionDays } = options
  const own = { ...(bank ? { bank } : {}), ...(options.secretKeys ? { secretKeys: options.secretKeys } : {}) }
  const config = { ...testConfig(), ...own }
  const payouts = createPayoutParts(config, { db, log, clock })
  const sandboxBank = config.bank.sandbox === null ? null : openSimulatedBank(config.bank.sandbox, clock)
  const { seller = testSeller, mailer = null } = options
  const { opsEmail, retention } = { ...config, ...options }
  const activities = createActivities(payouts.brief, {
    ...payouts.background,
    banks: banksOf(config.bank, payouts.backgroundRails),
    sandboxBank,
    temporal: client,
    queuePrefix,
    pollMs: config.payouts.pollMs,
    verificationPollMs: config.verificationPollMs,
    ...config.sweep,
    olderThanMs: 0,
    proof: { ...config.proof, ...config.sweep, ...options.proof },
    seller,
    mailer,
    opsEmail,
    publicUrl: config.publicUrl,
    retention,
    activityRetentionDays,
    activityReadRetentionDays,
  })
  return {
    activities,
    close: () => {
      payouts.close()
      sandboxBank?.close()
    },
  }
}

export function testConfig(env: Record<string, string> = {}) {
  return loadConfig({
    DATABASE_URL: testSystem().databaseUrl,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
    ...env,
  })
}
