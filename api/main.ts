// The API process: `node dist/api/main.js`, with the configured PostgreSQL and Temporal.

import { createRateStore } from '../db/bank/exchange-rates'
import { openDatabase } from '../db/data-source'
import type { Db } from '../db/database'
import { openKeyring } from '../db/keyring'
import { environments } from '../domain/environment'
import { createMailer } from '../mail/mailer'
import { createRails } from '../rail/rails'
import { createRates, type RatesOptions } from '../rail/rates'
import { simulatedBankOrNone } from '../rail/simulated-bank'
import { systemClock } from '../runtime/clock'
import { type Config, ConfigError, loadConfig } from '../runtime/config/config'
import { bufferedOutput, createLog, type Log } from '../runtime/log'
import { connectClient, pingTemporal } from '../runtime/temporal/client'
import { refusalOf } from '../runtime/temporal/refusal'
import { createWorkflows } from '../runtime/temporal/workflows'
import { openTracing } from '../runtime/tracing'
import { createActivityLog } from './controls/activity-log'
import { apiVersion } from './docs/discovery'
import { createAdmission } from './http/admission'
import { createRateLimiter, unlimited } from './http/callers/rate-limiter'
import { costlyReadMs, createCostlyReads, limitsFor } from './http/costly-reads'
import { listen, stop } from './http/listen'
import { createMailSender } from './mail-sender'
import { createBankMetrics, createRequestMetrics } from './metrics/requests'
import { openMetrics } from './metrics/server'
import { createApi } from './server'

async function main(): Promise<void> {
  const config = loadConfig()
  const stopping = stopRequested()
  const clock = systemClock
  const output = bufferedOutput()
  const log = createLog({ level: config.logLevel, name: 'api' }, output)
  const [db, readDb] = await openPools(config, log)
  const tracing = openTracing(config.tracing, { name: 'payouts-api', version: apiVersion, clock, log })
  const temporal = connectClient(config.temporal, tracing?.temporalCalls)
  const bankCalls = createBankMetrics(environments.filter((each) => config.bank[each] !== null))
  const watched = { around: tracing?.bankCalls, onCall: bankCalls.count }
  const rails = createRails({ bank: config.bank, clock, timeouts: rateTimeouts, ...watched })
  const sandboxBank = simulatedBankOrNone(config.bank.sandbox, clock, simulateTimeouts)
  const liveBank = simulatedBankOrNone(config.bank.live, clock, simulateTimeouts)
  const workflows = createWorkflows({ temporal, config, log })
  const activityLog = createActivityLog({ db, clock, log })
  const keyring = openKeyring(config.secretKeys)
  const mailer = config.mail === null ? null : createMailer({ ...config.mail, ...mailTimeouts })
  const mails = createMailSender({ db, keyring, mailer, clock, log })
  const requests = createRequestMetrics()
  const admission = createAdmission(config.payoutsAtOnce)
  const onRejected = warnOfRate(log)
  const ping = () => pingTemporal(temporal, 2_000)
  const server = createApi({
    config,
    db,
    admission,
    costlyReads: createCostlyReads({ db: readDb, limits: limitsFor(config.readsPerPartner) }),
    keyring,
    rates: createRates({ rails, store: createRateStore(db, config.rates), limits: config.rates, clock, onRejected }),
    workflows,
    sandboxBank,
    liveBank,
    mails,
    activityLog,
    rateLimiter: config.rateLimit === 'on' ? createRateLimiter({ db, clock, log }) : unlimited,
    clock,
    log,
    requests,
    tracer: tracing?.tracer ?? null,
    pingTemporal: ping,
  })
  await listen(server, config)
  const counted = { requests, bankCalls, admission }
  const { retention } = config
  const metrics = await openMetrics(config.metrics, { db, clock, ...counted, retention, pingTemporal: ping })
  log.info({ port: config.port }, 'listening')
  if (process.connected) process.send?.({ ready: true })
  pingTemporal(temporal, refusalWithinMs).catch(warnOfRefusal(log))

  await stopping
  // A deployment waits ten seconds for the process to stop, so the process must not wait longer for a verdict or a
  // server.
  setTimeout(workflows.stopWaiting, waitAtMostMs).unref()
  setTimeout(() => process.exit(1), endWithinMs).unref()
  await stop(server)
  await metrics.close()
  await mails.close()
  mailer?.close()
  await activityLog.close()
  await temporal.connection.close()
  rails.close()
  sandboxBank?.close()
  liveBank?.close()
  await readDb.close()
  await db.close()
  await tracing?.close()
  log.info('stopped')
}

async function openPools(config: Config, log: Log): Promise<[db: Db, readDb: Db]> {
  const pool = { url: config.databaseUrl, onError: warn(log) }
  const db = await openDatabase({ ...pool, poolSize: config.databasePoolSize })
  return [db, await openDatabase({ ...pool, poolSize: config.databaseReadPoolSize, statementMs: costlyReadMs })]
}

const waitAtMostMs = 4_000
const endWithinMs = 8_500

/** A caller waits for the rate, so the timeout is short. An older rate can be used for a limited time. */
const rateTimeouts = { connectMs: 500, callMs: 2_000 }

/** A simulation makes at most two calls to the bank, and its caller waits for at most two seconds. */
const simulateTimeouts = { connectMs: 500, callMs: 1_000 }

/** Below the ten seconds within which the process must stop. The next process retries an unsent email. */
const mailTimeouts = { connectTimeoutMs: 3_000, answerTimeoutMs: 5_000 }

function warn(log: Log): (error: Error) => void {
  return (error) => log.warn({ err: error }, 'lost a database connection')
}

function warnOfRate(log: Log): RatesOptions['onRejected'] {
  return (rail, rejection) => log.warn({ rail, rejection }, 'rejected exchange rate')
}

const refusalWithinMs = 5_000

/** Logs why a Temporal server refuses our credentials, because only an operator can fix that. */
function warnOfRefusal(log: Log): (error: unknown) => void {
  return (error) => {
    const refusal = refusalOf(error)
    if (refusal !== null) log.warn(`Temporal cannot be used: ${refusal}`)
  }
}

/** Stops on SIGTERM, on Ctrl-C, or when the parent process ends. */
function stopRequested(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, resolve)
  })
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const sentence = error instanceof ConfigError || error instanceof Error ? error.message : String(error)
    process.stderr.write(`${sentence}\n`)
    process.exit(1)
  },
)
