// Builds the environment variables for the migrations, the worker, the API and the ops CLI from the started servers and
// the given settings.

import { type EnvironmentVariables, settingsIn } from '../runtime/config/config'
import { isLocal, type Plan } from './plan'
import type { Secrets } from './secrets'

interface Found {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly secretKeys: string
  /** Null if `npm start` did not start the bank. */
  readonly bank: { readonly url: string; readonly keys: Secrets['bankKeys'] } | null
  /** Null if `npm start` did not start the mail inbox. */
  readonly mail: { readonly smtp: string; readonly inbox: string } | null
  /** Null if `npm start` did not start Temporal. */
  readonly temporalUi: string | null
}

/** Seller details that mark a local system's invoices as not real. */
const exampleSeller = {
  SELLER_NAME: 'Example Payouts Ltd',
  SELLER_ADDRESS: '1 Example Street|London|EC1A 1AA|United Kingdom',
  SELLER_EMAIL: 'billing@payouts.test',
  SELLER_COMPANY_NUMBER: '00000000',
  SELLER_BANK: 'Example Bank, do not pay|Sort code 00-00-00|Account number 00000000',
}

const mailFrom = 'Payouts <no-reply@payouts.test>'
const supportEmail = 'support@payouts.test'

export function environmentFor(
  plan: Plan,
  found: Found,
): { readonly full: EnvironmentVariables; readonly shared: EnvironmentVariables } {
  const { host, port } = plan
  const env = forOwnServers(plan, found)
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
          // The user who runs `npm start` owns all partners in that system, so the link reveals nothing.
          TEMPORAL_UI_LINK: env.TEMPORAL_UI_LINK || 'on',
        }),
    ...(found.bank === null || env.SELLER_NAME ? {} : exampleSeller),
  }
  // Ops commands and additional workers get all settings, but no other variables from this environment.
  const shared = { ...settingsIn(env), ...own }
  return { full: { ...env, ...own }, shared }
}

function mailVariables({ smtp, inbox }: NonNullable<Found['mail']>, env: EnvironmentVariables): EnvironmentVariables {
  return {
    SMTP_URL: smtp,
    MAIL_FROM: env.MAIL_FROM || mailFrom,
    MAIL_INBOX_URL: env.MAIL_INBOX_URL || inbox,
    SUPPORT_EMAIL: env.SUPPORT_EMAIL || supportEmail,
  }
}

function workflowsPage(temporalUi: string, env: EnvironmentVariables): string {
  return `${temporalUi}/namespaces/${env.TEMPORAL_NAMESPACE || 'default'}`
}

/** Live mode uses the same sandbox bank with another key. */
function bankVariables({ url, keys }: NonNullable<Found['bank']>, webhook: string): EnvironmentVariables {
  return {
    BANK_SANDBOX_URL: `${url}/v0`,
    BANK_SANDBOX_KEY: keys.sandbox,
    BANK_LIVE_URL: `${url}/v0`,
    BANK_LIVE_KEY: keys.live,
    WEBHOOK_URL: webhook,
  }
}

function webhookUrl(host: string, port: number): string {
  return `http://${isLocal(host) ? '127.0.0.1' : host}:${port}/webhooks/bank`
}

/**
 * Removes variables such as PGSSLMODE or TEMPORAL_PROFILE, which may be meant for a server other than the one that `npm
 * start` starts.
 */
function forOwnServers({ env, databaseUrl }: Plan, { temporalUi }: Found): EnvironmentVariables {
  const foreign = [
    ...(databaseUrl === null ? [/^PG[A-Z]+$/] : []),
    ...(temporalUi !== null ? [/^TEMPORAL_(TLS|API_KEY|PROFILE|CONFIG_FILE)/] : []),
  ]
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.some((pattern) => pattern.test(name))))
}
