// Databases and transactions that run tagged statements and provide repositories.
import { DatabaseError, Pool, type PoolClient, type QueryResult } from 'pg'
import type { DataSource, EntitySchema, QueryRunner, Repository } from 'typeorm'
import { assert } from '../domain/assert'
import { camelCase, nameOf, type Sql, type SqlValue, sql } from './sql'

/** Either a transaction, or a database, where each statement is its own transaction. */
export interface Queryable {
  readonly dataSource: DataSource
  /** Sends every statement, including those that repositories build. `sentThrough` replaces this function. */
  readonly send: Send
  /** Runs a statement, which each connection prepares once. Converts column names to camelCase properties. */
  sql<Row = unknown>(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Promise<Row[]>
  /** Runs a fragment as a statement with options. */
  run<Row = unknown>(statement: Sql, options?: RunOptions): Promise<Row[]>
  repo<Row extends object>(entity: EntitySchema<Row>): Reads<Row>
}

interface RunOptions {
  /** With `each time`, the statement is not prepared, and PostgreSQL plans it for the actual values. */
  readonly plan?: 'once' | 'each time'
  /** The client's timeout, for a transaction that gives the server more time than the default. */
  readonly answerMs?: number | undefined
}

/** Repositories can write only in a transaction, because only a transaction can check the caller's rights first. */
export interface Tx extends Queryable {
  repo<Row extends object>(entity: EntitySchema<Row>): Repo<Row>
}

export interface Db extends Queryable {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  ping(): Promise<void>
  close(): Promise<void>
}

export type Reads<Row extends object> = Pick<
  Repository<Row>,
  'find' | 'findBy' | 'findOne' | 'findOneBy' | 'findOneOrFail' | 'findOneByOrFail' | 'existsBy' | 'countBy'
>

/** Excludes `save` and `remove`, because they read before they write. */
type Repo<Row extends object> = Reads<Row> & Pick<Repository<Row>, 'insert' | 'update' | 'delete'>

export interface Command {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly rowMode?: 'array'
  readonly answerMs?: number | undefined
}

export type Send = (command: Command) => Promise<QueryResult>

/** The data source must be initialized. */
export function databaseOf(dataSource: DataSource): Db {
  const pool = poolOf(dataSource)
  return {
    ...readsThrough(dataSource, (command) => sendOn(pool, command)),
    transaction: (work) => transact(dataSource, pool, work),
    ping: async () => void (await pool.query('SELECT 1')),
    close: () => dataSource.destroy(),
  }
}

/** Returns the same database with different functions for sending statements and running transactions. */
export function sentThrough(db: Db, ways: { readonly send: Send; readonly transaction: Db['transaction'] }): Db {
  return { ...db, ...readsThrough(db.dataSource, ways.send), transaction: ways.transaction }
}

/** Returns a transaction that sends its statements through `send`. */
export function txThrough(dataSource: DataSource, send: Send): Tx {
  let runner: QueryRunner | undefined
  return {
    ...statementsThrough(dataSource, send),
    repo: (entity) => {
      runner ??= runnerThrough(dataSource, send)
      return runner.manager.getRepository(entity)
    },
  }
}

function readsThrough(dataSource: DataSource, send: Send): Queryable {
  let runner: QueryRunner | undefined
  return {
    ...statementsThrough(dataSource, send),
    repo: (entity) => {
      runner ??= runnerThrough(dataSource, (command) => {
        assert(command.text.startsWith('SELECT '), 'a repository may write only in a transaction')
        return send(command)
      })
      return runner.manager.getRepository(entity)
    },
  }
}

function statementsThrough(dataSource: DataSource, send: Send): Omit<Queryable, 'repo'> {
  const run: Queryable['run'] = async (statement, { plan = 'once', answerMs } = {}) => {
    const { text, name } = statement.shape.asStatement()
    const { values } = statement
    const result = await send({ name: plan === 'once' ? name : '', text, values, rowMode: 'array', answerMs })
    return rowsOf(result, name)
  }
  return {
    dataSource,
    send,
    sql: (strings, ...values) => run(sql(strings, ...values)),
    run,
  }
}

/** Rows arrive as arrays, so column names are converted once per statement instead of once per row. */
function rowsOf<Row>({ fields, rows }: QueryResult, name: string): Row[] {
  let columns = columnsByName.get(name)
  if (!columns || !isSame(columns.names, fields)) {
    columns = columnsIn(fields)
    columnsByName.set(name, columns)
  }
  const { properties, empty } = columns
  for (let index = 0; index < rows.length; index += 1) {
    const values: readonly unknown[] = rows[index]
    // A copy has all properties from the start, which is faster than adding them one by one.
    const row: Record<string, unknown> = { ...empty }
    for (let column = 0; column < properties.length; column += 1) row[properties[column] ?? ''] = values[column]
    rows[index] = row
  }
  return rows
}

interface Columns {
  readonly names: readonly string[]
  readonly properties: readonly string[]
  readonly empty: Readonly<Record<string, null>>
}

/** Each statement's result columns when it last ran. */
const columnsByName = new Map<string, Columns>()

function columnsIn(fields: QueryResult['fields']): Columns {
  const names = fields.map(({ name }) => name)
  const properties = names.map(camelCase)
  return { names, properties, empty: Object.fromEntries(properties.map((property) => [property, null])) }
}

function isSame(names: readonly string[], fields: QueryResult['fields']): boolean {
  return names.length === fields.length && fields.every(({ name }, index) => name === names[index])
}

/**
 * TypeORM builds the statements of its repositories, but `send` runs them: prepared, on the transaction's connection,
 * and with the server's own error. TypeORM's error would contain the values.
 */
function runnerThrough(dataSource: DataSource, send: Send): QueryRunner {
  const runner = dataSource.createQueryRunner()
  const query = async (text: string, values: readonly unknown[] = [], isStructured = false): Promise<unknown> => {
    const { rows, rowCount, command } = await send({ name: nameOf(text), text, values })
    const raw = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows
    return isStructured ? { raw, records: rows, affected: rowCount ?? undefined } : raw
  }
  return Object.assign(runner, { query, isTransactionActive: true })
}

function sendOn(on: Pool | PoolClient, { values, answerMs, ...command }: Command): Promise<QueryResult> {
  return on.query({ ...command, values: [...values], ...(answerMs && { query_timeout: answerMs }) })
}

async function transact<T>(dataSource: DataSource, pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  let lost: Error | undefined
  const noteLoss = (error: unknown) => {
    // Only an error from the server proves that the connection is still in sync with it.
    if (!(error instanceof DatabaseError)) lost = new Error('the connection was lost', { cause: error })
  }
  const client = await checkOut(pool, noteLoss)
  const answerOf = async <Answer>(sent: Promise<Answer>): Promise<Answer> => {
    sent.catch(noteLoss)
    return sent
  }
  try {
    await answerOf(client.query('BEGIN'))
    const result = await work(txThrough(dataSource, (command) => answerOf(sendOn(client, command))))
    const { command } = await answerOf(client.query('COMMIT'))
    // PostgreSQL responds to COMMIT with ROLLBACK if a statement failed and its error was swallowed.
    assert(command === 'COMMIT', 'a transaction with a failed statement cannot be committed')
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
 * The pool handles only the errors of idle clients, so a connection that fails between two statements would end the
 * process. The callback of `connect` adds a listener immediately. A listener that is added after an `await` would miss
 * a connection that fails during checkout.
 */
function checkOut(pool: Pool, noteLoss: (error: unknown) => void): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error ?? new Error('the pool returned no connection'))
      client.on('error', noteLoss)
      resolve(client)
    })
  })
}

function poolOf(dataSource: DataSource): Pool {
  const { driver } = dataSource
  const pool: unknown = 'master' in driver ? driver.master : undefined
  assert(pool instanceof Pool, 'TypeORM must use a pg pool')
  return pool
}
