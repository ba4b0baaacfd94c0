// Exports a list as CSV. Pages are read while the file is sent, so a long list needs little memory.
import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { type Cell, csvLines, csvMark } from '../../mail/documents/csv'
import type { Page } from './list'
import type { Reply, ReplyShape } from './route'

interface CsvExport<Row extends Identified> {
  /** The file name without the extension. */
  readonly fileName: string
  readonly columns: readonly string[]
  readonly read: (page: Page) => Promise<Row[]>
  readonly cellsOf: (row: Row) => readonly Cell[]
}

interface Identified {
  readonly id: string
}

/**
 * Reads the first page before replying, so that a failure there becomes an error response instead of an incomplete
 * file.
 */
export async function csvReply<Row extends Identified>(file: CsvExport<Row>): Promise<Reply> {
  const first = await file.read({ take: rowsPerPage, startingAfter: null })
  return {
    body: Readable.from(pieces(file, first)),
    type: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="${file.fileName}.csv"` },
  }
}

export const csvShape: ReplyShape = {
  status: 200,
  description: 'The file, with a row for each item, in the order of the list.',
  type: 'text/csv',
  schema: Type.Unsafe<TSchema>({}),
  headers: { 'Content-Disposition': 'The file name.' },
}

/** The database and this process need only a few milliseconds for a page of this size. */
const rowsPerPage = 500

async function* pieces<Row extends Identified>({ columns, read, cellsOf }: CsvExport<Row>, first: readonly Row[]) {
  yield csvMark + csvLines([columns])
  for (let rows = first; ; ) {
    if (rows.length > 0) yield csvLines(rows.map(cellsOf))
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage) return
    rows = await read({ take: rowsPerPage, startingAfter: last.id })
  }
}
