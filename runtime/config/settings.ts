// Every setting of the service: its kind, its default and its description. docs/configuration.md is generated from this
// table.
import {
  certificates,
  headers,
  integer,
  lines,
  mailbox,
  name,
  oneOf,
  onOffOrBoolean,
  operatorName,
  percent,
  privateKey,
  ratio,
  secretKeys,
  text,
  url,
} from './kinds'
import { payouts } from './payout-settings'
import { optional, required, requiredWith, type Setting, setting } from './setting'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const onOff = oneOf('on', 'off')
const anyUrl = url('http:', 'https:')
const port = integer(1, 65_535)
const days = integer(1, 36_500)
const intervalMs = integer(1_000, dayMs)

const servers = {
  NODE_ENV: optional(
    text,
    'In `production` the service refuses development secrets, swapped banks, and time limits that would let a payout be both paid and refunded.',
    '`production` if `PUBLIC_URL` is https, otherwise `development`',
  ),
  DATABASE_URL: required(
    url('postgres:', 'postgresql:'),
    'URL of the PostgreSQL database: `postgresql://user:password@host:5432/payouts`.',
  ),
  DATABASE_POOL_SIZE: setting(integer(1, 500), 10, 'Database connections of each process.'),
  DATABASE_READ_POOL_SIZE: setting(
    integer(1, 500),
    4,
    "Additional connections of each API process, used only to read a partner's history.",
  ),
  TEMPORAL_ADDRESS: required(text, 'Host and port of the Temporal server.'),
  TEMPORAL_NAMESPACE: setting(text, 'default', 'Temporal namespace.'),
  TEMPORAL_TLS: optional(
    onOffOrBoolean,
    'Whether to connect to Temporal with TLS. An API key always switches TLS on.',
    'on with an API key or one of the next four settings, otherwise off',
  ),
  TEMPORAL_TLS_CA: {
    ...optional(
      certificates,
      "Certificate authority that must have issued the server's certificate. Without it, the API and ops trust the authorities of Node.js, and a worker those of the system.",
    ),
    alsoNamed: 'TEMPORAL_TLS_SERVER_CA_CERT',
  },
  TEMPORAL_TLS_SERVER_NAME: optional(
    text,
    "Name in the server's certificate, if it differs from the host in `TEMPORAL_ADDRESS`.",
  ),
  TEMPORAL_TLS_CERT: {
    ...optional(certificates, 'Client certificate for mTLS, followed by its chain. Requires `TEMPORAL_TLS_KEY`.'),
    alsoNamed: 'TEMPORAL_TLS_CLIENT_CERT',
  },
  TEMPORAL_TLS_KEY: {
    ...optional(privateKey, 'Private key of the client certificate. Requires `TEMPORAL_TLS_CERT`.'),
    alsoNamed: 'TEMPORAL_TLS_CLIENT_KEY',
  },
  TEMPORAL_API_KEY: optional(text, 'API key for Temporal Cloud.'),
  TEMPORAL_PROFILE: optional(
    text,
    "Profile in Temporal's configuration file. It supplies those of the eight settings above that are not set.",
    '`default` with `TEMPORAL_CONFIG_FILE`, otherwise none',
  ),
  TEMPORAL_CONFIG_FILE: optional(
    text,
    "Path of Temporal's configuration file. Read only if this setting or `TEMPORAL_PROFILE` is set.",
    '`~/.config/temporalio/temporal.toml`; on macOS in `~/Library/Application Support`',
  ),
  TEMPORAL_UI_URL: optional(
    anyUrl,
    'URL of the Temporal Web UI with its namespace, such as `https://temporal.example.com/namespaces/default`.',
  ),
  TEMPORAL_UI_LINK: setting(
    onOff,
    'off',
    '`on` shows the admins of every verified partner a link from each payout to `TEMPORAL_UI_URL`. The Web UI shows the payouts of all partners, so leave it off unless all partners are yours. `npm start` switches it on for its own Temporal server.',
  ),
  TASK_QUEUE_PREFIX: setting(
    name,
    'payouts',
    'Prefix of the task queue names. Systems that share a Temporal server need different prefixes.',
  ),
  WORKER_VERSIONING: setting(
    onOff,
    'off',
    '`on` makes each worker a version of the worker deployment `TASK_QUEUE_PREFIX` at Temporal, with `~` for each dot. A new build then gets work only after `ops worker promote` or `ops worker ramp`.',
  ),
}

