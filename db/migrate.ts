// Brings a database up to date; any number of processes may call it at once.
import { Client } from 'pg'
import { type ConnectionLimits, createDataSource } from './data-source'

/** Returns the names of the migrations that this call ran. */
export async function migrate(databaseUrl: string): Promise<readonly string[]> {
  const guard = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: limits.connectMs })
  guard.on('error', ignore)
  await guard.connect()
  try {
    // TypeORM alone lets two processes run one migration twice. The lock ends with its connection, also in a crash.
    await guard.query('SELECT pg_advisory_lock($1)', [lockKey])
    const dataSource = await createDataSource({ url: databaseUrl, poolSize: 1, limits, onError: ignore }).initialize()
    try {
      const ran = await dataSource.runMigrations({ transaction: 'each' })
      return ran.map((migration) => migration.name)
    } finally {
      await dataSource.destroy()
    }
  } finally {
    await guard.end()
  }
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
