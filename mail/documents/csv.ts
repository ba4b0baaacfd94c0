// Writes CSV for spreadsheets, with a UTF-8 byte order mark and CRLF line endings. No text can run as a formula.

/** Numbers are written unchanged. Text is untrusted, so it is escaped. */
export type Cell = string | { readonly number: string }

export function csv(rows: readonly (readonly Cell[])[]): string {
  return csvMark + csvLines(rows)
}

/** The byte order mark at the start of a file, for callers that write the file in parts. */
export const csvMark = '\uFEFF'

export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')
}

function written(cell: Cell): string {
  return typeof cell === 'string' ? quoted(harmless(cell)) : cell.number
}

/**
 * A spreadsheet evaluates text that starts with one of these characters, even after invisible ones. A leading
 * apostrophe prevents that.
 */
function harmless(text: string): string {
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text
}

/** Quotes semicolons and tabs too, because some spreadsheets split cells at them. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
