// What a command works with, and where it comes from: DATABASE_URL when it is set, otherwise the running system of DATA_DIR.
import { hostname, userInfo } from 'node:os'
import { openDatabase } from '../db/data-source'
import type { Db } from '../db/database'
import { type Keyring, openKeyring } from '../db/keyring'
import { dataDirOf, readRunningEnvironment } from '../local/running'
import { type Clock, systemClock } from '../runtime/clock'
import { type EnvironmentVariables, loadOpsConfig, type OpsConfig } from '../runtime/config/config'
import { Trouble } from './trouble'

export interface Ops {
  readonly db: Db
  readonly clock: Clock
  /** Who did it, as the activity list shows it. */
  readonly madeBy: string
  /** The login of this machine behind it, since anyone can set OPS_USER. */
  readonly login: string
  keyring(): Keyring
  /** A line on how far a long command is, for people. */
  say(line: string): void
  readonly bank: OpsConfig['bank']
  readonly rates: OpsConfig['rates']
  /** Null where it is not set: what a workflow would do at once is then done at the next sweep. */
  readonly temporal: OpsConfig['temporal']
  readonly taskQueuePrefix: string
  readonly payouts: OpsConfig['payouts']
  readonly caseDueMs: OpsConfig['caseDueMs']
  readonly verificationPollMs: OpsConfig['verificationPollMs']
  readonly proof: OpsConfig['proof']
  readonly depositConfirmAboveUsdc: OpsConfig['depositConfirmAboveUsdc']
  readonly closedPartnerReadDays: OpsConfig['closedPartnerReadDays']
}

export async function withOps<T>(
  env: EnvironmentVariables,
  say: Ops['say'],
  work: (ops: Ops) => Promise<T>,
): Promise<T> {
  const config = loadOpsConfig(env.DATABASE_URL || env.DATABASE_URL_FILE ? env : runningEnvironment(env))
  const { databaseUrl, secretKeys, bank, temporal, user, ...settings } = config
  // An idle connection that is lost needs no word of its own: the next query says it.
  const db = await openDatabase({ url: databaseUrl, poolSize: 2, onError: () => {}, connectMs: 15_000 })
  try {
    const reached = { say, bank, temporal, ...settings, keyring: () => keyringOf(secretKeys) }
    const login = `${userName()}@${hostname()}`
    return await work({ db, clock: systemClock, madeBy: `ops:${user ?? userName()}`, login, ...reached })
  } finally {
    await db.close()
  }
}

function runningEnvironment(env: EnvironmentVariables): EnvironmentVariables {
  const running = readRunningEnvironment(dataDirOf(env))
  // Who gives the command is not who has started the system.
  if (running !== null) return { ...running, OPS_USER: env.OPS_USER }
  throw new Trouble(
    `Nothing is running in ${env.DATA_DIR || '.data'}: run npm start, or set DATABASE_URL and SECRET_KEYS.`,
  )
}

function keyringOf(secretKeys: Parameters<typeof openKeyring>[0]): Keyring {
  if (secretKeys.length === 0) throw new Trouble('SECRET_KEYS must be set too, to the value the API runs with.')
  return openKeyring(secretKeys)
}

// A container may run under a number that no password file knows.
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
