// The typed configuration. settings.ts describes each setting, so the comments here explain only the types.
import type { Mailbox, SecretKey } from './kinds'
import type { ValueOf } from './settings'

export interface Config {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly databaseUrl: string
  readonly databasePoolSize: number
  readonly databaseReadPoolSize: number
  readonly readsPerPartner: number
  readonly payoutsAtOnce: number
  readonly temporal: TemporalConfig
  readonly secretKeys: readonly SecretKey[]
  readonly rateLimit: 'on' | 'off'
  readonly logLevel: LogLevel
  readonly activityRetentionDays: number
  readonly activityReadRetentionDays: number
  readonly bank: BankConfig
  readonly rates: ExchangeRateConfig
  /** Null if the bank sends no events and is only polled. */
  readonly webhookUrl: string | null
  readonly taskQueuePrefix: string
  readonly workerVersioning: 'on' | 'off'
  readonly payouts: PayoutConfig
  readonly sweep: SweepConfig
  /** The last interval repeats. */
  readonly verificationPollMs: readonly number[]
  readonly caseDueMs: CaseDueConfig
  readonly walletReadEveryMs: number
  readonly noticesEveryMs: number
  readonly proof: ProofConfig
  /** Null if drifts and audit faults are not mailed. */
  readonly opsEmail: string | null
  /** Null if the dashboard offers no contact. */
  readonly supportEmail: string | null
  readonly auditSealEveryMs: number
  readonly retention: { readonly recipientDays: number; readonly bankEventDays: number }
  readonly depositConfirmAboveUsdc: number
  readonly closedPartnerReadDays: number
  /** Null without a mail server. Emails then wait. */
  readonly mail: MailConfig | null
  /** Null without a seller. Then no invoice can be issued. */
  readonly seller: SellerConfig | null
  readonly session: { readonly idleMs: number; readonly absoluteMs: number }
  readonly signUp: 'on' | 'off'
  readonly trustedProxies: number
  /** Null if the dashboard must not link to the Temporal Web UI. */
  readonly temporalUiUrl: string | null
  /** Null if there is no local page that shows the sent emails. */
  readonly mailInboxUrl: string | null
  readonly metrics: MetricsConfig
  /** Null if nothing is traced. */
  readonly tracing: TracingConfig | null
}

/** The settings of the ops CLI. Only some commands need the secret keys. */
export interface OpsConfig
  extends Pick<
    Config,
    | 'depositConfirmAboveUsdc'
    | 'closedPartnerReadDays'
    | 'databaseUrl'
    | 'secretKeys'
    | 'bank'
    | 'rates'
    | 'webhookUrl'
    | 'retention'
    | 'taskQueuePrefix'
    | 'payouts'
    | 'caseDueMs'
    | 'verificationPollMs'
  > {
  readonly temporal: TemporalConfig | null
  readonly proof: ProofConfig & SweepConfig
  /** Null if the operator is the user of the operating system. */
  readonly user: string | null
}

export type LogLevel = ValueOf<'LOG_LEVEL'>

/** An environment without a bank is null. */
export interface BankConfig {
  readonly sandbox: BankAccess | null
  readonly live: BankAccess | null
}

export interface BankAccess {
  /** Includes the protocol version: http://127.0.0.1:8300/v0. */
  readonly url: string
  readonly key: string
}

/** The limits within which the bank's exchange rate is accepted. */
export interface ExchangeRateConfig {
  readonly maxAgeMs: number
  readonly midBasisPoints: number
  readonly jumpBasisPoints: number
}

/** The ports that `npm start` must use. A port that it may choose is null. */
export interface LocalPorts {
  readonly TEMPORAL_UI_PORT: number | null
  readonly SANDBOX_BANK_PORT: number | null
  readonly MAIL_INBOX_PORT: number | null
}

export interface TemporalConfig {
  readonly address: string
  readonly namespace: string
  /** Null if the connection is not encrypted. */
  readonly tls: TemporalTls | null
  readonly apiKey: string | null
}

/** Certificates and keys in PEM format. */
export interface TemporalTls {
  readonly ca: string | null
  readonly serverName: string | null
  readonly client: { readonly certificate: string; readonly key: string } | null
}

export interface PayoutConfig {
  readonly answerTimeoutMs: number
  /** The last interval repeats. */
  readonly pollMs: readonly number[]
  readonly repeatForMs: number
  readonly listLagMs: number
  readonly briefCallMs: number
  readonly briefConnectMs: number
  readonly answerWithinMs: number
  readonly backgroundCallMs: number
}

/** The sweep also connects sandboxes that are still simulated. */
export interface SweepConfig {
  readonly everyMs: number
  readonly olderThanMs: number
  readonly settleWithinMs: number
  readonly knownWithinMs: number
}

export interface CaseDueConfig {
  readonly recall: number
  readonly trace: number
}

/** The reconciliation of the ledger with the bank. */
export interface ProofConfig {
  readonly everyMs: number
  readonly graceMs: number
  readonly balanceLagMs: number
  readonly pauseMs: number
  readonly fullEveryMs: number
  readonly comparedWithinMs: number
}

export interface MailConfig {
  readonly smtpUrl: string
  readonly from: Mailbox
}

/** The issuer as printed on an invoice. */
export interface SellerConfig {
  readonly name: string
  readonly addressLines: readonly string[]
  readonly email: string
  readonly companyNumber: string | null
  /** Null if no VAT is charged. */
  readonly vat: { readonly number: string; readonly basisPoints: number } | null
  readonly paymentLines: readonly string[]
}

/**
 * A port is null if its process serves no metrics. The API and the worker have different ports, because both may run on
 * one machine.
 */
export interface MetricsConfig {
  readonly host: string
  readonly apiPort: number | null
  readonly workerPort: number | null
}

export interface TracingConfig {
  /** The URL to which spans are posted. */
  readonly url: string
  /** May contain secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** From 0 to 1. */
  readonly ratio: number
  /** Null if each process uses its own name. */
  readonly serviceName: string | null
}