const api = {
  HOST: setting(
    text,
    '127.0.0.1',
    'Address the API listens on. `0.0.0.0` means every interface; the Docker image sets it.',
  ),
  PORT: setting(integer(0, 65_535), 3000, 'Port of the API. `0` selects any free port.'),
  PUBLIC_URL: optional(
    anyUrl,
    "URL at which users and partners reach the API. Workers need it too, for links back from the bank's pages.",
    '`http://localhost:` and `PORT`',
  ),
  TRUSTED_PROXIES: setting(
    integer(0, 10),
    0,
    'Number of proxies in front of the API that write X-Forwarded-For. Required if `PUBLIC_URL` is https.',
  ),
  RATE_LIMIT: setting(onOff, 'on', '`off` disables the rate limits of the API.'),
  READS_PER_PARTNER: setting(
    integer(1, 100),
    1,
    "Maximum number of concurrent statements that read one partner's history, in each API process. 16 more may wait; further ones get `429`.",
  ),
  PAYOUTS_AT_ONCE: setting(
    integer(2, 10_000),
    64,
    'Maximum number of payouts that each API process creates at the same time in each environment, of which one partner gets at most half. Further requests get `429` or `503` at once and create nothing ([admission](decisions/api/admission.md)).',
  ),
  SIGN_UP: setting(onOff, 'on', '`off` prevents businesses from opening an account themselves.'),
  SESSION_IDLE_MS: setting(
    integer(1_000, 10 * dayMs),
    12 * hourMs,
    'A session ends after this time without a request.',
  ),
  SESSION_MS: setting(integer(1_000, 10 * dayMs), 7 * dayMs, 'A session ends after this time even if it is in use.'),
}

const secrets = {
  SECRET_KEYS: required(
    secretKeys,
    'Keys that encrypt stored secrets and bank details. The first key encrypts, all keys decrypt.',
  ),
}

const bank = {
  BANK_SANDBOX_URL: optional(
    anyUrl,
    'URL of the sandbox bank, including the protocol version: `https://bank.example.com/v0`. Without it, sandbox payouts are simulated.',
  ),
  BANK_SANDBOX_KEY: requiredWith('BANK_SANDBOX_URL', text, 'API key for the sandbox bank.'),
  BANK_LIVE_URL: optional(anyUrl, 'URL of the live bank. Without it, live payouts are refused with `502`.'),
  BANK_LIVE_KEY: requiredWith('BANK_LIVE_URL', text, 'API key for the live bank.'),
  BANK_LIVE_SIMULATED: setting(
    onOff,
    'off',
    '`on` states that the live bank is a sandbox bank and moves no real money. Only then does production accept a sandbox host as `BANK_LIVE_URL`, or the same host for both environments.',
  ),
  RATE_MAX_AGE_MS: setting(
    integer(minuteMs, hourMs),
    15 * minuteMs,
    "Maximum age of the bank's exchange rate, by its own `updated_at`.",
  ),
  RATE_MID_PERCENT: setting(
    percent(0.1, 10),
    2,
    "Maximum difference between the rate and the bank's mid-market rate, in per cent.",
  ),
  RATE_JUMP_PERCENT: setting(
    percent(0.5, 20),
    5,
    'Maximum difference between the rate and the last accepted rate, in per cent. The limit grows for each full day without an accepted rate, up to 25 % ([exchange rates](decisions/payouts/exchange-rate-checks.md)).',
  ),
  WEBHOOK_URL: optional(
    anyUrl,
    'URL at which the bank reaches `/webhooks/bank`. Without it, payouts settle by polling alone. When it changes or is removed, the next worker that starts disables the old webhook at the bank.',
  ),
}

