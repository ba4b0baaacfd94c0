// Refuses to work on a database that lacks what this code was written for; migrating is a job of its own.

import type { Db } from '../db/database'

export class SchemaBehind extends Error {
  constructor(missing: readonly string[]) {
    super(`The database lacks ${missing.join(', ')}: run \`npm run migrate\`, then start the worker again.`)
    this.name = 'SchemaBehind'
  }
}

export async function requireSchema(db: Db): Promise<void> {
  const ran = new Set(await ranMigrations(db))
  const missing = db.dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name)
  const lacking = missing.filter((name) => !ran.has(name))
  if (lacking.length > 0) throw new SchemaBehind(lacking)
}

async function ranMigrations(db: Db): Promise<string[]> {
  const [table] = await db.query<{ is_there: boolean }>(migrationsTable, [])
  if (!table?.is_there) return []
  const rows = await db.query<{ name: string }>(migrationNames, [])
  return rows.map(({ name }) => name)
}

const migrationsTable = {
  name: 'migrations-table',
  text: `SELECT to_regclass('migrations') IS NOT NULL AS is_there`,
}

const migrationNames = { name: 'migration-names', text: 'SELECT name FROM migrations' }
