// The environment that migrations, worker, API and ops share, made of what the start found and what it was given.

import { type EnvironmentVariables, settingsIn } from '../runtime/config/config'
import { isLocal, type Plan } from './plan'
import type { Secrets } from './secrets'

export interface Found {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly secretKeys: string
  /** Null when the bank is not ours. */
  readonly bank: { readonly url: string; readonly keys: Secrets['bankKeys'] } | null
  /** Null when mails go somewhere else. */
  readonly mail: { readonly smtp: string; readonly inbox: string } | null
  /** Null when Temporal is not ours. */
  readonly temporalUi: string | null
}

/** An invoice of one machine is as make-believe as its bank, and says so. */
const makeBelieveSeller = {
  SELLER_NAME: 'Make-believe Payouts Ltd',
  SELLER_ADDRESS: '1 Example Street|London|EC1A 1AA|United Kingdom',
  SELLER_EMAIL: 'billing@payouts.test',
  SELLER_COMPANY_NUMBER: '00000000',
  SELLER_BANK: 'Make-believe Bank, do not pay|Sort code 00-00-00|Account number 00000000',
}

const mailFrom = 'Payouts <billing@payouts.test>'

export function environmentFor(
  { env, host, port, databaseUrl }: Plan,
  found: Found,
): { readonly full: EnvironmentVariables; readonly shared: EnvironmentVariables } {
  const own = {
    DATABASE_URL: found.databaseUrl,
    TEMPORAL_ADDRESS: found.temporalAddress,
    SECRET_KEYS: env.SECRET_KEYS || found.secretKeys,
    PORT: String(port),
    PUBLIC_URL: env.PUBLIC_URL || `http://localhost:${port}`,
    ...(found.bank === null ? {} : bankVariables(found.bank, env.WEBHOOK_URL || webhookUrl(host, port))),
    ...(found.mail === null ? {} : mailVariables(found.mail, env)),
    ...(found.temporalUi === null
      ? {}
      : {
          TEMPORAL_UI_URL: env.TEMPORAL_UI_URL || workflowsPage(found.temporalUi, env),
          // All partners of a system that npm start runs belong to the person who runs it.
          TEMPORAL_UI_LINK: env.TEMPORAL_UI_LINK || 'on',
        }),
    ...(found.bank === null || env.SELLER_NAME ? {} : makeBelieveSeller),
  }
  // Whoever talks to the system later goes by the same times and limits as its worker, and gets nothing else of this environment.
  const shared = { ...settingsIn(env), ...own }
  return { full: { ...(databaseUrl ? env : withoutPostgresVariables(env)), ...own }, shared }
}

function mailVariables({ smtp, inbox }: NonNullable<Found['mail']>, env: EnvironmentVariables): EnvironmentVariables {
  return { SMTP_URL: smtp, MAIL_FROM: env.MAIL_FROM || mailFrom, MAIL_INBOX_URL: env.MAIL_INBOX_URL || inbox }
}

function workflowsPage(temporalUi: string, env: EnvironmentVariables): string {
  return `${temporalUi}/namespaces/${env.TEMPORAL_NAMESPACE || 'default'}`
}

/** Live speaks to the same make-believe bank, under another key. */
function bankVariables({ url, keys }: NonNullable<Found['bank']>, ours: string): EnvironmentVariables {
  return {
    BANK_SANDBOX_URL: `${url}/v0`,
    BANK_SANDBOX_KEY: keys.sandbox,
    BANK_LIVE_URL: `${url}/v0`,
    BANK_LIVE_KEY: keys.live,
    WEBHOOK_URL: ours,
  }
}

function webhookUrl(host: string, port: number): string {
  return `http://${isLocal(host) ? '127.0.0.1' : host}:${port}/webhooks/bank`
}

/** A PGSSLMODE or PGOPTIONS meant for another server would also change how ours is spoken to. */
function withoutPostgresVariables(env: EnvironmentVariables): EnvironmentVariables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PG[A-Z]+$/.test(name)))
}
