// Writes CSV for spreadsheets: UTF-8 byte order mark, CRLF line ends, and no text that would run as a formula.

/** Numbers are written unchanged. Texts are untrusted. */
export type Cell = string | { readonly number: string }

export function csv(rows: readonly (readonly Cell[])[]): string {
  return csvMark + csvLines(rows)
}

/** The start of a file that is written in parts. */
export const csvMark = '\uFEFF'

export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')
}

function written(cell: Cell): string {
  return typeof cell === 'string' ? quoted(harmless(cell)) : cell.number
}

/** A spreadsheet evaluates text that starts like this, invisible characters aside. A leading apostrophe makes it text. */
function harmless(text: string): string {
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text
}

/** Some spreadsheets split cells at semicolons or tabs. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
