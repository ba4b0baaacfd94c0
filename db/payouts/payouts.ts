// Reads a partner's payouts in one environment. Returns only payouts that have a verdict or that the API has
// acknowledged.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { isUuid } from '../../domain/uuid'
import type { Queryable } from '../database'
import type { Caller } from '../sign-in/callers'
import { joined, literal, type Sql, sql } from '../sql'
import { bigintFrom, dateFrom, dateOrNull, findWithCaller, type InJson } from './one-text'
import type { StoredPayout } from './payout'

export type PayoutRow = Pick<
  StoredPayout,
  | 'id'
  | 'environment'
  | 'status'
  | 'failureReason'
  | 'reference'
  | 'country'
  | 'createdVia'
  | 'amountPence'
  | 'feePence'
  | 'feeInTransferPence'
  | 'walletSendsMicroUsdc'
  | 'recipientName'
  | 'accountLast4'
  | 'createdAt'
  | 'updatedAt'
  | 'completedAt'
  | 'idempotencyKey'
>

/** The partner and environment whose payouts are read. */
export interface Scope {
  readonly partnerId: string
  readonly environment: Environment
}

/** Times are strings, so that PostgreSQL compares them with microsecond precision, which a Date does not have. */
export interface PayoutFilters {
  /** Matches part of the reference or recipient name, or exactly the last four account digits or the ID. */
  readonly search?: string | undefined
  readonly statuses?: readonly PayoutStatus[] | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly completedAfter?: string | undefined
  readonly completedBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly reference?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly accountLast4?: string | undefined
  /** Both bounds are inclusive. */
  readonly minPence?: bigint | undefined
  readonly maxPence?: bigint | undefined
  readonly createdBy?: string | undefined
}

/** `startingAfter` must be the ID of a payout that `findPayout` finds in the same scope. */
export interface Page {
  readonly take: number
  readonly startingAfter: string | null
  /** Defaults to `newest`. */
  readonly order?: PayoutOrder | undefined
}

/** Which payout comes first. Among equal amounts, `largest` lists the newest first, and `smallest` the oldest. */
export const payoutOrders = ['newest', 'oldest', 'largest', 'smallest'] as const
export type PayoutOrder = (typeof payoutOrders)[number]

/**
 * A payout is visible once it has a verdict, or once the API has answered `pending` for it. A released payout is never
 * visible.
 */
export const isVisible = sql`released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)`

export async function findPayout(db: Queryable, scope: Scope, id: string): Promise<PayoutRow | null> {
  const { partnerId, environment } = scope
  const [payout] = await db.sql<PayoutRow>`SELECT ${payoutColumns} FROM payouts
    WHERE id = ${id} AND partner_id = ${partnerId} AND environment = ${environment} AND ${isVisible}`
  return payout ?? null
}

/** Finds the partner's payouts in both environments. Skips unknown and invisible ones. */
export async function findPayouts(db: Queryable, partnerId: string, ids: readonly string[]): Promise<PayoutRow[]> {
  if (ids.length === 0) return []
  return db.sql<PayoutRow>`SELECT ${payoutColumns} FROM payouts
    WHERE id = ANY (${ids}::uuid[]) AND partner_id = ${partnerId} AND ${isVisible}`
}

/** Finds the caller and the payout in one statement. Partners poll payouts, so this is the most frequent read. */
export async function findCallerAndPayout(
  db: Queryable,
  digest: Buffer,
  id: string,
): Promise<{ caller: Caller; payout: PayoutRow | null } | null> {
  const isWanted = sql`id = ${id} AND ${isVisible}`
  const found = await findWithCaller<PayoutRow>(db, digest, { columns: payoutColumns, table: sql`payouts`, isWanted })
  return found && { caller: found.caller, payout: found.row && payoutFrom(found.row) }
}

