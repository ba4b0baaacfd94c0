// Lists: all items as an async iterator, or one page at a time.
import { type CallOptions, jsonOf, type Query, type Transport } from './transport'

export interface Page<T> {
  readonly object: 'list'
  readonly data: readonly T[]
  readonly has_more: boolean
  /** Pass it as `starting_after` to get the next page. Null on the last page. */
  readonly next_cursor: string | null
}

/** `for await` over a list reads as many pages as it needs. Creating a list sends no request. */
export interface List<T> extends AsyncIterable<T> {
  /** Reads one page: the first one, or the one after `starting_after`. */
  page(): Promise<Page<T>>
  pages(): AsyncIterable<Page<T>>
}

export function listOf<T>(send: Transport, path: string, query: Query = {}, options?: CallOptions): List<T> {
  const read = (cursor: Query) =>
    jsonOf<Page<T>>(send({ method: 'GET', path, query: { ...query, ...cursor }, repeat: 'safe' }, options))

  async function* pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await read({})
    yield page
    while (page.has_more && page.next_cursor !== null) {
      page = await read({ starting_after: page.next_cursor })
      yield page
    }
  }

  return {
    page: () => read({}),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}
