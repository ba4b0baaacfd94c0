// The environment that migrations, worker, API and ops share, made of what the start found and what it was given.

import type { EnvironmentVariables } from '../config'
import { isLocal, type Plan } from './plan'
import type { Secrets } from './secrets'

export interface Found {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly secretKeys: string
  /** Null when the bank is not ours. */
  readonly bank: { readonly url: string; readonly keys: Secrets['bankKeys'] } | null
}

/** Given by whoever starts the system, and passed on to those who later talk to it. */
const passedOn = [
  'HOST',
  'DATABASE_POOL_SIZE',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_TLS',
  'TEMPORAL_API_KEY',
  'RATE_LIMIT',
  'LOG_LEVEL',
  'ACTIVITY_RETENTION_DAYS',
  'BANK_SANDBOX_URL',
  'BANK_SANDBOX_KEY',
  'BANK_LIVE_URL',
  'BANK_LIVE_KEY',
  'WEBHOOK_URL',
  'TASK_QUEUE_PREFIX',
]

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
  }
  const given = Object.fromEntries(passedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  return { full: { ...(databaseUrl ? env : withoutPostgresVariables(env)), ...own }, shared: { ...given, ...own } }
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
