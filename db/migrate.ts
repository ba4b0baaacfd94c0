// Migrates a database. Any number of processes may call this at the same time.
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type DataSource, QueryFailedError } from 'typeorm'
import { type ConnectionLimits, createDataSource } from './data-source'

/**
 * A migration that waits for a table lock blocks all later users of the table. So it waits briefly, lets them run,
 * and retries.
 */
interface LockRetry {
  readonly lockMs: number
  readonly tries: number
  readonly pauseMs: number
}

/** Returns the names of the migrations that this call ran. */
export async function migrate(databaseUrl: string, retry = twoMinutes): Promise<readonly string[]> {
  const guard = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: limits.connectMs })
  guard.on('error', ignore)
  await guard.connect()
  try {
    // Without this lock, two processes could run the same migration. The lock ends with its connection, even in a crash.
    await guard.query('SELECT pg_advisory_lock($1)', [lockKey])
    const limited = { ...limits, lockMs: retry.lockMs }
    const dataSource = createDataSource({ url: databaseUrl, poolSize: 1, limits: limited, onError: ignore })
    await dataSource.initialize()
    try {
      const before = await ranOf(guard)
      await runAll(dataSource, retry)
      return (await ranOf(guard)).filter((name) => !before.includes(name))
    } finally {
      await dataSource.destroy()
    }
  } finally {
    await guard.end()
  }
}

/** Each migration runs in its own transaction, so a lock timeout rolls back only the migration that waited. */
async function runAll(dataSource: DataSource, { tries, pauseMs }: LockRetry): Promise<void> {
  for (let left = tries - 1; ; left--) {
    try {
      await dataSource.runMigrations({ transaction: 'each' })
      return
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (left === 0) throw new Error(tableLocked, { cause: error })
      await wait(pauseMs)
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof QueryFailedError && error.driverError.code === '55P03'
}

const tableLocked =
  'another session, such as a pg_dump or a long transaction, kept a table locked; no migration is half applied, so run it again when that session has ended'

/** Returns an empty list if no migration has ever run. */
async function ranOf(client: Client): Promise<string[]> {
  const {
    rows: [table],
  } = await client.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  if (!table.exists) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')
  return rows.map(({ name }) => name)
}

// Ignores the error event of a lost connection, because the next statement fails with a better error.
function ignore(): void {}

/** An arbitrary number that only migrations of this service use. */
const lockKey = 1_794_700_800

// A migration may rewrite a large table, so statements have no timeout. Connecting and waiting for a lock do.
const limits: ConnectionLimits = {
  connectMs: 5_000,
  statementMs: 0,
  answerMs: 0,
  idleInTransactionMs: 0,
  idleMs: 1_000,
}

const twoMinutes: LockRetry = { lockMs: 3_000, tries: 24, pauseMs: 2_000 }

interface MigrationReport {
  readonly outcome: 'migrated' | 'failed'
  readonly sentence: string
}

/** Migrates and returns the result as one sentence. Never throws, and never shows the password in the URL. */
export async function migrationReport(databaseUrl: string | undefined): Promise<MigrationReport> {
  if (!databaseUrl || !/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    return failed('DATABASE_URL must be set to a URL that starts with postgres:// or postgresql://.')
  }
  const { host, pathname } = new URL(databaseUrl)
  const name = `${host}${pathname}`
  try {
    const ran = await migrate(databaseUrl)
    const change = ran.length === 0 ? 'was up to date already' : `is up to date now: ran ${ran.join(', ')}`
    return { outcome: 'migrated', sentence: `The database ${name} ${change}.` }
  } catch (error) {
    return failed(`The database ${name} could not be migrated: ${reasonOf(error)}.`)
  }
}

function failed(sentence: string): MigrationReport {
  return { outcome: 'failed', sentence }
}

// Node reports a host with several addresses as an AggregateError whose own message is empty.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
