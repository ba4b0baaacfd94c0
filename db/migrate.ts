// Brings a database up to date; any number of processes may call it at once.
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type DataSource, QueryFailedError } from 'typeorm'
import { type ConnectionLimits, createDataSource } from './data-source'

/** A migration that waits for a table lock blocks all later statements. So it gives up after a moment and retries. */
export interface Patience {
  readonly lockMs: number
  readonly tries: number
  readonly pauseMs: number
}

/** Returns the names of the migrations that this call ran. */
export async function migrate(databaseUrl: string, patience: Patience = twoMinutes): Promise<readonly string[]> {
  const guard = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: limits.connectMs })
  guard.on('error', ignore)
  await guard.connect()
  try {
    // TypeORM alone lets two processes run one migration twice. The lock ends with its connection, also in a crash.
    await guard.query('SELECT pg_advisory_lock($1)', [lockKey])
    const limited = { ...limits, lockMs: patience.lockMs }
    const dataSource = createDataSource({ url: databaseUrl, poolSize: 1, limits: limited, onError: ignore })
    await dataSource.initialize()
    try {
      const before = await ranOf(guard)
      await runAll(dataSource, patience)
      return (await ranOf(guard)).filter((name) => !before.includes(name))
    } finally {
      await dataSource.destroy()
    }
  } finally {
    await guard.end()
  }
}

/** Each is a transaction: those before the one that had to wait have run, and of that one nothing is left. */
async function runAll(dataSource: DataSource, { tries, pauseMs }: Patience): Promise<void> {
  for (let left = tries - 1; ; left--) {
    try {
      await dataSource.runMigrations({ transaction: 'each' })
      return
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (left === 0) throw new Error(inTheWay, { cause: error })
      await wait(pauseMs)
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof QueryFailedError && error.driverError.code === '55P03'
}

const inTheWay =
  'another session, such as a pg_dump or a long transaction, has held a table all the time; nothing is half done, so run it again when that is over'

/** Empty where no migration has ever run. */
async function ranOf(client: Client): Promise<string[]> {
  const {
    rows: [table],
  } = await client.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  if (!table.exists) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')
  return rows.map(({ name }) => name)
}

// A lost connection makes the next statement fail, which says more than the event does.
function ignore(): void {}

/** An arbitrary number that only migrations of this service use. */
const lockKey = 1_794_700_800

// A migration may rewrite a large table, so only connecting is limited.
const limits: ConnectionLimits = {
  connectMs: 5_000,
  statementMs: 0,
  answerMs: 0,
  idleInTransactionMs: 0,
  idleMs: 1_000,
}

const twoMinutes: Patience = { lockMs: 3_000, tries: 24, pauseMs: 2_000 }
