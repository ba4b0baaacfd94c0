// CSV as spreadsheets want it: a mark that it is UTF-8, lines that end in CRLF, and no text that would run as a formula.

/** A number is written as it is; a text may be anybody's. */
export type Cell = string | { readonly number: string }

export function csv(rows: readonly (readonly Cell[])[]): string {
  return csvMark + csvLines(rows)
}

/** For a file that is written piece by piece: this once, in front of everything. */
export const csvMark = '\uFEFF'

export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')
}

function written(cell: Cell): string {
  return typeof cell === 'string' ? quoted(harmless(cell)) : cell.number
}

/** What begins like this, after whatever can not be seen, is calculated by a spreadsheet; the apostrophe in front makes it text. */
function harmless(text: string): string {
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text
}

/** Some spreadsheets part cells at semicolons or tabs. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
