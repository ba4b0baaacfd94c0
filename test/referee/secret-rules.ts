// I10: sealed values appear in no other column, no log and no workflow history.
import type { Records } from './records'

export interface Canary {
  readonly text: string
  /** The only unsealed column that may contain the value, as `table.column`. Lists show names, for example. */
  readonly allowedIn?: string
}

export async function secretRules(
  records: Records,
  canaries: readonly Canary[],
  texts: readonly { readonly where: string; readonly text: string }[],
): Promise<string[]> {
  const found: string[] = []
  for (const columns of await columnsByTable(records)) {
    if (!(await occursInSome(records, columns, canaries))) continue
    for (const column of columns) found.push(...(await occurrencesIn(records, column, canaries)))
  }
  for (const { where, text } of texts) {
    for (const canary of canaries)
      if (new RegExp(patternFor(canary.text)).test(text)) found.push(`I10 ${canary.text} is in ${where}`)
  }
  return found
}

interface Column {
  readonly name: string
  readonly table: string
  readonly column: string
}

async function columnsByTable(records: Records): Promise<Column[][]> {
  const tables: { columns: Column[] }[] = await records.query(`
    SELECT json_agg(json_build_object('name', format('%s.%s', table_name, column_name),
      'table', quote_ident(table_name), 'column', quote_ident(column_name))) AS columns
    FROM information_schema.columns WHERE table_schema = 'public'
      AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = format('public.%I', table_name)::regclass)
    GROUP BY table_name`)
  return tables.map(({ columns }) => columns)
}

/** Searches each table as a whole first, because most tables have no match and there are hundreds of columns. */
async function occursInSome(
  records: Records,
  columns: readonly Column[],
  canaries: readonly Canary[],
): Promise<boolean> {
  const row = columns.map(({ column }) => `${column}::text`).join(', ')
  const rows: unknown[] = await records.query(
    `SELECT FROM ${columns[0]?.table} WHERE concat_ws(E'\n', ${row}) ~ $1 LIMIT 1`,
    [anyOf(patternsFor(canaries))],
  )
  return rows.length > 0
}

async function occurrencesIn(
  records: Records,
  { name, table, column }: Column,
  canaries: readonly Canary[],
): Promise<string[]> {
  const patterns = patternsFor(canaries.filter(({ allowedIn }) => allowedIn !== name))
  if (patterns.length === 0) return []
  // Searches for all values together first, because a long story has many rows. Then finds which values matched.
  const rows: { canary: string }[] = await records.query(
    `SELECT DISTINCT canary FROM (SELECT ${column}::text AS said FROM ${table} WHERE ${column}::text ~ $2) found,
      unnest($1::text[]) AS canary WHERE said ~ canary`,
    [patterns, anyOf(patterns)],
  )
  return rows.map(({ canary }) => `I10 ${canary} is in ${name}`)
}

/** Returns patterns for each text, and for its bytes in a bytea column, which PostgreSQL writes in hexadecimal. */
function patternsFor(canaries: readonly Canary[]): string[] {
  return canaries.flatMap(({ text }) => [patternFor(text), Buffer.from(text).toString('hex')])
}

const anyOf = (patterns: readonly string[]) => patterns.map((pattern) => `(${pattern})`).join('|')

/** Eight digits may occur in a hash or count by chance, but not as a separate number. */
function patternFor(text: string): string {
  return /^\d+$/.test(text) ? `(^|[^0-9a-f])${text}($|[^0-9a-f])` : text
}
