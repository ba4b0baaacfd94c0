// Runs a worker: waits for its servers, prepares Schedules and webhooks, works until stopped, and shuts down in order.

import { Client } from '@temporalio/client'
import type { NativeConnection, Worker } from '@temporalio/worker'
import { createActivities } from '../activities'
import { registerWebhook } from '../activities/bank/webhooks'
import { addressOf, openDatabase } from '../db/data-source'
import type { Db } from '../db/database'
import { requireSchema } from '../db/migrate'
import { environments } from '../domain/environment'
import { createMailer, type Mailer } from '../mail/mailer'
import type { Rails } from '../rail/rails'
import { openSimulatedBank, type SimulatedBank } from '../rail/simulated-bank'
import { systemClock } from '../runtime/clock'
import { type Config, ConfigError } from '../runtime/config/config'
import type { Log } from '../runtime/log'
import { deadlineIn } from '../runtime/temporal/client'
import { deploymentNameOf, findDeployment, isUnsupported } from '../runtime/temporal/deployment'
import { openTracing, type Tracing } from '../runtime/tracing'
import type { Activities } from '../workflows'
import { housekeepingQueue, mailQueue, ofSystem, payoutQueue } from '../workflows/names'
import { bundlePath, ownVersion } from './bundle-path'
import { workUntilStopped } from './drain'
import { banksOf, createPayoutParts } from './payouts'
import { register } from './registration'
import { putSchedules } from './schedules/put'
import { traceActivities } from './temporal/activity-interceptors'
import { connectWorker, installRuntime, openBankMetrics, openStateGauge } from './temporal/connect'
import { requireSearchAttributes, SearchAttributesWrong, wantedAttributes } from './temporal/search-attributes'
import { untilAvailable, type WaitOptions } from './until-available'
import { createWorker } from './worker'

/** Called with the worker's ID. */
type OnReady = (workerId: string) => void

/** Resolves when the signal has stopped the worker and nothing is running. */
export async function runWorker(config: Config, log: Log, signal: AbortSignal, onReady: OnReady): Promise<void> {
  const postgres = `PostgreSQL at ${addressOf(config.databaseUrl)}`
  const temporal = `Temporal at ${config.temporal.address}`
  const waiting = { log, signal }
  installRuntime(log, metricsAddressOf(config))

  const db = await untilAvailable(postgres, () => openWorkersDatabase(config, log), waiting)
  await requireSchema(db)
  const connection = await untilAvailable(temporal, () => connectWorker(config.temporal), waiting)
  const worker = { name: 'payouts-worker', version: ownVersion(), clock: systemClock, log }
  const tracing = openTracing(config.tracing, worker)
  const interceptors = tracing?.temporalCalls ?? {}
  const client = new Client({ connection, namespace: config.temporal.namespace, interceptors })
  const attributes = await untilAvailable(temporal, () => checkAttributes(client), waiting)
  if (attributes instanceof SearchAttributesWrong) throw attributes
  if (attributes === 'queried') log.info('Temporal refuses OperatorService; queries found every search attribute')
  if (config.workerVersioning === 'on') await reportVersion(client, config, log)
  const schedules = await putSchedules(client, config, { waiting })

  const onCall = openBankMetrics(environments.filter((each) => config.bank[each] !== null))
  const payouts = createPayoutParts(config, { db, log, around: tracing?.bankCalls, onCall })
  const mailer = config.mail === null ? null : createMailer(config.mail)
  const sandboxBank = config.bank.sandbox === null ? null : openSimulatedBank(config.bank.sandbox, systemClock)
  const activities = activitiesOf(config, { client, payouts, mailer, sandboxBank })
  const about = { db, log, clock: systemClock, version: ownVersion(), taskQueues: queuesOf(config) }
  const registration = await untilAvailable(postgres, () => register({ ...about, onState: openStateGauge() }), waiting)
  const workers = await createWorkers(config, connection, { activities, tracing })
  const untilDrained = { log, signal: AbortSignal.any([signal, registration.askedToDrain]) }
  const webhooks = registerWebhooks(config, { db, rails: payouts.backgroundRails, waiting: untilDrained })
  await workUntilStopped(workers, { registration, signal, log, onReady: () => onReady(registration.id) })
  await webhooks
  await schedules.over
  await registration.end()
  payouts.close()
  sandboxBank?.close()
  mailer?.close()
  await connection.close()
  await db.close()
  await tracing?.close()
}

function metricsAddressOf({ metrics: { host, workerPort } }: Config): string | null {
  return workerPort === null ? null : `${host}:${workerPort}`
}

function openWorkersDatabase({ databaseUrl, databasePoolSize }: Config, log: Log): Promise<Db> {
  const onError = (error: Error) => log.warn({ err: error }, 'database connection lost')
  return openDatabase({ url: databaseUrl, poolSize: databasePoolSize, onError })
}

