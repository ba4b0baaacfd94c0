// The only reader of process.env: one checked, frozen Config, and every mistake reported at once by its variable's name.

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
}

export interface TemporalConfig {
  readonly address: string
  readonly namespace: string
  readonly tls: boolean
  readonly apiKey: string | null
}

/** One key of the keyring; the first one of SECRET_KEYS writes, all of them read. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Buffer
}

export type LogLevel = (typeof logLevels)[number]
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

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
    temporal: {
      address: read.text('TEMPORAL_ADDRESS'),
      namespace: read.text('TEMPORAL_NAMESPACE', 'default'),
      tls: read.oneOf('TEMPORAL_TLS', ['on', 'off'], 'off') === 'on',
      apiKey: read.text('TEMPORAL_API_KEY', '') || null,
    },
    secretKeys: read.secretKeys('SECRET_KEYS'),
    rateLimit: read.oneOf('RATE_LIMIT', ['on', 'off'], 'on'),
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    activityRetentionDays: read.integer('ACTIVITY_RETENTION_DAYS', 400, 1, 36_500),
  }
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return Object.freeze(config)
}

/** The part of it that the command line needs; only commands that make a secret need the secret keys. */
export function loadOpsConfig(env: EnvironmentVariables): Pick<Config, 'databaseUrl' | 'secretKeys'> {
  const read = new Reader(env)
  const config = {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    secretKeys: env.SECRET_KEYS ? read.secretKeys('SECRET_KEYS') : [],
  }
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes)
  return Object.freeze(config)
}

/** Reads one variable at a time and collects what is wrong instead of stopping at the first mistake. */
class Reader {
  readonly mistakes: string[] = []

  constructor(private readonly env: EnvironmentVariables) {}

  text(name: string, fallback?: string): string {
    const value = this.env[name] || fallback
    if (value === undefined) this.mistakes.push(`${name} is required.`)
    return value ?? ''
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name, String(fallback))
    if (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    this.mistakes.push(`${name} must be a whole number from ${min} to ${max}.`)
    return fallback
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.text(name, fallback)
    const known = allowed.find((each) => each === value)
    if (known === undefined) this.mistakes.push(`${name} must be one of: ${allowed.join(', ')}.`)
    return known ?? fallback
  }

  url(name: string, protocols: readonly string[], fallback?: string): string {
    const value = this.text(name, fallback)
    if (value !== '' && !(URL.canParse(value) && protocols.includes(new URL(value).protocol))) {
      this.mistakes.push(`${name} must be a URL that starts with ${protocols.join('// or ')}//.`)
    }
    return value
  }

  secretKeys(name: string): SecretKey[] {
    const value = this.text(name)
    const parts = value.split(',').filter(Boolean)
    const keys = parts.map((part) => /^([a-z0-9]{1,16}):([0-9a-f]{64})$/.exec(part))
    const ids = new Set(keys.map((match) => match?.[1]))
    if (value !== '' && (keys.length === 0 || keys.includes(null) || ids.size < keys.length)) {
      this.mistakes.push(
        `${name} must be a comma-separated list of <id>:<64 hex digits>, each id once, the current key first.`,
      )
    }
    return keys.flatMap((match) =>
      match?.[1] && match[2] ? [{ id: match[1], bytes: Buffer.from(match[2], 'hex') }] : [],
    )
  }
}
