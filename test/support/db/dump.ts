// Everything that is readable in a stolen database: every row of every table as text, with bytes as hex.
import type { Db } from '../../../db/database'

export async function dump(db: Db): Promise<string> {
  const tables: { name: string }[] = await db.dataSource.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'
      AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = format('public.%I', tablename)::regclass) ORDER BY 1`,
  )
  const parts: string[] = []
  for (const { name } of tables) {
    const rows: { line: string }[] = await db.dataSource.query(`SELECT t::text AS line FROM ${name} t`)
    parts.push(`${name}:`, ...rows.map((row) => row.line))
  }
  return parts.join('\n')
}