/** Returns an error that only an operator can fix. Throws any other error, so that the caller retries. */
async function checkAttributes(client: Client): Promise<'listed' | 'queried' | SearchAttributesWrong> {
  try {
    return await requireSearchAttributes(client, wantedAttributes)
  } catch (error) {
    if (error instanceof SearchAttributesWrong) return error
    throw error
  }
}

/**
 * Warns if this build gets no work because it is neither promoted nor ramped: otherwise the worker would seem to hang.
 */
async function reportVersion(client: Client, { taskQueuePrefix }: Config, log: Log): Promise<void> {
  const build = ownVersion()
  const find = () => findDeployment(client, deploymentNameOf(taskQueuePrefix))
  try {
    const deployment = await client.withDeadline(deadlineIn(5_000), find)
    if (deployment?.current === build || deployment?.ramping?.build === build) return
    log.warn({ build }, 'this build gets no work until an operator runs `ops worker promote` or `ops worker ramp`')
  } catch (error) {
    if (isUnsupported(error))
      throw new ConfigError(['WORKER_VERSIONING is on, but this Temporal server has no worker deployments.'])
    log.warn({ err: error }, 'cannot read the worker deployment')
  }
}

interface ActivityParts {
  readonly client: Client
  readonly payouts: ReturnType<typeof createPayoutParts>
  readonly mailer: Mailer | null
  readonly sandboxBank: SimulatedBank | null
}

function activitiesOf(config: Config, parts: ActivityParts): Activities {
  const { client, payouts, mailer, sandboxBank } = parts
  const { seller, opsEmail, publicUrl, retention, activityRetentionDays, activityReadRetentionDays } = config
  return createActivities(payouts.brief, {
    ...payouts.background,
    banks: banksOf(config.bank, payouts.backgroundRails),
    sandboxBank,
    temporal: client,
    queuePrefix: config.taskQueuePrefix,
    pollMs: config.payouts.pollMs,
    verificationPollMs: config.verificationPollMs,
    ...config.sweep,
    proof: { ...config.proof, ...config.sweep },
    seller,
    mailer,
    opsEmail,
    publicUrl,
    retention,
    activityRetentionDays,
    activityReadRetentionDays,
  })
}

function queuesOf({ taskQueuePrefix }: Config): string[] {
  const housekeeping = ofSystem(housekeepingQueue, taskQueuePrefix)
  const ofPayouts = environments.map((environment) => payoutQueue(environment, taskQueuePrefix))
  return [...ofPayouts, housekeeping, mailQueue(housekeeping)]
}

/** Each queue has its own slots, so that a slow bank in one environment does not block the other. */
function createWorkers(
  { taskQueuePrefix, temporal, workerVersioning }: Config,
  connection: NativeConnection,
  { activities, tracing }: { activities: Activities; tracing: Tracing | null },
): Promise<Worker[]> {
  const activityInterceptors = tracing === null ? [] : [traceActivities(tracing.tracer)]
  const own = { deploymentName: deploymentNameOf(taskQueuePrefix), buildId: ownVersion() }
  const version = workerVersioning === 'on' ? own : null
  const activitiesOnly = { connection, namespace: temporal.namespace, activities, activityInterceptors, version }
  const parts = { ...activitiesOnly, workflowBundle: { codePath: bundlePath } }
  const housekeeping = ofSystem(housekeepingQueue, taskQueuePrefix)
  return Promise.all([
    ...environments.map((environment) =>
      createWorker({ ...parts, taskQueue: payoutQueue(environment, taskQueuePrefix), load: 'payouts' }),
    ),
    createWorker({ ...parts, taskQueue: housekeeping, load: 'housekeeping' }),
    createWorker({ ...activitiesOnly, taskQueue: mailQueue(housekeeping), load: 'mail' }),
  ])
}

interface WebhookParts {
  readonly db: Db
  readonly rails: Rails
  readonly waiting: WaitOptions
}

/**
 * Registers our webhook with each bank. Resolves when every webhook is registered, or when the worker must stop. Never
 * rejects. Payouts do not wait for the registration, because they can settle by polling.
 */
export async function registerWebhooks(
  { bank, webhookUrl }: Pick<Config, 'bank' | 'webhookUrl'>,
  { db, rails, waiting }: WebhookParts,
): Promise<void> {
  const railOf = { sandbox: rails.provider_sandbox, live: rails.provider_production }
  const registrations = environments
    .filter((environment) => bank[environment] !== null)
    .map((environment) => {
      const deps = { db, clock: systemClock, rail: railOf[environment] }
      const attempt = () => registerWebhook(deps, { environment, url: webhookUrl })
      return untilAvailable(`The ${environment} bank`, attempt, waiting)
    })
  await Promise.allSettled(registrations)
}