export function payoutFrom(json: InJson<PayoutRow>): PayoutRow {
  return {
    ...json,
    amountPence: bigintFrom(json.amountPence),
    feePence: bigintFrom(json.feePence),
    feeInTransferPence: bigintFrom(json.feeInTransferPence),
    walletSendsMicroUsdc: bigintFrom(json.walletSendsMicroUsdc),
    createdAt: dateFrom(json.createdAt),
    updatedAt: dateFrom(json.updatedAt),
    completedAt: dateOrNull(json.completedAt),
  }
}

export async function listPayouts(
  db: Queryable,
  scope: Scope,
  filters: PayoutFilters,
  { take, startingAfter, order = 'newest' }: Page,
): Promise<PayoutRow[]> {
  const filtered = conditionsOf(filters)
  const chosen = [...filtered, ...cursorConditions(startingAfter, order)]
  const inOrder = inOrderOf(order)
  const isOfScope = visibleIn(scope)
  const where = and(isOfScope, ...chosen.map(({ condition }) => condition))
  const listWhere = (condition: Sql) =>
    sql`SELECT ${payoutColumns} FROM payouts WHERE ${condition} ${inOrder} LIMIT ${take}`
  const { search } = filters
  // With filters, PostgreSQL plans for the actual values. A generic plan would scan all payouts to find the few that
  // changed in the last minute.
  if (search === undefined) return db.run(listWhere(where), { plan: chosen.length === 0 ? 'once' : 'each time' })

  // The first few hundred payouts contain every common term, so the search index only has to find rare terms. The
  // index does not cover terms shorter than three characters.
  const isShort = isShortTerm(search)
  const first = isShort
    ? newestAmong(isOfScope, order === 'newest' ? chosen : filtered)
    : firstAmong(isOfScope, chosen, { inOrder, count: commonTermsAmong })
  const among = sql`SELECT ${payoutColumns} FROM (${first}) first WHERE ${where} ${inOrder} LIMIT ${take}`
  const found = await db.run<PayoutRow>(among, { plan: 'each time' })
  if (isShort || found.length >= take) return found
  const rare = await findRareParts(db, scope, search)
  if (rare.length === 0) return db.run(listWhere(where), { plan: 'each time' })
  const others = chosen.filter(({ name }) => name !== 'search').map(({ condition }) => condition)
  // The four longest words suffice to find the rows. A limit also keeps the number of different statements small.
  const indexed = rare
    .toSorted((one, other) => other.length - one.length)
    .slice(0, 4)
    .map((part) => sql`${searchedText} LIKE ${patternOf(part)}`)
  const whole = sql`(${searchedText} || '') LIKE ${patternOf(search)}`
  return db.run(listWhere(and(isOfScope, ...others, ...indexed, whole)), { plan: 'each time' })
}

export interface PayoutTotal {
  readonly status: PayoutStatus
  readonly count: number
  readonly amountPence: bigint
  readonly feePence: bigint
}

/** Sums the payouts that `listPayouts` finds with these filters. Returns one row for each status that occurs. */
export async function sumPayouts(db: Queryable, scope: Scope, filters: PayoutFilters): Promise<PayoutTotal[]> {
  const chosen = conditionsOf(filters)
  const isOfScope = visibleIn(scope)
  const { search } = filters
  const isShort = search !== undefined && isShortTerm(search)
  const from = isShort ? sql`(${newestAmong(isOfScope, chosen)}) newest` : sql`payouts`
  const where = and(isOfScope, ...chosen.map(({ condition }) => condition))
  const statement = sql`SELECT status, count(*)::integer AS count, sum(amount_pence)::bigint AS amount_pence,
      sum(fee_pence)::bigint AS fee_pence
    FROM ${from} WHERE ${where} GROUP BY status`
  return db.run(statement, { plan: 'each time' })
}

/** Selects the newest payouts, to which a search for one or two characters is limited. */
function newestAmong(isOfScope: Sql, chosen: readonly Chosen[]): Sql {
  return firstAmong(isOfScope, chosen, { inOrder: newestFirst, count: shortTermsAmong })
}