const mailsAndInvoices = {
  SMTP_URL: optional(
    url('smtp:', 'smtps:'),
    'URL of the mail server: `smtps://user:password@host:465` or `smtp://host:587?requireTLS=true`. Without it, emails wait.',
  ),
  MAIL_FROM: requiredWith('SMTP_URL', mailbox, 'Sender of all emails.'),
  MAIL_INBOX_URL: optional(
    anyUrl,
    'Web page that shows the emails of a local system, such as the inbox of `npm start`.',
  ),
  OPS_EMAIL: optional(
    mailbox,
    'Receives emails about new drifts and about faults in the audit chain. The API publishes it in `/.well-known/security.txt`.',
  ),
  SUPPORT_EMAIL: optional(
    mailbox,
    'Address for questions from partners. The dashboard links to it. Without it, the dashboard offers no contact.',
  ),
  NOTICES_EVERY_MS: setting(intervalMs, minuteMs, 'Interval at which pending notices are mailed to admins.'),
  SELLER_NAME: optional(text, 'Company that issues the invoices. Without it, no invoice can be issued.'),
  SELLER_ADDRESS: requiredWith('SELLER_NAME', lines, "The seller's postal address."),
  SELLER_EMAIL: requiredWith('SELLER_NAME', mailbox, "The seller's email address for questions about invoices."),
  SELLER_BANK: requiredWith('SELLER_NAME', lines, 'Payment instructions on invoices.'),
  SELLER_COMPANY_NUMBER: optional(text, "The seller's company number."),
  SELLER_VAT_NUMBER: requiredWith('SELLER_VAT_RATE', text, "The seller's VAT number. Without it, no VAT is charged."),
  SELLER_VAT_RATE: requiredWith('SELLER_VAT_NUMBER', percent(0, 99.99), 'VAT rate, such as `20` or `17.5`.'),
}

const observability = {
  LOG_LEVEL: setting(
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Minimum level of the log lines that are written.',
  ),
  METRICS_PORT: optional(
    port,
    'Port on which the API serves Prometheus metrics at `/metrics`. Without it, the API serves none.',
  ),
  WORKER_METRICS_PORT: optional(port, 'Port on which the worker serves its metrics.'),
  METRICS_HOST: setting(
    text,
    '127.0.0.1',
    'Address on which both metrics ports listen. Metrics reveal business volumes, so only this machine can read them by default.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    anyUrl,
    'OpenTelemetry collector that receives traces over HTTP as JSON, such as `http://127.0.0.1:4318`. `/v1/traces` is appended. Without it, nothing is traced.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(headers, 'Headers that authenticate the service to the collector. A secret.'),
  OTEL_TRACES_SAMPLER_ARG: setting(
    ratio,
    1,
    'Share of traces that are kept. The service decides where a trace starts and ignores the flag in a `traceparent` header.',
  ),
  OTEL_SERVICE_NAME: optional(name, 'Service name in traces.', '`payouts-api` or `payouts-worker`'),
  ACTIVITY_RETENTION_DAYS: setting(
    days,
    400,
    'How long refused and repeated writes stay in the activity list. Entries of changes are never deleted.',
  ),
  ACTIVITY_READ_RETENTION_DAYS: setting(days, 7, 'How long reads, quotes and checks stay in the activity list.'),
  RECIPIENT_RETENTION_DAYS: setting(
    days,
    400,
    'How long the encrypted bank details of a payout and their hashes are kept after the payout is final. Below 366 days, the list of recipients covers only this period. `ops payout shred` erases the details of one payout immediately.',
  ),
  BANK_EVENT_RETENTION_DAYS: setting(days, 400, "How long the bank's events are kept once they are handled."),
  OPS_USER: optional(
    operatorName,
    'Name of the operator who runs an ops command, as shown in the activity list (`ops:ada`). Required in production.',
    'user of the operating system',
  ),
  AUDIT_SEAL_EVERY_MS: setting(
    intervalMs,
    minuteMs,
    'Interval at which new ledger, charge and change records are added to the audit chain.',
  ),
}

const keptPort = (usual: number) => `${usual}, or a free port that stays the same at every start`

/** Servers that `npm start` runs. No other program reads these settings. */
const localServers = {
  TEMPORAL_UI_PORT: optional(port, 'Port of the Temporal Web UI of `npm start`.', keptPort(8233)),
  SANDBOX_BANK_PORT: optional(port, 'Port of the sandbox bank of `npm start`.', keptPort(8300)),
  MAIL_INBOX_PORT: optional(port, 'Port of the web page of the mail inbox of `npm start`.', keptPort(8025)),
}

/** The groups, in the order of docs/configuration.md. */
export const groups: Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>> = {
  Servers: servers,
  API: api,
  Secrets: secrets,
  Bank: bank,
  Payouts: payouts,
  'Emails and invoices': mailsAndInvoices,
  Observability: observability,
  'Local servers': localServers,
}

export const settings = {
  ...servers,
  ...api,
  ...secrets,
  ...bank,
  ...payouts,
  ...mailsAndInvoices,
  ...observability,
  ...localServers,
}

export type SettingName = keyof typeof settings

export type ValueOf<Name extends SettingName> = (typeof settings)[Name] extends Setting<infer Value> ? Value : never
