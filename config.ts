// The only reader of process.env: one checked, frozen Config, and every mistake reported at once by its variable's name.
import { type EnvironmentVariables, Reader, type SecretKey } from './setting-reader'

export type { EnvironmentVariables, SecretKey } from './setting-reader'

export interface Config {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly databaseUrl: string
  readonly databasePoolSize: number
  readonly temporal: TemporalConfig
  readonly secretKeys: readonly SecretKey[]
  readonly rateLimit: 'on' | 'off'
  readonly logLevel: LogLevel
  readonly activityRetentionDays: number
  readonly bank: BankConfig
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
  /** Where people look at workflows, with the namespace, such as http://localhost:8233/namespaces/default; null where they can not. */
  readonly temporalUiUrl: string | null
  /** Where people read the mails of a machine that keeps them; null where mails go to their own inboxes. */
  readonly mailInboxUrl: string | null
  readonly metrics: MetricsConfig
}

/** Where Prometheus reads; null for a process that it does not. Each has a port, as both may run on one machine. */
export interface MetricsConfig {
  readonly host: string
  readonly apiPort: number | null
  readonly workerPort: number | null
}

export interface MailConfig {
  readonly smtpUrl: string
  readonly from: { readonly name: string; readonly address: string }
}

/** What an invoice prints about the one who issues it. */
export interface SellerConfig {
  readonly name: string
  readonly addressLines: readonly string[]
  readonly email: string
  readonly companyNumber: string | null
  /** Both or none: without them the invoice says that no VAT is charged. */
  readonly vat: { readonly number: string; readonly basisPoints: number } | null
  /** How to pay, line by line. */
  readonly paymentLines: readonly string[]
}

export interface BankConfig {
  readonly sandbox: BankAccess | null
  readonly live: BankAccess | null
}

export interface BankAccess {
  /** With the version of the protocol behind it, such as http://127.0.0.1:8300/v0. */
  readonly url: string
  readonly key: string
}

/** Every interval and deadline of a payout, so that tests run in milliseconds. */
export interface PayoutConfig {
  /** How long a caller is kept waiting for the verdict. */
  readonly answerTimeoutMs: number
  /** The pauses between two questions to the bank: the first, the second …, and from then on the last. */
  readonly pollMs: readonly number[]
  /** How long the identical call is repeated under one bank key: less than the bank remembers it for. */
  readonly repeatForMs: number
  /** How long after the first call a listing without the transfer proves that there is none. */
  readonly quietMs: number
  /** Each call while a caller waits, and its connection. */
  readonly briefCallMs: number
  readonly briefConnectMs: number
  /** Until then a call may begin while a caller waits, the first one and those to a bank that was busy: with the last of them everything is over one call's time later. */
  readonly answerWithinMs: number
  /** Each call that nobody waits for; below the 30 s that a poll has. */
  readonly patientCallMs: number
}

/** How often our books are compared with the bank's, and how patiently. */
export interface ProofConfig {
  readonly everyMs: number
  /** How old a deposit may be that is not booked. */
  readonly graceMs: number
  /** How long nothing must have moved in a wallet before its balance is judged. */
  readonly quietMs: number
  /** Between the two looks that must agree. */
  readonly pauseMs: number
}

export interface CaseDueConfig {
  readonly recall: number
  readonly trace: number
}

/** How often payouts without a workflow and sandboxes without a bank are looked for, how old a payout must be for that, and when it is overdue. */
export interface SweepConfig {
  readonly everyMs: number
  readonly olderThanMs: number
  /** How old a payout may be that the bank has and that is not over, before people are told. */
  readonly settleWithinMs: number
  /** The same for one of which nobody knows whether the bank has it. */
  readonly knownWithinMs: number
}

export interface TemporalConfig {
  readonly address: string
  readonly namespace: string
  readonly tls: boolean
  readonly apiKey: string | null
}

export type LogLevel = (typeof logLevels)[number]

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export class ConfigError extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}

/** What this process was started with, for those who start others; everybody else takes a Config. */
export function environment(): EnvironmentVariables {
  return process.env
}

