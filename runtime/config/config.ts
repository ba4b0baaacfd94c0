// The only reader of process.env: one checked, frozen Config, and every mistake reported at once by its variable's name.
import { type BankConfig, type RateConfig, readBank, readRates } from './bank'
import { type MetricsConfig, readMetrics, readOpsUser, readTrustedProxies } from './deployment'
import { refuseDevelopmentSecrets } from './development-secrets'
import { dayMs, hourMs, minuteMs } from './durations'
import { ConfigError } from './error'
import { type MailConfig, readMail, readSeller, type SellerConfig } from './mail'
import {
  type CaseDueConfig,
  type PayoutConfig,
  readCaseDue,
  readPayouts,
  readSweep,
  readVerificationPoll,
  type SweepConfig,
} from './payouts'
import { type ProofConfig, readProof } from './proof'
import { type EnvironmentVariables, Reader, type SecretKey } from './reader'
import { readTemporal, readTemporalUi, type TemporalConfig } from './temporal'
import { readTracing, type TracingConfig } from './tracing'

export type { BankAccess, BankConfig, RateConfig } from './bank'
export type { MetricsConfig } from './deployment'
export { ConfigError } from './error'
export type { MailConfig, SellerConfig } from './mail'
export type { PayoutConfig, SweepConfig } from './payouts'
export type { EnvironmentVariables, SecretKey } from './reader'
export type { TemporalConfig, TemporalTls } from './temporal'
export type { TracingConfig } from './tracing'

export interface Config {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly databaseUrl: string
  readonly databasePoolSize: number
  /** Connections of an API process for reads of a partner's history; those above are for everything else. */
  readonly databaseReadPoolSize: number
  /** How many such reads of one partner run at once in an API process. */
  readonly readsPerPartner: number
  readonly temporal: TemporalConfig
  readonly secretKeys: readonly SecretKey[]
  readonly rateLimit: 'on' | 'off'
  readonly logLevel: LogLevel
  readonly activityRetentionDays: number
  /** For calls that only read; everything else that changed nothing stays as long as above. */
  readonly activityReadRetentionDays: number
  readonly bank: BankConfig
  /** Which rates of the bank are used. */
  readonly rates: RateConfig
  /** Where the bank's events reach our API; null where nobody tells the bank, and it is only asked. */
  readonly webhookUrl: string | null
  /** What the names of the payouts' task queues begin with: another one for each system on one Temporal server. */
  readonly taskQueuePrefix: string
  readonly payouts: PayoutConfig
  readonly sweep: SweepConfig
  /** The pauses between two questions to the bank about a verification: the first, the second …, and from then on the last. */
  readonly verificationPollMs: readonly number[]
  /** How long after its opening a recall or trace is overdue. */
  readonly caseDueMs: CaseDueConfig
  /** How often the history of every wallet is read, whether or not the bank has spoken of it. */
  readonly walletReadEveryMs: number
  /** How often admins are mailed what there is to tell. */
  readonly noticesEveryMs: number
  readonly proof: ProofConfig
  /** Who is mailed about drifts; null where nobody is. */
  readonly opsEmail: string | null
  /** How often what was booked, charged and changed is chained. */
  readonly auditSealEveryMs: number
  /** How long the bank details of a payout that is over are kept, and the bank's events. */
  readonly retention: { readonly recipientDays: number; readonly bankEventDays: number }
  /** A live credit of a held deposit above it waits for a second operator. */
  readonly depositConfirmAboveUsdc: number
  /** How long the admins of a closed partner may sign in and read. */
  readonly closedPartnerReadDays: number
  /** Null where no server takes our mails: they wait. */
  readonly mail: MailConfig | null
  /** Who invoices; null where nobody was named, and then no invoice can be issued. */
  readonly seller: SellerConfig | null
  /** How long a person stays signed in. */
  readonly session: { readonly idleMs: number; readonly absoluteMs: number }
  /** Whether businesses may open an account themselves. */
  readonly signUp: 'on' | 'off'
  /** How many proxies stand before us, each of which writes the address it saw into X-Forwarded-For. */
  readonly trustedProxies: number
  /** The Temporal Web UI with its namespace, such as http://localhost:8233/namespaces/default; null when the dashboard must not link to it. */
  readonly temporalUiUrl: string | null
  /** Where people read the mails of a machine that keeps them; null where mails go to their own inboxes. */
  readonly mailInboxUrl: string | null
  readonly metrics: MetricsConfig
  /** Null where nothing is traced. */
  readonly tracing: TracingConfig | null
}

export type LogLevel = (typeof logLevels)[number]

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** What this process was started with, for those who start others; everybody else takes a Config. */
export function environment(): EnvironmentVariables {
  return process.env
}

export function loadConfig(env: EnvironmentVariables = process.env): Config {
  const read = new Reader(env)
  const config = readConfig(read)
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return Object.freeze(config)
}

/** Whatever is set of it, as it is set: for those who start other processes that must go by the same settings. */
export function settingsIn(env: EnvironmentVariables): EnvironmentVariables {
  const read = new Reader(env)
  readConfig(read)
  return read.used
}

