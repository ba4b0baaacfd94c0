// Connects a command to DATABASE_URL if it is set, otherwise to the system that is running in DATA_DIR.
import { hostname, userInfo } from 'node:os'
import { type ActivityEntry, recordActivity } from '../db/controls/activity'
import { openDatabase } from '../db/data-source'
import type { Db, Tx } from '../db/database'
import { type Keyring, openKeyring } from '../db/keyring'
import { dataDirOf, notRunningMessage, readRunningEnvironment } from '../local/plan'
import { type Clock, systemClock } from '../runtime/clock'
import { type EnvironmentVariables, loadOpsConfig, loadSeller, type OpsConfig } from '../runtime/config/config'
import { OperatorError } from './errors'

export interface Ops {
  readonly db: Db
  readonly clock: Clock
  /** The operator's name in the activity list. */
  readonly madeBy: string
  /** The login on this machine. It is stored as well, because anyone can set OPS_USER. */
  readonly login: string
  keyring(): Keyring
  /**
   * Null if no seller is configured, in which case no invoice can be issued. Throws if the seller's settings are
   * invalid.
   */
  seller(): ReturnType<typeof loadSeller>
  /** Prints a progress line for a long command. */
  say(line: string): void
  readonly bank: OpsConfig['bank']
  readonly rates: OpsConfig['rates']
  readonly webhookUrl: OpsConfig['webhookUrl']
  readonly retention: OpsConfig['retention']
  /** Null if TEMPORAL_ADDRESS is not set. The next sweep then starts the workflows. */
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
  const used = env.DATABASE_URL || env.DATABASE_URL_FILE ? env : runningEnvironment(env)
  const config = loadOpsConfig(used)
  const { databaseUrl, secretKeys, bank, temporal, user, ...settings } = config
  // A lost idle connection needs no report: the pool replaces it, and a query fails if the database is down.
  const db = await openDatabase({ url: databaseUrl, poolSize: 2, onError: () => {}, connectMs: 15_000 })
  try {
    const opened = { keyring: () => keyringOf(secretKeys), seller: () => loadSeller(used) }
    const reached = { say, bank, temporal, ...settings, ...opened }
    const login = `${userName()}@${hostname()}`
    return await work({ db, clock: systemClock, madeBy: `ops:${user ?? userName()}`, login, ...reached })
  } finally {
    await db.close()
  }
}

function runningEnvironment(env: EnvironmentVariables): EnvironmentVariables {
  const running = readRunningEnvironment(dataDirOf(env))
  // The user who started the system might not be the operator.
  if (running !== null) return { ...running, OPS_USER: env.OPS_USER }
  throw new OperatorError(notRunningMessage(env))
}

function keyringOf(secretKeys: Parameters<typeof openKeyring>[0]): Keyring {
  if (secretKeys.length === 0) throw new OperatorError('Also set SECRET_KEYS, to the value that the API uses.')
  return openKeyring(secretKeys)
}

// A container may run as a user ID without an entry in the password file.
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

export type Change = Pick<ActivityEntry, 'partnerId' | 'at' | 'environment' | 'action' | 'detail'>

/** Records an operator's change in the activity list, in the same transaction as the change. */
export async function recordChange({ madeBy }: Ops, tx: Tx, change: Change): Promise<void> {
  await recordActivity(tx, [{ ...change, madeBy, changes: 'something', status: null, requestId: null }])
}