export function loadConfig(env: EnvironmentVariables = process.env): Config {
  const read = new Reader(env)
  const port = read.integer('PORT', 3000, 0, 65535)
  const config: Config = {
    host: read.text('HOST', '0.0.0.0'),
    port,
    publicUrl: read.url('PUBLIC_URL', ['http:', 'https:'], `http://localhost:${port}`).replace(/\/$/, ''),
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 1, 500),
    temporal: readTemporal(read),
    secretKeys: read.secretKeys('SECRET_KEYS'),
    rateLimit: read.oneOf('RATE_LIMIT', ['on', 'off'], 'on'),
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    activityRetentionDays: read.integer('ACTIVITY_RETENTION_DAYS', 400, 1, 36_500),
    bank: readBank(read),
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
    mail: readMail(read),
    seller: readSeller(read),
    session: {
      idleMs: read.integer('SESSION_IDLE_MS', 12 * hourMs, 1_000, 10 * dayMs),
      absoluteMs: read.integer('SESSION_MS', 7 * dayMs, 1_000, 10 * dayMs),
    },
    signUp: read.oneOf('SIGN_UP', ['on', 'off'], 'on'),
    trustedProxies: readTrustedProxies(read),
    temporalUiUrl: read.optionalUrl('TEMPORAL_UI_URL')?.replace(/\/+$/, '') ?? null,
    mailInboxUrl: read.optionalUrl('MAIL_INBOX_URL'),
    metrics: readMetrics(read),
  }
  refuseDevelopmentSecrets(read, config)
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return Object.freeze(config)
}

/** The part of it that the command line needs; only commands that make a secret need the secret keys. */
export function loadOpsConfig(env: EnvironmentVariables): OpsConfig {
  const read = new Reader(env)
  const config = {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    secretKeys: read.has('SECRET_KEYS') ? read.secretKeys('SECRET_KEYS') : [],
    bank: readBank(read),
    temporal: read.has('TEMPORAL_ADDRESS') ? readTemporal(read) : null,
    taskQueuePrefix: read.word('TASK_QUEUE_PREFIX', 'payouts'),
    payouts: readPayouts(read),
    caseDueMs: readCaseDue(read),
    verificationPollMs: readVerificationPoll(read),
    proof: { ...readProof(read), ...readSweep(read) },
  }
  refuseDevelopmentSecrets(read, config)
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return Object.freeze(config)
}

export type OpsConfig = Pick<
  Config,
  'databaseUrl' | 'secretKeys' | 'bank' | 'taskQueuePrefix' | 'payouts' | 'caseDueMs' | 'verificationPollMs'
