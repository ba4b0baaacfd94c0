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
  for (const column of await columnsToSearch(records, canaries)) {
    found.push(...(await occurrencesIn(records, column, canaries)))
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

/**
 * Returns the columns of the tables with a match. Searches all tables in one statement, because most have no match. A
 * column that may contain a canary has a condition of its own: otherwise its table would always match.
 */
async function columnsToSearch(records: Records, canaries: readonly Canary[]): Promise<Column[]> {
  const tables = await columnsByTable(records)
  const values = [anyOf(patternsFor(canaries))]
  const searches = tables.map((columns, index) => {
    const allowed = columns.filter(({ name }) => canaries.some(({ allowedIn }) => allowedIn === name))
    const others = columns.filter((column) => !allowed.includes(column))
    const conditions = [`concat_ws(E'\n', ${others.map(({ column }) => `${column}::text`).join(', ')}) ~ $1`]
    for (const { name, column } of allowed) {
      const patterns = patternsOutside(name, canaries)
      if (patterns.length > 0) conditions.push(`${column}::text ~ $${values.push(anyOf(patterns))}`)
    }
    return `SELECT ${index} AS index WHERE EXISTS (SELECT FROM ${columns[0]?.table} WHERE ${conditions.join(' OR ')})`
  })
  const matches = await records.query<{ index: number }[]>(searches.join(' UNION ALL '), values)
  return matches.flatMap(({ index }) => tables[index] ?? [])
}

async function occurrencesIn(
  records: Records,
  { name, table, column }: Column,
  canaries: readonly Canary[],
): Promise<string[]> {
  const patterns = patternsOutside(name, canaries)
  if (patterns.length === 0) return []
  // Searches for all values together first, because a long story has many rows. Then finds which values matched.
  const rows: { canary: string }[] = await records.query(
    `SELECT DISTINCT canary FROM (SELECT ${column}::text AS said FROM ${table} WHERE ${column}::text ~ $2) found,
      unnest($1::text[]) AS canary WHERE said ~ canary`,
    [patterns, anyOf(patterns)],
  )
  return rows.map(({ canary }) => `I10 ${canary} is in ${name}`)
}

/** Returns the patterns that the column must not match. */
function patternsOutside(name: string, canaries: readonly Canary[]): string[] {
  return patternsFor(canaries.filter(({ allowedIn }) => allowedIn !== name))
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
