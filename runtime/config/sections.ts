// Reads the sections of the configuration, and checks settings that depend on each other.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { refuseSwappedBanks } from './production'
import type { Reader } from './read'
import type {
  BankAccess,
  BankConfig,
  CaseDueConfig,
  Config,
  ExchangeRateConfig,
  MailConfig,
  PayoutConfig,
  ProofConfig,
  SellerConfig,
  SweepConfig,
  TemporalConfig,
  TemporalTls,
  TracingConfig,
} from './types'

export function readTemporal(reader: Reader): TemporalConfig {
  const apiKey = reader.read('TEMPORAL_API_KEY')
  const chosen = reader.read('TEMPORAL_TLS')
  const tls = readTls(reader)
  const given = tlsSettings.filter((name) => reader.has(name))
  // An API key must not be sent in plain text.
  const isEncrypted = apiKey !== null || (chosen === null ? given.length > 0 : chosen === 'on')
  if (!isEncrypted) {
    for (const name of given)
      reader.mistakes.push(`${reader.sourceOf(name)} is set, but ${reader.sourceOf('TEMPORAL_TLS')} is not on.`)
  }
  return {
    address: reader.read('TEMPORAL_ADDRESS'),
    namespace: reader.read('TEMPORAL_NAMESPACE'),
    tls: isEncrypted ? tls : null,
    apiKey,
  }
}

const tlsSettings = ['TEMPORAL_TLS_CA', 'TEMPORAL_TLS_SERVER_NAME', 'TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY'] as const

function readTls(reader: Reader): TemporalTls {
  return {
    ca: reader.read('TEMPORAL_TLS_CA'),
    serverName: reader.read('TEMPORAL_TLS_SERVER_NAME'),
    client: readClientCertificate(reader),
  }
}

