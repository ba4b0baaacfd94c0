// How every connection to PostgreSQL is made: its time limits, and how it reads big numbers and dates.
import { types } from 'pg'
import { DataSource, DefaultNamingStrategy, type Table } from 'typeorm'
import { type Db, databaseOf } from './database'
import { entities } from './entities'
import { migrations } from './migrations'

export interface DatabaseOptions {
  readonly url: string
  readonly poolSize: number
  readonly onError: (error: Error) => void
  /** Connection timeout, if longer than usual because no caller waits. */
  readonly connectMs?: number
  /** Statement timeout, if shorter than usual. */
  readonly statementMs?: number
}

/** Connects, and does not migrate. A server that goes away later is survived: queries fail until it is back. */
export async function openDatabase(options: DatabaseOptions): Promise<Db> {
  const { connectMs = usual.connectMs, statementMs = usual.statementMs, ...rest } = options
  const dataSource = createDataSource({ ...rest, limits: { ...usual, connectMs, statementMs } })
  return databaseOf(await dataSource.initialize())
}

export interface ConnectionOptions {
  readonly url: string
  readonly poolSize: number
  readonly limits: ConnectionLimits
  /** Called for lost idle connections; without a listener such an event would end the process. */
  readonly onError: (error: Error) => void
}

/** All in milliseconds; zero means no limit. */
export interface ConnectionLimits {
  /** Waiting for a connection, be it a new one or a busy one that another caller gives back. */
  readonly connectMs: number
  /** After this the server gives a statement up. */
  readonly statementMs: number
  /** After this the client gives up a server that no longer answers; longer than statementMs, so the server's answer wins. */
  readonly answerMs: number
  /** After this the server takes back the locks of a transaction whose process has stalled. */
  readonly idleInTransactionMs: number
  /** A statement that waits longer for a lock fails; without it only statementMs ends the wait. */
  readonly lockMs?: number
  /** After this an unused connection is closed. */
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

const { INT8, DATE } = types.builtins

// pg would give big numbers as text, and dates as midnight of whichever time zone the process runs in.
function getTypeParser(oid: typeof INT8): (text: string) => unknown {
  if (oid === INT8) return BigInt
  if (oid === DATE) return (text) => text
  return types.getTypeParser(oid)
}

/** Entities name properties in camelCase, and tables have snake_case columns and keys named after them. */
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