> & {
  readonly temporal: TemporalConfig | null
  readonly proof: ProofConfig & SweepConfig
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

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

function readTemporal(read: Reader): TemporalConfig {
  return {
    address: read.text('TEMPORAL_ADDRESS'),
    namespace: read.text('TEMPORAL_NAMESPACE', 'default'),
    tls: read.oneOf('TEMPORAL_TLS', ['on', 'off'], 'off') === 'on',
    apiKey: read.text('TEMPORAL_API_KEY', '') || null,
  }
}

/** We speak no TLS, so https ends at a proxy: uncounted, all callers would share its address, and its limits. */
function readTrustedProxies(read: Reader): number {
  if (read.text('PUBLIC_URL', '').startsWith('https:') && !read.has('TRUSTED_PROXIES')) {
    read.mistakes.push(
      'TRUSTED_PROXIES is required where PUBLIC_URL is https: how many proxies stand before the API, or 0.',
    )
  }
  return read.integer('TRUSTED_PROXIES', 0, 0, 10)
}

/** Loopback unless told otherwise: the figures tell a partner's competitors more than they should know. */
function readMetrics(read: Reader): MetricsConfig {
  const port = (name: string) => (read.has(name) ? read.integer(name, 0, 1, 65535) : null)
  return {
    host: read.text('METRICS_HOST', '127.0.0.1'),
    apiPort: port('METRICS_PORT'),
    workerPort: port('WORKER_METRICS_PORT'),
  }
}

/** Whoever has read this repository, or the data folder of a trial, could open what such a secret seals. */
function refuseDevelopmentSecrets(read: Reader, secrets: Pick<Config, 'secretKeys' | 'bank' | 'databaseUrl'>): void {
  if (read.text('NODE_ENV', 'development') !== 'production') return
  const refuse = (name: string, why: string) => read.mistakes.push(`${name} ${why}: production refuses it.`)
  for (const { id, bytes } of secrets.secretKeys) {
    if (id.startsWith('local')) refuse('SECRET_KEYS', `has a key, ${id}, that npm start made`)
    // Of 32 random bytes about 30 differ.
    else if (new Set(bytes).size < 16) refuse('SECRET_KEYS', `has a key, ${id}, that is not random`)
  }
  for (const environment of ['sandbox', 'live'] as const) {
    const key = secrets.bank[environment]?.key.replace(/^sk-(test|live)-/, '')
    const name = `BANK_${environment.toUpperCase()}_KEY`
    if (key?.startsWith('local-')) refuse(name, 'was made by npm start')
    else if (key && key.length < 16) refuse(name, 'is an example')
  }
  const password = URL.canParse(secrets.databaseUrl) ? new URL(secrets.databaseUrl).password.toLowerCase() : ''
  if (examplePasswords.includes(password)) refuse('DATABASE_URL', 'has the password of an example')
}

const examplePasswords = ['postgres', 'password', 'payouts', 'secret', 'example', 'changeme', 'temporal']

function readBank(read: Reader): BankConfig {
  const access = (environment: 'SANDBOX' | 'LIVE'): BankAccess | null => {
    const url = read.optionalUrl(`BANK_${environment}_URL`)
    return url === null ? null : { url: url.replace(/\/+$/, ''), key: read.text(`BANK_${environment}_KEY`) }
  }
  return { sandbox: access('SANDBOX'), live: access('LIVE') }
}

/** Quick while people are at the bank's pages, and slower the longer they have left them. */
function readVerificationPoll(read: Reader): readonly number[] {
  const pauses = [2_000, 5_000, 15_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 3 * hourMs, 12 * hourMs, dayMs]
  return read.integers('VERIFICATION_POLL_MS', pauses, 10, dayMs)
}

function readProof(read: Reader): ProofConfig {
  return {
    everyMs: read.integer('PROOF_EVERY_MS', 15 * minuteMs, 1_000, dayMs),
    graceMs: read.integer('PROOF_GRACE_MS', 30 * minuteMs, 0, dayMs),
    quietMs: read.integer('PROOF_QUIET_MS', 10_000, 0, hourMs),
    pauseMs: read.integer('PROOF_PAUSE_MS', 2_000, 0, minuteMs),
  }
}

function readSweep(read: Reader): SweepConfig {
  return {
    everyMs: read.integer('SWEEP_EVERY_MS', 60_000, 1_000, dayMs),
    olderThanMs: read.integer('SWEEP_OLDER_THAN_MS', 10_000, 0, dayMs),
    settleWithinMs: read.integer('PAYOUT_SETTLE_WITHIN_MS', 2 * hourMs, 1_000, 7 * dayMs),
    knownWithinMs: read.integer('PAYOUT_KNOWN_WITHIN_MS', 15 * minuteMs, 1_000, 7 * dayMs),
  }
}

function readCaseDue(read: Reader): CaseDueConfig {
  return {
    recall: read.integer('CASE_RECALL_DUE_MS', 10 * dayMs, 1, 90 * dayMs),
    trace: read.integer('CASE_TRACE_DUE_MS', 5 * dayMs, 1, 90 * dayMs),
  }
}

function readMail(read: Reader): MailConfig | null {
  if (!read.has('SMTP_URL')) return null
  return { smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']), from: read.mailbox('MAIL_FROM') }
}

function readSeller(read: Reader): SellerConfig | null {
  if (!read.has('SELLER_NAME')) return null
  const vat = read.has('SELLER_VAT_NUMBER') || read.has('SELLER_VAT_RATE')
  return {
    name: read.text('SELLER_NAME'),
    addressLines: read.lines('SELLER_ADDRESS'),
    email: read.mailbox('SELLER_EMAIL').address,
    companyNumber: read.text('SELLER_COMPANY_NUMBER', '') || null,
    vat: vat ? { number: read.text('SELLER_VAT_NUMBER'), basisPoints: read.percent('SELLER_VAT_RATE') } : null,
    paymentLines: read.lines('SELLER_BANK'),
  }
}

function readPayouts(read: Reader): PayoutConfig {
  return {
    answerTimeoutMs: read.integer('PAYOUT_ANSWER_MS', 8_000, 100, 60_000),
    pollMs: read.integers('PAYOUT_POLL_MS', [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000], 10, dayMs),
    repeatForMs: read.integer('PAYOUT_REPEAT_MS', 23 * hourMs, 0, dayMs),
    quietMs: read.integer('PAYOUT_QUIET_MS', 600_000, 0, dayMs),
    // Together a caller's calls stay well below the 5 s after which the server gives its workflow task to another worker.
    briefCallMs: read.integer('PAYOUT_CALL_MS', 1_000, 10, 3_000),
    briefConnectMs: read.integer('PAYOUT_CONNECT_MS', 500, 10, 3_000),
    answerWithinMs: read.integer('PAYOUT_WITHIN_MS', 1_500, 100, 3_000),
    patientCallMs: read.integer('PAYOUT_PATIENT_CALL_MS', 6_000, 10, 7_000),
  }
}
