// Pagination: query parameters and response format of lists.
import { type TSchema, Type } from 'typebox'
import { listLimit } from '../../domain/limits'
import { ApiError } from './errors'
import type { Reply, ReplyShape } from './route'
import { environmentQuery, ListOf, Strict, Uuid } from './schema'

const { min, max } = listLimit
export const cursorHint = 'the next_cursor of a page of this list'

/** Ajv fills in the default, so handlers always get a limit. */
export const pageQuery = (defaultLimit: number = listLimit.default) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: min,
      maximum: max,
      default: defaultLimit,
      description: 'The number of items in a page.',
      'x-hint': `a whole number from ${min} to ${max}`,
    }),
  ),
  starting_after: Type.Optional(Uuid({ description: 'The next_cursor of the previous page.', 'x-hint': cursorHint })),
})

/** The query schema of a list, with the list's own filters. */
export const PageQuery = <Filters extends Record<string, TSchema>>(filters: Filters, defaultLimit?: number) =>
  Strict({ ...environmentQuery, ...pageQuery(defaultLimit), ...filters })

/** The documented reply of a list. The example is a complete list, or one page of it if a cursor is given. */
export function listShape(description: string, item: TSchema, data: unknown[], nextCursor?: string): ReplyShape {
  const example = { object: 'list', data, has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null }
  return { status: 200, description, schema: ListOf(item), example }
}

/** The rows to read from the database. */
export interface Page {
  readonly take: number
  readonly startingAfter: string | null
}

interface Listed<Row> {
  /** Finds the item that a cursor names. Returns null or false if the caller cannot see such an item in this list. */
  readonly find: (cursor: string) => Promise<unknown>
  readonly read: (page: Page) => Promise<readonly Row[]>
  readonly cursorOf: (row: Row) => string
  readonly present: (row: Row) => unknown
}

export async function pageReply<Row>(
  query: ChosenPage,
  { find, read, cursorOf, present }: Listed<Row>,
): Promise<Reply> {
  const page = pageOf(query)
  if (page.startingAfter !== null && !(await find(page.startingAfter))) throw unknownCursor()
  const rows = await read(page)
  const shown = rows.slice(0, page.take - 1)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  const next_cursor = last === undefined ? null : cursorOf(last)
  return { body: { object: 'list', data: shown.map(present), has_more: last !== undefined, next_cursor } }
}

/** Reads one more item than the page holds, to find out whether there is another page. */
function pageOf({ limit, starting_after }: ChosenPage): Page {
  return { take: (limit ?? listLimit.default) + 1, startingAfter: starting_after ?? null }
}

function unknownCursor(): ApiError {
  return new ApiError('invalid_request', {
    message: `starting_after must be ${cursorHint}.`,
    details: { errors: [`starting_after (${cursorHint})`] },
  })
}

/** A list without pagination. */
export function presentList(items: readonly unknown[]): unknown {
  return { object: 'list', data: items, has_more: false, next_cursor: null }
}

interface ChosenPage {
  readonly limit?: number | undefined
  readonly starting_after?: string | undefined
}
