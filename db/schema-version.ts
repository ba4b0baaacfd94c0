// Compares the database's schema with the migrations that this build needs.
import type { Db } from './database'

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
 * Returns the migrations of this build that have not run. Ignores unknown migrations: migrations only add, so an
 * older build keeps working on a newer schema.
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
