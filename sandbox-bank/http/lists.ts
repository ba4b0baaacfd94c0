// Lists in the bank's format: {count, data}, newest first, with cursors, and with the faults that affect lists.
import type { Bank } from '../bank'
import type { Subject } from '../control/faults'
import type { Environment } from '../storage/records'
import { invalid } from './errors'

interface ListRequest {
  readonly bank: Bank
  readonly environment: Environment
  readonly path: string
  readonly query: URLSearchParams
}

interface Listed {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt?: number
}

const cursors = ['starting_after', 'ending_before', 'updated_after_ms', 'updated_before_ms'] as const

/** Expects the rows oldest first, as the books store them. */
export function listPage<T extends Listed>(
  request: ListRequest,
  rows: readonly T[],
  present: (row: T) => unknown,
  subjectOf: (row: T) => Subject = () => ({}),
): { count: number; data: unknown[] } {
  const { bank, environment, path, query } = request
  const limit = limitOf(query)
  const used = cursors.filter((name) => query.has(name))
  if (used.length > 1) throw invalid(used[1] ?? '', `${used.join(' and ')} cannot be used together.`, 'query')

  const place = { environment, method: 'GET', path }
  const newestFirst = rows
    .toReversed()
    .filter((row) => !bank.faults.take(['list_omit'], { ...place, ...subjectOf(row) }))
  const short = bank.faults.take(['list_short'], place)
  const data = short ? [] : pageOf(request, newestFirst, limit).map(present)
  return { count: data.length, data }
}

function pageOf<T extends Listed>({ bank, environment, path, query }: ListRequest, rows: T[], limit: number): T[] {
  const after = query.get('starting_after')
  if (after !== null) {
    const shift = bank.faults.take(['list_shift'], { environment, method: 'GET', path })?.by ?? 0
    const start = Math.max(0, indexOf(rows, 'starting_after', after) + 1 + shift)
    return rows.slice(start, start + limit)
  }
  const before = query.get('ending_before')
  if (before !== null) {
    const end = indexOf(rows, 'ending_before', before)
    return rows.slice(Math.max(0, end - limit), end)
  }
  const updatedAfter = millisecondsOf(query, 'updated_after_ms')
  const updatedBefore = millisecondsOf(query, 'updated_before_ms')
  return rows
    .filter((row) => updatedAfter === null || (row.updatedAt ?? row.createdAt) > updatedAfter)
    .filter((row) => updatedBefore === null || (row.updatedAt ?? row.createdAt) < updatedBefore)
    .slice(0, limit)
}

function indexOf(rows: readonly Listed[], name: string, id: string): number {
  const index = rows.findIndex((row) => row.id === id)
  if (index === -1) throw invalid(name, `${name} is not an id of this list.`, 'query')
  return index
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit') ?? '10'
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > 100) throw invalid('limit', 'limit must be 1 to 100.', 'query')
  return limit
}

function millisecondsOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null) return null
  if (!/^\d{1,15}$/.test(text)) throw invalid(name, `${name} must be milliseconds since 1970.`, 'query')
  return Number(text)
}
