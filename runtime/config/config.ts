// Loads the configuration. Only this file reads process.env.
import { refuseDevelopmentSecrets } from './production'
import { type EnvironmentVariables, Reader } from './read'
import {
  readBank,
  readCaseDue,
  readMail,
  readOpsUser,
  readPayouts,
  readProof,
  readRates,
  readRetention,
  readSeller,
  readSweep,
  readTemporal,
  readTemporalUi,
  readTracing,
  readTrustedProxies,
} from './sections'
import { variablesOf } from './setting'
import { settings } from './settings'
import type { Config, LocalPorts, OpsConfig, TemporalConfig } from './types'

export type { SecretKey } from './kinds'
export { ConfigError, type EnvironmentVariables } from './read'
export type {
  BankConfig,
  Config,
  LocalPorts,
  LogLevel,
  MetricsConfig,
  OpsConfig,
  PayoutConfig,
  SweepConfig,
  TemporalConfig,
  TemporalTls,
  TracingConfig,
} from './types'

/** This process's environment variables, for code that starts other processes. All other code uses a Config. */
export function environment(): EnvironmentVariables {
  return process.env
}

/** The settings of the API and the worker. Throws a ConfigError that lists every mistake. */
export function loadConfig(env: EnvironmentVariables = process.env): Config {
  const reader = new Reader(env)
  const config = readConfig(reader)
  refuseDevelopmentSecrets(reader, config)
  reader.throwMistakes()
  return Object.freeze(config)
}

export function loadOpsConfig(env: EnvironmentVariables): OpsConfig {
  const reader = new Reader(env)
  const config: OpsConfig = {
    databaseUrl: reader.read('DATABASE_URL'),
    secretKeys: reader.has('SECRET_KEYS') ? reader.read('SECRET_KEYS') : [],
    bank: readBank(reader),
    rates: readRates(reader),
    webhookUrl: reader.read('WEBHOOK_URL'),
    temporal: reader.has('TEMPORAL_ADDRESS') ? readTemporal(reader) : null,
    taskQueuePrefix: reader.read('TASK_QUEUE_PREFIX'),
    payouts: readPayouts(reader),
    caseDueMs: readCaseDue(reader),
    verificationPollMs: reader.read('VERIFICATION_POLL_MS'),
    proof: { ...readProof(reader), ...readSweep(reader) },
    depositConfirmAboveUsdc: reader.read('DEPOSIT_CONFIRM_ABOVE_USDC'),
    closedPartnerReadDays: reader.read('CLOSED_PARTNER_READ_DAYS'),
    retention: readRetention(reader),
    user: readOpsUser(reader),
  }
  refuseDevelopmentSecrets(reader, config)
  reader.throwMistakes()
  return Object.freeze(config)
}

/** For the few ops commands that issue invoices: a mistake in these settings must not stop any other command. */
export function loadSeller(env: EnvironmentVariables): Config['seller'] {
  const reader = new Reader(env)
  const seller = readSeller(reader)
  reader.throwMistakes()
  return seller
}

export function loadTemporalConfig(env: EnvironmentVariables): TemporalConfig {
  const reader = new Reader(env)
  const temporal = readTemporal(reader)
  reader.throwMistakes()
  return temporal
}

/** The settings that only `npm start` reads. */
export function loadLocalPorts(env: EnvironmentVariables): LocalPorts {
  const reader = new Reader(env)
  const ports = {
    TEMPORAL_UI_PORT: reader.read('TEMPORAL_UI_PORT'),
    SANDBOX_BANK_PORT: reader.read('SANDBOX_BANK_PORT'),
    MAIL_INBOX_PORT: reader.read('MAIL_INBOX_PORT'),
  }
  reader.throwMistakes()
  return ports
}

/** For migrations. Empty if the setting is missing or its file cannot be read. */
export function loadDatabaseUrl(env: EnvironmentVariables): string {
  return new Reader(env).text('DATABASE_URL')
}

/**
 * The settings among these variables, for a process that must use the same ones. Excludes OPS_USER, which each operator
 * sets.
 */
export function settingsIn(env: EnvironmentVariables): EnvironmentVariables {
  const shared = Object.entries(settings).filter(([name]) => name !== 'OPS_USER')
  const variables = shared.flatMap(([name, setting]) => variablesOf(name, setting))
  return Object.fromEntries(variables.flatMap(({ variable: name }) => (env[name] ? [[name, env[name]]] : [])))
}

function readConfig(reader: Reader): Config {
  const port = reader.read('PORT')
  return {
    host: reader.read('HOST'),
    port,
    publicUrl: (reader.read('PUBLIC_URL') ?? `http://localhost:${port}`).replace(/\/$/, ''),
    databaseUrl: reader.read('DATABASE_URL'),
    databasePoolSize: reader.read('DATABASE_POOL_SIZE'),
    databaseReadPoolSize: reader.read('DATABASE_READ_POOL_SIZE'),
    readsPerPartner: reader.read('READS_PER_PARTNER'),
    payoutsAtOnce: reader.read('PAYOUTS_AT_ONCE'),
    temporal: readTemporal(reader),
    secretKeys: reader.read('SECRET_KEYS'),
    rateLimit: reader.read('RATE_LIMIT'),
    logLevel: reader.read('LOG_LEVEL'),
    activityRetentionDays: reader.read('ACTIVITY_RETENTION_DAYS'),
    activityReadRetentionDays: reader.read('ACTIVITY_READ_RETENTION_DAYS'),
    bank: readBank(reader),
    rates: readRates(reader),
    webhookUrl: reader.read('WEBHOOK_URL'),
    taskQueuePrefix: reader.read('TASK_QUEUE_PREFIX'),
    workerVersioning: reader.read('WORKER_VERSIONING'),
    payouts: readPayouts(reader),
    sweep: readSweep(reader),
    caseDueMs: readCaseDue(reader),
    verificationPollMs: reader.read('VERIFICATION_POLL_MS'),
    walletReadEveryMs: reader.read('WALLET_READ_EVERY_MS'),
    noticesEveryMs: reader.read('NOTICES_EVERY_MS'),
    proof: readProof(reader),
    opsEmail: reader.read('OPS_EMAIL')?.address ?? null,
    supportEmail: reader.read('SUPPORT_EMAIL')?.address ?? null,
    auditSealEveryMs: reader.read('AUDIT_SEAL_EVERY_MS'),
    retention: readRetention(reader),
    depositConfirmAboveUsdc: reader.read('DEPOSIT_CONFIRM_ABOVE_USDC'),
    closedPartnerReadDays: reader.read('CLOSED_PARTNER_READ_DAYS'),
    mail: readMail(reader),
    seller: readSeller(reader),
    session: { idleMs: reader.read('SESSION_IDLE_MS'), absoluteMs: reader.read('SESSION_MS') },
    signUp: reader.read('SIGN_UP'),
    trustedProxies: readTrustedProxies(reader),
    temporalUiUrl: readTemporalUi(reader),
    mailInboxUrl: reader.read('MAIL_INBOX_URL'),
    metrics: {
      host: reader.read('METRICS_HOST'),
      apiPort: reader.read('METRICS_PORT'),
      workerPort: reader.read('WORKER_METRICS_PORT'),
    },
    tracing: readTracing(reader),
  }
}
