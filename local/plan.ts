// Plans the start of a local system and checks its settings before anything runs. Also finds a running system, for the
// ops CLI and for a second start.

import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type EnvironmentVariables, type LocalPorts, loadConfig, loadLocalPorts } from '../runtime/config/config'
import { projectDir } from './files'
import { lockHolder } from './lock'
import { choosePort, isTaken } from './ports'

export interface Plan {
  readonly env: EnvironmentVariables
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly api: string
  /** Ports that are set explicitly, for servers that `npm start` starts. */
  readonly setPorts: LocalPorts
  /** The existing servers. Null for a server that `npm start` must start. */
  readonly databaseUrl: string | null
  readonly temporalAddress: string | null
  /** `ours`: starts the sandbox bank. `given`: uses the settings, which need not configure a bank. */
  readonly bank: 'ours' | 'given'
  /** `ours`: starts an inbox that receives every email. `given`: uses SMTP_URL. */
  readonly mail: 'ours' | 'given'
}

export async function makePlan(env: EnvironmentVariables): Promise<Plan> {
  // Later steps fill in some settings. Example values replace them here, so that all other mistakes are reported before
  // anything starts.
  const { host, port: wanted } = loadConfig({ ...examples, ...env })
  const port = wanted === 0 ? await choosePort(0, host) : wanted
  const dataDir = dataDirOf(env)
  mkdirSync(dataDir, { recursive: true })
  const bank = env.DATABASE_URL || env.BANK_SANDBOX_URL || env.BANK_LIVE_URL ? 'given' : 'ours'
  const mail = env.DATABASE_URL || env.SMTP_URL ? 'given' : 'ours'
  const { TEMPORAL_UI_PORT, SANDBOX_BANK_PORT, MAIL_INBOX_PORT } = loadLocalPorts(env)
  return {
    env,
    dataDir,
    host,
    port,
    api: `http://${isLocal(host) ? 'localhost' : host}:${port}`,
    setPorts: {
      TEMPORAL_UI_PORT: env.TEMPORAL_ADDRESS ? null : TEMPORAL_UI_PORT,
      SANDBOX_BANK_PORT: bank === 'ours' ? SANDBOX_BANK_PORT : null,
      MAIL_INBOX_PORT: mail === 'ours' ? MAIL_INBOX_PORT : null,
    },
    databaseUrl: env.DATABASE_URL || null,
    temporalAddress: env.TEMPORAL_ADDRESS || null,
    bank,
    mail,
  }
}

/** Checks the API's port and every port that is set explicitly. All other servers choose a free port. */
export async function requireFreePorts({ port, host, setPorts }: Plan): Promise<void> {
  const seen = new Map<number, string>()
  for (const [name, wanted] of Object.entries({ PORT: port, ...setPorts })) {
    if (wanted === null) continue
    const other = seen.get(wanted)
    if (other) throw new Error(`${other} and ${name} are both ${wanted}; set one of them to another port.`)
    seen.set(wanted, name)
    if (!(await isTaken(wanted, name === 'PORT' ? host : '127.0.0.1'))) continue
    const example = `${name}=${wanted + 1} npm start`
    throw new Error(`Port ${wanted} is in use by another program; choose another one, for example: ${example}`)
  }
}

const examples: EnvironmentVariables = {
  DATABASE_URL: 'postgresql://127.0.0.1/payouts',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  SECRET_KEYS: `k1:${'0'.repeat(64)}`,
}

/** Whether other processes on this machine can reach the host as localhost. */
export function isLocal(host: string): boolean {
  return ['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost'].includes(host)
}

export function dataDirOf(env: EnvironmentVariables): string {
  return env.DATA_DIR ? resolve(env.DATA_DIR) : join(projectDir(), '.data')
}

/** The message for a command that needs a running system. */
export function notRunningMessage(env: EnvironmentVariables): string {
  return `Nothing is running in ${env.DATA_DIR || '.data'}: run \`npm start\`, or set DATABASE_URL and SECRET_KEYS.`
}

/**
 * The environment variables that the running system shares with the ops CLI and additional workers. Null if no system
 * is running in this folder.
 */
export function readRunningEnvironment(dataDir: string): EnvironmentVariables | null {
  if (lockHolder(join(dataDir, 'lock.json')) === null) return null
  try {
    return JSON.parse(readFileSync(join(dataDir, 'env.json'), 'utf8'))
  } catch {
    return null
  }
}
