// Reads the bank's lists, newest first. The pages overlap, so that a list that shifts during the read is detected.
import { ListTooLong, RailRefused, RailUnavailable } from '../rail'
import { ask } from './ask'
import type { Client } from './client'
import { listAt, readable, textAt, Unreadable } from './fields'

interface ListToRead<T> {
  readonly name: string
  readonly path: string
  readonly read: (row: unknown) => T
  /** True for a row that is too old. The list is newest first, so the read stops there. */
  readonly isPast: (row: T) => boolean
}

export interface Listing<T> {
  readonly rows: ReadonlyMap<string, T>
  /** False if the read may have skipped rows between two pages, or if the list exceeds the limit. */
  readonly complete: boolean
  readonly isTooLong?: true
}

const pageSize = 100
/** The overlap of two pages. The list may shift by this many rows between two pages without a gap. */
const overlap = 20
const pagesMax = 2_000
/** This allows about eight million rows. */
const walkedPagesMax = 100_000

export async function readList<T>(client: Client, list: ListToRead<T>): Promise<Listing<T>> {
  const rows = new Map<string, T>()
  const order: string[] = []

  for (let page = 0; page < pagesMax; page += 1) {
    const cursor = order.at(Math.max(-order.length, -1 - overlap))
    const found = await readPage(client, list, cursor)
    const fresh = found.filter(([id]) => id === null || !rows.has(id))
    const joins = order.length < 2 || found.some(([id]) => id === order.at(-1))
    if (!joins) return { rows, complete: false }
    // After a full page of known rows, the end of the list is unknown.
    if (fresh.length === 0) return { rows, complete: found.length < pageSize }
    for (const [id, row] of fresh) {
      if (list.isPast(row)) return { rows, complete: true }
      const known = required(id, list)
      rows.set(known, row)
      order.push(known)
    }
  }
  return { rows, complete: false, isTooLong: true }
}

/** Reads a list that does not fit into memory. Yields each row, and throws if rows may have been skipped. */
export async function* walkList<T>(client: Client, list: ListToRead<T>): AsyncGenerator<T> {
  let before: readonly string[] = []
  for (let page = 0; page < walkedPagesMax; page += 1) {
    const found = await readPage(client, list, before.at(Math.max(-before.length, -1 - overlap)))
    const fresh = found.filter(([id]) => id === null || !before.includes(id))
    const joins = before.length < 2 || found.some(([id]) => id === before.at(-1))
    if (!joins || (fresh.length === 0 && found.length === pageSize)) throw moved(list.name)
    if (fresh.length === 0) return
    for (const [id, row] of fresh) {
      if (list.isPast(row)) return
      required(id, list)
      yield row
    }
    before = found.map(([id]) => required(id, list))
  }
  throw moved(list.name)
}

/** Reads a whole list for callers that can retry. Throws if rows may be missing. */
export async function readWholeList<T>(client: Client, list: ListToRead<T>): Promise<ReadonlyMap<string, T>> {
  const { rows, complete, isTooLong } = await readList(client, list)
  if (isTooLong) throw new ListTooLong(list.name)
  if (!complete) throw moved(list.name)
  return rows
}

function moved(name: string): RailUnavailable {
  return new RailUnavailable(name, { answer: 'the list changed while it was read' })
}

/**
 * Throws if a row has no ID, because such a row cannot be distinguished from others. Only rows that are too old may
 * lack an ID.
 */
function required(id: string | null, { name }: { readonly name: string }): string {
  if (id === null) throw new RailRefused(name, { cause: new Unreadable('id'), answer: 'unreadable list' })
  return id
}

function readPage<T>(client: Client, { name, path, read }: ListToRead<T>, cursor: string | undefined) {
  const after = cursor === undefined ? '' : `&starting_after=${encodeURIComponent(cursor)}`
  return ask(client, name, { method: 'GET', path: `${path}?limit=${pageSize}${after}` }, (body) =>
    listAt(body, 'data').map((row): readonly [string | null, T] => [readable(() => textAt(row, 'id')), read(row)]),
  )
}
