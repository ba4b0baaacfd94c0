// I10: what was given to be sealed is nowhere else, in no table, no log and no workflow history.
import type { Records } from './records'

export interface Canary {
  readonly text: string
  /** The one column beside the seal in which it may stand, as table.column: a name is shown in lists. */
  readonly allowedIn?: string
}

export async function secretRules(
  records: Records,
  canaries: readonly Canary[],
  texts: readonly { readonly where: string; readonly text: string }[],
): Promise<string[]> {
  const columns: { name: string; table: string; column: string }[] = await records.query(`
    SELECT format('%s.%s', table_name, column_name) AS name, quote_ident(table_name) AS table,
      quote_ident(column_name) AS column
    FROM information_schema.columns WHERE table_schema = 'public'`)
  const found: string[] = []
  for (const { name, table, column } of columns) {
    const wanted = canaries.filter(({ allowedIn }) => allowedIn !== name).map(({ text }) => text)
    if (wanted.length === 0) continue
    // As text, and as the bytes of a bytea, which PostgreSQL writes in hexadecimal.
    const patterns = wanted.flatMap((text) => [patternFor(text), Buffer.from(text).toString('hex')])
    // All at once first, since a long story has many rows; only what has one of them is asked which.
    const rows: { canary: string }[] = await records.query(
      `SELECT DISTINCT canary FROM (SELECT ${column}::text AS said FROM ${table} WHERE ${column}::text ~ $2) found,
        unnest($1::text[]) AS canary WHERE said ~ canary`,
      [patterns, patterns.map((pattern) => `(${pattern})`).join('|')],
    )
    found.push(...rows.map(({ canary }) => `I10 ${canary} stands in ${name}`))
  }
  for (const { where, text } of texts) {
    for (const canary of canaries)
      if (new RegExp(patternFor(canary.text)).test(text)) found.push(`I10 ${canary.text} stands in ${where}`)
  }
  return found
}

/** Eight digits are bound to occur in some hash or count; as a number of their own they are not. */
function patternFor(text: string): string {
  return /^\d+$/.test(text) ? `(^|[^0-9a-f])${text}($|[^0-9a-f])` : text
}
