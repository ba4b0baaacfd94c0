// Compares the database's schema with the migrations that this build was written for.
import type { Db } from './database'

export class SchemaBehind extends Error {
  constructor(missing: readonly string[]) {
    super(`The database lacks ${missing.join(', ')}: run \`npm run migrate\`, then start the worker again.`)
    this.name = 'SchemaBehind'
  }
}

/** For a process that must not start on an older schema. */
export async function requireSchema(db: Db): Promise<void> {
  const missing = await missingMigrations(db)
  if (missing.length > 0) throw new SchemaBehind(missing)
}

/**
 * Names the migrations of this build that have not run. Migrations that this build does not know are ignored: migrations
 * only add, so a build keeps working on a database that a newer one has migrated.
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