/** Selects the first payouts. Applies only those of the chosen conditions that the list's index supports. */
function firstAmong(
  isOfScope: Sql,
  chosen: readonly Chosen[],
  { inOrder, count }: { readonly inOrder: Sql; readonly count: number },
): Sql {
  const bounds = chosen.filter(({ name }) => boundNames.has(name)).map(({ condition }) => condition)
  return sql`SELECT * FROM payouts WHERE ${and(isOfScope, ...bounds)} ${inOrder} LIMIT ${literal(count)}`
}

/** The search index does not cover terms shorter than three characters. */
function isShortTerm(search: string): boolean {
  return Array.from(search).length < 3
}

/**
 * Returns the words of the term that none of the newest payouts contains. Only these are looked up in the index,
 * because a lookup of words that every payout has, such as "Invoice" in "Invoice 7777", is slow. Returns an empty list
 * if the whole term should be looked up.
 */
async function findRareParts(db: Queryable, scope: Scope, term: string): Promise<string[]> {
  const parts = partsOf(term)
  if (parts.length < 2 || isUuid(term)) return []
  const rows = await db.sql<{ part: string }>`WITH newest AS MATERIALIZED (
      SELECT ${searchedText} AS text FROM payouts WHERE ${visibleIn(scope)} ${newestFirst} LIMIT ${literal(commonTermsAmong)}
    )
    SELECT part FROM unnest(${parts}::text[]) AS part
    WHERE NOT EXISTS (SELECT FROM newest WHERE position(lower(part) IN newest.text) > 0)`
  return rows.map(({ part }) => part)
}

/**
 * Keeps the separator before a short word. It marks the start of the word, which the trigram index stores too, so the
 * lookup finds fewer rows. Uses only ASCII words, because their lower case is the same in every locale.
 */
function partsOf(term: string): string[] {
  const words = [...term.matchAll(/[ -/]?([a-zA-Z0-9]+)/g)].map(([whole, word = '']) =>
    word.length < 6 ? whole : word,
  )
  return [...new Set(words)].filter((word) => word.length >= 3)
}

/** The columns of a PayoutRow. The aliases are the keys of the row as JSON (`inOneText`). */
export const payoutColumns = sql`id, environment, status, failure_reason AS "failureReason", reference, country,
  created_via AS "createdVia", amount_pence AS "amountPence", fee_pence AS "feePence",
  fee_in_transfer_pence AS "feeInTransferPence", wallet_sends_micro_usdc AS "walletSendsMicroUsdc",
  recipient_name AS "recipientName", account_last4 AS "accountLast4", created_at AS "createdAt", updated_at AS "updatedAt",
  completed_at AS "completedAt", idempotency_key AS "idempotencyKey"`

interface Chosen {
  readonly name: string
  readonly condition: Sql
}

function conditionsOf(filters: PayoutFilters): Chosen[] {
  const { search, statuses, createdAfter, createdBefore, updatedAfter, reference, idempotencyKey } = filters
  const { completedAfter, completedBefore, accountLast4, minPence, maxPence, createdBy } = filters
  const chosen: Chosen[] = []
  const add = (name: string, condition: Sql) => chosen.push({ name, condition })
  if (search !== undefined) add('search', searchCondition(search))
  if (statuses !== undefined) add('statuses', statusCondition(statuses))
  if (createdAfter !== undefined) add('createdAfter', sql`created_at >= ${createdAfter}::timestamptz`)
  if (createdBefore !== undefined) add('createdBefore', sql`created_at < ${createdBefore}::timestamptz`)
  if (completedAfter !== undefined) add('completedAfter', sql`completed_at >= ${completedAfter}::timestamptz`)
  if (completedBefore !== undefined) add('completedBefore', sql`completed_at < ${completedBefore}::timestamptz`)
  if (updatedAfter !== undefined) add('updatedAfter', sql`updated_at >= ${updatedAfter}::timestamptz`)
  if (reference !== undefined) add('reference', sql`reference = ${reference}`)
  if (idempotencyKey !== undefined) add('idempotencyKey', sql`idempotency_key = ${idempotencyKey}`)
  if (accountLast4 !== undefined) add('accountLast4', sql`account_last4 = ${accountLast4}`)
  if (minPence !== undefined) add('minPence', sql`amount_pence >= ${minPence}`)
  if (maxPence !== undefined) add('maxPence', sql`amount_pence <= ${maxPence}`)
  if (createdBy !== undefined) add('createdBy', sql`created_by = ${createdBy}`)
  return chosen
}