function readConfig(read: Reader): Config {
  const port = read.integer('PORT', 3000, 0, 65535)
  const config: Config = {
    host: read.text('HOST', '127.0.0.1'),
    port,
    publicUrl: read.url('PUBLIC_URL', ['http:', 'https:'], `http://localhost:${port}`).replace(/\/$/, ''),
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 1, 500),
    databaseReadPoolSize: read.integer('DATABASE_READ_POOL_SIZE', 4, 1, 500),
    readsPerPartner: read.integer('READS_PER_PARTNER', 1, 1, 100),
    temporal: readTemporal(read),
    secretKeys: read.secretKeys('SECRET_KEYS'),
    rateLimit: read.oneOf('RATE_LIMIT', ['on', 'off'], 'on'),
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    activityRetentionDays: read.integer('ACTIVITY_RETENTION_DAYS', 400, 1, 36_500),
    activityReadRetentionDays: read.integer('ACTIVITY_READ_RETENTION_DAYS', 7, 1, 36_500),
    bank: readBank(read),
    rates: readRates(read),
    webhookUrl: read.optionalUrl('WEBHOOK_URL'),
    taskQueuePrefix: read.word('TASK_QUEUE_PREFIX', 'payouts'),
    payouts: readPayouts(read),
    sweep: readSweep(read),
    caseDueMs: readCaseDue(read),
    verificationPollMs: readVerificationPoll(read),
    walletReadEveryMs: read.integer('WALLET_READ_EVERY_MS', 5 * minuteMs, 1_000, dayMs),
    noticesEveryMs: read.integer('NOTICES_EVERY_MS', minuteMs, 1_000, dayMs),
    proof: readProof(read),
    opsEmail: read.has('OPS_EMAIL') ? read.mailbox('OPS_EMAIL').address : null,
    auditSealEveryMs: read.integer('AUDIT_SEAL_EVERY_MS', minuteMs, 1_000, dayMs),
    retention: {
      recipientDays: read.integer('RECIPIENT_RETENTION_DAYS', 400, 1, 36_500),
      bankEventDays: read.integer('BANK_EVENT_RETENTION_DAYS', 400, 1, 36_500),
    },
    ...readOpsLimits(read),
    mail: readMail(read),
    seller: readSeller(read),
    session: {
      idleMs: read.integer('SESSION_IDLE_MS', 12 * hourMs, 1_000, 10 * dayMs),
      absoluteMs: read.integer('SESSION_MS', 7 * dayMs, 1_000, 10 * dayMs),
    },
    signUp: read.oneOf('SIGN_UP', ['on', 'off'], 'on'),
    trustedProxies: readTrustedProxies(read),
    temporalUiUrl: readTemporalUi(read),
    mailInboxUrl: read.optionalUrl('MAIL_INBOX_URL'),
    metrics: readMetrics(read),
    tracing: readTracing(read),
  }
  refuseDevelopmentSecrets(read, config)
  return config
}

/** The part of it that the command line needs; only commands that make a secret need the secret keys. */
export function loadOpsConfig(env: EnvironmentVariables): OpsConfig {
  const read = new Reader(env)
  const config = {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    secretKeys: read.has('SECRET_KEYS') ? read.secretKeys('SECRET_KEYS') : [],
    bank: readBank(read),
    rates: readRates(read),
    temporal: read.has('TEMPORAL_ADDRESS') ? readTemporal(read) : null,
    taskQueuePrefix: read.word('TASK_QUEUE_PREFIX', 'payouts'),
    payouts: readPayouts(read),
    caseDueMs: readCaseDue(read),
    verificationPollMs: readVerificationPoll(read),
    proof: { ...readProof(read), ...readSweep(read) },
    ...readOpsLimits(read),
    user: readOpsUser(read),
  }
  refuseDevelopmentSecrets(read, config)
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return Object.freeze(config)
}

function readOpsLimits(read: Reader): Pick<Config, 'depositConfirmAboveUsdc' | 'closedPartnerReadDays'> {
  return {
    depositConfirmAboveUsdc: read.integer('DEPOSIT_CONFIRM_ABOVE_USDC', 1_000, 0, 1_000_000),
    closedPartnerReadDays: read.integer('CLOSED_PARTNER_READ_DAYS', 90, 0, 3_650),
  }
}

export type OpsConfig = Pick<
  Config,
  | 'depositConfirmAboveUsdc'
  | 'closedPartnerReadDays'
  | 'databaseUrl'
  | 'secretKeys'
  | 'bank'
  | 'rates'
  | 'taskQueuePrefix'
  | 'payouts'
  | 'caseDueMs'
  | 'verificationPollMs'
> & {
  readonly temporal: TemporalConfig | null
  readonly proof: ProofConfig & SweepConfig
  /** Who gives the commands; null where that is whoever is logged in to this machine. */
  readonly user: string | null
}

/** All that a migration needs; empty where it is neither set nor in a file that can be read. */
export function loadDatabaseUrl(env: EnvironmentVariables): string {
  return new Reader(env).text('DATABASE_URL', '')
}

/** All that is needed to ask a Temporal server something. */
export function loadTemporalConfig(env: EnvironmentVariables): TemporalConfig {
  const read = new Reader(env)
  const temporal = readTemporal(read)
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return temporal
}
