// Migrates a database, and compares its schema with the migrations that this build needs. Safe to run in several
// processes at the same time.
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type DataSource, QueryFailedError } from 'typeorm'
import { addressOf, type ConnectionLimits, createDataSource } from './data-source'
import type { Db } from './database'

/**
 * A migration that waits for a table lock blocks all later users of the table. It therefore waits only `lockMs`, pauses
 * to let the others run, and retries.
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
    await lock(guard)
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

/**
 * Without this lock, two processes could run the same migration. PostgreSQL releases it when the connection ends. Polls,
 * because a concurrent index build waits for every running statement, and so for one that waits for this lock.
 */
async function lock(guard: Client): Promise<void> {
  for (;;) {
    const { rows } = await guard.query('SELECT pg_try_advisory_lock($1) AS is_locked', [lockKey])
    if (rows[0]?.is_locked) return
    await wait(lockPollMs)
  }
}

const lockPollMs = 100

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

/** An arbitrary number that only this service's migrations use. */
const lockKey = 1_794_700_800

// Statements have no time limit, because a migration may rewrite a large table. Connecting and waiting for a lock do.
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
  const name = addressOf(databaseUrl) + new URL(databaseUrl).pathname
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

// If a host has several addresses, Node reports a failed connection as an AggregateError with an empty message.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}

export class SchemaBehind extends Error {
  constructor(missing: readonly string[]) {
    super(`The database lacks ${missing.join(', ')}: run \`npm run migrate\`, then start the worker again.`)
    this.name = 'SchemaBehind'
  }
}

/** Throws if the schema is older than this build needs. */
export async function requireSchema(db: Db): Promise<void> {
  const missing = await missingMigrations(db)
  if (missing.length > 0) throw new SchemaBehind(missing)
}

/**
 * Returns this build's migrations that have not run. Ignores unknown migrations, because migrations only add to the
 * schema and an older build works with a newer schema.
 */
export async function missingMigrations(db: Db): Promise<string[]> {
  const ran = new Set(await ranMigrations(db))
  const known = db.dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name)
  return known.filter((name) => !ran.has(name))
}

async function ranMigrations(db: Db): Promise<string[]> {
  const [table] = await db.sql<{ exists: boolean }>`SELECT to_regclass('migrations') IS NOT NULL AS exists`
  if (!table?.exists) return []
  const rows = await db.sql<{ name: string }>`SELECT name FROM migrations`
  return rows.map(({ name }) => name)
}
