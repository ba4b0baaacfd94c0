// Pagination: query parameters and response format of lists.
import { Type } from 'typebox'
import { listLimit } from '../../domain/limits'
import { ApiError } from './errors'
import { Uuid } from './schema'

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

/** The rows to read from the database. */
export interface Page {
  readonly take: number
  readonly startingAfter: string | null
}

/** Takes one item more than the page holds, to learn whether there is another page. */
export function pageOf({ limit, starting_after }: PageQuery): Page {
  return { take: (limit ?? listLimit.default) + 1, startingAfter: starting_after ?? null }
}

/** The cursor must name an item of this list that the caller can see. */
export async function requireCursor(page: Page, find: (id: string) => Promise<unknown>): Promise<void> {
  if (page.startingAfter === null || (await find(page.startingAfter)) !== null) return
  throw unknownCursor()
}

export function unknownCursor(): ApiError {
  return new ApiError('invalid_request', {
    message: `starting_after must be ${cursorHint}.`,
    details: { errors: [`starting_after (${cursorHint})`] },
  })
}

export function presentPage<Row>(
  rows: readonly Row[],
  page: Page,
  { cursorOf, present }: { cursorOf: (row: Row) => string; present: (row: Row) => unknown },
): unknown {
  const shown = rows.slice(0, page.take - 1)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  return {
    object: 'list',
    data: shown.map(present),
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : cursorOf(last),
  }
}

/** A list without pages. */
export function presentList(items: readonly unknown[]): unknown {
  return { object: 'list', data: items, has_more: false, next_cursor: null }
}

interface PageQuery {
  readonly limit?: number | undefined
  readonly starting_after?: string | undefined
}
