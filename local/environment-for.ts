// The environment that migrations, worker, API and ops share, made of what the start found and what it was given.

import type { EnvironmentVariables } from '../config'
import type { Plan } from './plan'

export interface Found {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly secretKeys: string
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
]

export function environmentFor(
  { env, port, databaseUrl }: Plan,
  found: Found,
): { readonly full: EnvironmentVariables; readonly shared: EnvironmentVariables } {
  const own = {
    DATABASE_URL: found.databaseUrl,
    TEMPORAL_ADDRESS: found.temporalAddress,
    SECRET_KEYS: env.SECRET_KEYS || found.secretKeys,
    PORT: String(port),
    PUBLIC_URL: env.PUBLIC_URL || `http://localhost:${port}`,
  }
  const given = Object.fromEntries(passedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  return { full: { ...(databaseUrl ? env : withoutPostgresVariables(env)), ...own }, shared: { ...given, ...own } }
}

/** A PGSSLMODE or PGOPTIONS meant for another server would also change how ours is spoken to. */
function withoutPostgresVariables(env: EnvironmentVariables): EnvironmentVariables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PG[A-Z]+$/.test(name)))
}