/**
 * Compares with the cursor's stored row, because a Date loses the microseconds. Uses one subquery per column, because
 * PostgreSQL uses no index for a comparison with a subquery of two columns.
 */
function cursorConditions(cursor: string | null, order: PayoutOrder): Chosen[] {
  if (cursor === null) return []
  const { columns, direction } = orders[order]
  const ofCursor = columns.map((column) => sql`(SELECT ${column} FROM payouts WHERE id = ${cursor})`)
  const isAfter = direction === 'down' ? sql`<` : sql`>`
  const condition = sql`(${joined(columns, ', ')}, id) ${isAfter} (${joined(ofCursor, ', ')}, ${cursor}::uuid)`
  return [{ name: 'startingAfter', condition }]
}

/** Compares a single status directly, because an index then returns its payouts in the order of the list. */
function statusCondition(statuses: readonly PayoutStatus[]): Sql {
  const [first, ...others] = statuses
  if (first !== undefined && others.length === 0) return sql`status = ${first}`
  return sql`status = ANY (${statuses}::text[])`
}

/** The expression of `payouts_search_index`, in which a line break separates the reference from the name. */
const searchedText = sql`lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, ''))`

function patternOf(value: string): Sql {
  return sql`'%' || regexp_replace(lower(${value}), '([\\\\%_])', '\\\\\\1', 'g') || '%'`
}

/**
 * Excludes conditions that cannot match, because a single condition without an index would make the search read all
 * payouts.
 */
function searchCondition(value: string): Sql {
  const parts = [sql`${searchedText} LIKE ${patternOf(value)}`]
  if (/^\d{4}$/.test(value)) parts.push(sql`account_last4 = ${value}`)
  if (isUuid(value)) parts.push(sql`id = ${value}::uuid`)
  return sql`(${joined(parts, ' OR ')})`
}

/** The conditions that the list's index supports. */
const boundNames: ReadonlySet<string> = new Set(['createdAfter', 'createdBefore', 'startingAfter'])

function visibleIn({ partnerId, environment }: Scope): Sql {
  return sql`partner_id = ${partnerId} AND environment = ${environment} AND ${isVisible}`
}

function and(...parts: readonly Sql[]): Sql {
  return joined(parts, ' AND ')
}

interface Order {
  readonly columns: readonly Sql[]
  readonly direction: 'up' | 'down'
}

/** All columns sort in the same direction, so that one index serves both directions. The ID makes the order unique. */
const byTime = [sql`created_at`]
const byAmount = [sql`amount_pence`, sql`created_at`]
const orders: Readonly<Record<PayoutOrder, Order>> = {
  newest: { columns: byTime, direction: 'down' },
  oldest: { columns: byTime, direction: 'up' },
  largest: { columns: byAmount, direction: 'down' },
  smallest: { columns: byAmount, direction: 'up' },
}

function inOrderOf(order: PayoutOrder): Sql {
  const { columns, direction } = orders[order]
  const all = [...columns, sql`id`]
  return sql`ORDER BY ${joined(direction === 'down' ? all.map((column) => sql`${column} DESC`) : all, ', ')}`
}

const newestFirst = inOrderOf('newest')

const commonTermsAmong = 500

/** A search for one or two characters covers only this many of the newest payouts. */
export const shortTermsAmong = 5_000