function readClientCertificate(reader: Reader): TemporalTls['client'] {
  const [certificate, key] = [reader.read('TEMPORAL_TLS_CERT'), reader.read('TEMPORAL_TLS_KEY')]
  if (certificate === null && key === null) return null
  const [ofCertificate, ofKey] = [reader.sourceOf('TEMPORAL_TLS_CERT'), reader.sourceOf('TEMPORAL_TLS_KEY')]
  if (certificate === null) reader.mistakes.push(`${ofCertificate} is required when ${ofKey} is set.`)
  if (key === null) reader.mistakes.push(`${ofKey} is required when ${ofCertificate} is set.`)
  // An invalid certificate or key has already been reported and is empty here.
  if (certificate && key && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    reader.mistakes.push(`${ofKey} is not the key of ${ofCertificate}.`)
  return { certificate: certificate ?? '', key: key ?? '' }
}

/** The Web UI shows every partner's payouts. So the URL alone does not make the dashboard link to it. */
export function readTemporalUi(reader: Reader): string | null {
  const url = reader.read('TEMPORAL_UI_URL')?.replace(/\/+$/, '') ?? null
  return reader.read('TEMPORAL_UI_LINK') === 'on' ? url : null
}

export function readBank(reader: Reader): BankConfig {
  const access = (environment: 'SANDBOX' | 'LIVE'): BankAccess | null => {
    const url = reader.read(`BANK_${environment}_URL`)
    return url === null ? null : { url: url.replace(/\/+$/, ''), key: reader.read(`BANK_${environment}_KEY`) }
  }
  const bank = { sandbox: access('SANDBOX'), live: access('LIVE') }
  refuseSwappedBanks(reader, bank, reader.read('BANK_LIVE_SIMULATED') === 'on' ? 'simulated' : 'real')
  return bank
}

export function readRates(reader: Reader): ExchangeRateConfig {
  return {
    maxAgeMs: reader.read('RATE_MAX_AGE_MS'),
    midBasisPoints: reader.read('RATE_MID_PERCENT'),
    jumpBasisPoints: reader.read('RATE_JUMP_PERCENT'),
  }
}

export function readRetention(reader: Reader): Config['retention'] {
  return {
    recipientDays: reader.read('RECIPIENT_RETENTION_DAYS'),
    bankEventDays: reader.read('BANK_EVENT_RETENTION_DAYS'),
  }
}

export function readPayouts(reader: Reader): PayoutConfig {
  return {
    answerTimeoutMs: reader.read('PAYOUT_ANSWER_MS'),
    pollMs: reader.read('PAYOUT_POLL_MS'),
    repeatForMs: reader.read('PAYOUT_REPEAT_MS'),
    listLagMs: reader.read('PAYOUT_QUIET_MS'),
    briefCallMs: reader.read('PAYOUT_CALL_MS'),
    briefConnectMs: reader.read('PAYOUT_CONNECT_MS'),
    answerWithinMs: reader.read('PAYOUT_WITHIN_MS'),
    backgroundCallMs: reader.read('PAYOUT_PATIENT_CALL_MS'),
  }
}

export function readSweep(reader: Reader): SweepConfig {
  return {
    everyMs: reader.read('SWEEP_EVERY_MS'),
    olderThanMs: reader.read('SWEEP_OLDER_THAN_MS'),
    settleWithinMs: reader.read('PAYOUT_SETTLE_WITHIN_MS'),
    knownWithinMs: reader.read('PAYOUT_KNOWN_WITHIN_MS'),
  }
}

export function readCaseDue(reader: Reader): CaseDueConfig {
  return { recall: reader.read('CASE_RECALL_DUE_MS'), trace: reader.read('CASE_TRACE_DUE_MS') }
}

export function readProof(reader: Reader): ProofConfig {
  return {
    everyMs: reader.read('PROOF_EVERY_MS'),
    graceMs: reader.read('PROOF_GRACE_MS'),
    balanceLagMs: reader.read('PROOF_QUIET_MS'),
    pauseMs: reader.read('PROOF_PAUSE_MS'),
    fullEveryMs: reader.read('PROOF_FULL_EVERY_MS'),
    comparedWithinMs: reader.read('PROOF_COMPARED_WITHIN_MS'),
  }
}

export function readMail(reader: Reader): MailConfig | null {
  const smtpUrl = reader.read('SMTP_URL')
  return smtpUrl === null ? null : { smtpUrl, from: reader.read('MAIL_FROM') }
}

export function readSeller(reader: Reader): SellerConfig | null {
  const name = reader.read('SELLER_NAME')
  if (name === null) return null
  const hasVat = reader.has('SELLER_VAT_NUMBER') || reader.has('SELLER_VAT_RATE')
  return {
    name,
    addressLines: reader.read('SELLER_ADDRESS'),
    email: reader.read('SELLER_EMAIL').address,
    companyNumber: reader.read('SELLER_COMPANY_NUMBER'),
    vat: hasVat ? { number: reader.read('SELLER_VAT_NUMBER'), basisPoints: reader.read('SELLER_VAT_RATE') } : null,
    paymentLines: reader.read('SELLER_BANK'),
  }
}

/**
 * The API does not terminate TLS, so https means that there is a proxy. If the proxy is not counted, all callers share
 * the proxy's address and therefore one rate limit.
 */
export function readTrustedProxies(reader: Reader): number {
  if (reader.text('PUBLIC_URL').startsWith('https:') && !reader.has('TRUSTED_PROXIES')) {
    reader.mistakes.push(
      'TRUSTED_PROXIES is required when PUBLIC_URL is https: the number of proxies in front of the API, or 0.',
    )
  }
  return reader.read('TRUSTED_PROXIES')
}

/**
 * In a container every operator is the same system user, so the activity list could not show which operator ran a
 * command.
 */
export function readOpsUser(reader: Reader): string | null {
  if (!reader.has('OPS_USER') && reader.isProduction())
    reader.mistakes.push('OPS_USER is required in production: your name, for the activity list.')
  return reader.read('OPS_USER')
}

export function readTracing(reader: Reader): TracingConfig | null {
  const base = reader.read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const headers = reader.read('OTEL_EXPORTER_OTLP_HEADERS') ?? {}
  const serviceName = reader.read('OTEL_SERVICE_NAME')
  // Without a collector, the sampler setting may belong to another program that accepts other values.
  if (!base) return null
  const { username, password, search, hash } = new URL(base)
  if (username + password + search + hash !== '') {
    reader.mistakes.push(
      'OTEL_EXPORTER_OTLP_ENDPOINT must have no user, query or fragment: secrets go into OTEL_EXPORTER_OTLP_HEADERS.',
    )
  }
  const url = `${base.replace(/\/+$/, '')}/v1/traces`
  return { url, headers, ratio: reader.read('OTEL_TRACES_SAMPLER_ARG'), serviceName }
}
