// Opens connections to PostgreSQL, with their timeouts and the parsers for bigint and date values.
import { types } from 'pg'
import { DataSource, DefaultNamingStrategy, type Table } from 'typeorm'
import { type Db, databaseOf } from './database'
import { entities } from './entities'
import { migrations } from './migrations'

interface DatabaseOptions {
  readonly url: string
  readonly poolSize: number
  readonly onError: (error: Error) => void
  /** A longer connection timeout than the default, for a process in which no caller is waiting. */
  readonly connectMs?: number
  /** A shorter statement timeout than the default. */
  readonly statementMs?: number
}

/** Connects without migrating. If the server becomes unavailable later, queries fail until it is available again. */
export async function openDatabase(options: DatabaseOptions): Promise<Db> {
  const { connectMs = usual.connectMs, statementMs = usual.statementMs, ...rest } = options
  const dataSource = createDataSource({ ...rest, limits: { ...usual, connectMs, statementMs } })
  return databaseOf(await dataSource.initialize())
}

interface ConnectionOptions {
  readonly url: string
  readonly poolSize: number
  readonly limits: ConnectionLimits
  /** Called when an idle connection is lost. Without a listener, this event would end the process. */
  readonly onError: (error: Error) => void
}

/** Returns the server's address for a message, without the password. For a socket, this is its folder. */
export function addressOf(databaseUrl: string): string {
  const { host, searchParams } = new URL(databaseUrl)
  // Like pg, ignores an empty parameter.
  return searchParams.get('host') || host
}

/** All limits are in milliseconds. Zero means no limit. */
export interface ConnectionLimits {
  /** The longest wait for a connection, either a new one or one that another caller returns. */
  readonly connectMs: number
  /** The server cancels a statement after this time. */
  readonly statementMs: number
  /** The client gives up after this time. Longer than statementMs, so that the server's error arrives first. */
  readonly answerMs: number
  /** The server ends an idle transaction after this time, so that a stalled process does not hold its locks. */
  readonly idleInTransactionMs: number
  /** The server cancels a statement that waits this long for a lock. If not set, only statementMs limits the wait. */
  readonly lockMs?: number
  /** The pool closes an idle connection after this time. */
  readonly idleMs: number
}

const usual: ConnectionLimits = {
  connectMs: 5_000,
  statementMs: 10_000,
  answerMs: 12_000,
  idleInTransactionMs: 10_000,
  idleMs: 30_000,
}

export function createDataSource({ url, poolSize, limits, onError }: ConnectionOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    poolSize,
    entities,
    migrations,
    namingStrategy: new SnakeNaming(),
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    connectTimeoutMS: limits.connectMs,
    applicationName: 'payouts',
    poolErrorHandler: onError,
    extra: {
      statement_timeout: limits.statementMs,
      query_timeout: limits.answerMs,
      lock_timeout: limits.lockMs ?? 0,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      idleTimeoutMillis: limits.idleMs,
      keepAlive: true,
      types: { getTypeParser },
    },
  })
}

const { INT8, DATE, TIMESTAMPTZ } = types.builtins

// By default, pg returns bigints as text, and dates as midnight in the process's time zone.
function getTypeParser(oid: typeof INT8): (text: string) => unknown {
  if (oid === INT8) return BigInt
  if (oid === DATE) return (text) => text
  if (oid === TIMESTAMPTZ) return timeFrom
  return types.getTypeParser(oid)
}

/** Takes half as long as pg's parser, which handles the other formats. A page of payouts has 150 times. */
function timeFrom(text: string): unknown {
  return utcTime.test(text) ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : anyTime(text)
}

const utcTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/
const anyTime = types.getTypeParser(TIMESTAMPTZ)

/** Maps the camelCase properties of entities to snake_case columns and keys. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string): string {
    return customName || propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return `${this.getTableName(table)}_${columnNames.join('_').replace(/_id$/, '')}_fkey`
  }
}
