// The one pool of a process: named prepared statements for every query, and transactions that end as they say they do.
import { DatabaseError, Pool, type PoolClient } from 'pg'
import type { DataSource } from 'typeorm'
import { assert } from '../domain/assert'
import { type ConnectionLimits, createDataSource } from './data-source'

/** A statement is prepared once per connection under its name, so one name must always stand for one text. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** How long the client waits for the answer, where the transaction lets the server take longer than usual. */
  readonly answerMs?: number
}

export interface Tx {
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

export interface Db extends Tx {
  readonly dataSource: DataSource
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  ping(): Promise<void>
  close(): Promise<void>
}

export type Queryable = Db | Tx

export interface DatabaseOptions {
  readonly url: string
  readonly poolSize: number
  readonly onError: (error: Error) => void
  /** How long one waits for a connection, where nobody's answer waits behind it. */
  readonly connectMs?: number
  /** How long a statement may take, where that is less than usual. */
  readonly statementMs?: number
}

/** Connects, and does not migrate. A server that goes away later is survived: queries fail until it is back. */
export async function openDatabase(options: DatabaseOptions): Promise<Db> {
  const { connectMs = limits.connectMs, statementMs = limits.statementMs, ...rest } = options
  const dataSource = await createDataSource({ ...rest, limits: { ...limits, connectMs, statementMs } }).initialize()
  const pool = poolOf(dataSource)
  return {
    dataSource,
    query: (statement, values) => run(pool, statement, values),
    transaction: (work) => transact(pool, work),
    ping: async () => void (await pool.query('SELECT 1')),
    close: () => dataSource.destroy(),
  }
}

const limits: ConnectionLimits = {
  connectMs: 5_000,
  statementMs: 10_000,
  answerMs: 12_000,
  idleInTransactionMs: 10_000,
  idleMs: 30_000,
}

async function run<Row>(on: Pool | PoolClient, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  const { name, text, answerMs } = statement
  const result = await on.query({ name, text, values: [...values], ...(answerMs && { query_timeout: answerMs }) })
  return result.rows
}

async function transact<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  let lost: Error | undefined
  const noteLoss = (error: unknown) => {
    // Only an error that the server itself sent proves that the connection is still in step with it.
    if (!(error instanceof DatabaseError)) lost = new Error('the connection was lost', { cause: error })
  }
  const client = await checkOut(pool, noteLoss)
  const answerOf = async <Answer>(sent: Promise<Answer>): Promise<Answer> => {
    sent.catch(noteLoss)
    return sent
  }
  try {
    await answerOf(client.query('BEGIN'))
    const result = await work({ query: (statement, values) => answerOf(run(client, statement, values)) })
    const { command } = await answerOf(client.query('COMMIT'))
    // PostgreSQL answers COMMIT with ROLLBACK when a statement failed and its error was swallowed.
    assert(command === 'COMMIT', 'a transaction with a failed statement can not be committed')
    return result
  } catch (error) {
    if (lost === undefined) await client.query('ROLLBACK').catch(noteLoss)
    throw error
  } finally {
    client.off('error', noteLoss)
    client.release(lost)
  }
}

/**
 * The pool listens only to idle clients: a connection that dies between two statements would end the process. So would one
 * that dies as it is handed out, which is why the listener is there before a promise could have told anybody.
 */
function checkOut(pool: Pool, noteLoss: (error: unknown) => void): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error ?? new Error('the pool gave no connection'))
      client.on('error', noteLoss)
      resolve(client)
    })
  })
}

function poolOf(dataSource: DataSource): Pool {
  const { driver } = dataSource
  const pool: unknown = 'master' in driver ? driver.master : undefined
  assert(pool instanceof Pool, 'TypeORM must run on a pool of pg')
  return pool
}
