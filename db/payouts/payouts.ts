// Reads the payouts of one partner and environment. Returns only payouts that the API has acknowledged or decided.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
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
>

/** The partner and environment whose payouts are read. */
export interface Scope {
  readonly partnerId: string
  readonly environment: Environment
}

/** Times are strings, so that PostgreSQL compares microseconds. A Date has only milliseconds. */
export interface PayoutFilters {
  /** Matches a part of the reference or of the recipient's name, or exactly the last four digits or the ID. */
  readonly search?: string | undefined
  readonly statuses?: readonly PayoutStatus[] | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly reference?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly accountLast4?: string | undefined
  /** Both bounds are inclusive. */
  readonly minPence?: bigint | undefined
  readonly maxPence?: bigint | undefined
  readonly createdBy?: string | undefined
}

/** `startingAfter` must be the ID of a payout that findPayout returns for the same scope. */
export interface Page {
  readonly take: number
  readonly startingAfter: string | null
}

/**
 * Readers see a payout once it has a verdict, or once the API has answered `pending` for it. They never see a
 * released one.
 */
export const isVisible = sql`released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)`

export async function findPayout(db: Queryable, scope: Scope, id: string): Promise<PayoutRow | null> {
  const { partnerId, environment } = scope
  const [payout] = await db.sql<PayoutRow>`SELECT ${payoutColumns} FROM payouts
    WHERE id = ${id} AND partner_id = ${partnerId} AND environment = ${environment} AND ${isVisible}`
  return payout ?? null
}

/** The payouts of one partner, in both environments. Leaves out unknown and invisible ones. */
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
  const found = await findWithCaller<PayoutRow>(db, digest, { columns: payoutColumns, isWanted })
  return found && { caller: found.caller, payout: found.payout && payoutFrom(found.payout) }
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

/** Lists the newest first. */
export async function listPayouts(
  db: Queryable,
  scope: Scope,
  filters: PayoutFilters,
  { take, startingAfter }: Page,
): Promise<PayoutRow[]> {
  const chosen = conditionsOf({ ...filters, startingAfter: startingAfter ?? undefined })
  const isOfScope = visibleIn(scope)
  const where = and(isOfScope, ...chosen.map(({ condition }) => condition))
  const listWhere = (condition: Sql) =>
    sql`SELECT ${payoutColumns} FROM payouts WHERE ${condition} ${newestFirst} LIMIT ${take}`
  const { search } = filters
  // With filters, PostgreSQL plans for the actual values. A generic plan would scan all payouts to find the few that
  // changed in the last minute.
  if (search === undefined) return db.run(listWhere(where), { plan: chosen.length === 0 ? 'once' : 'each time' })

  // The newest payouts contain every common term, so the index only has to find rare terms. It does not cover terms
  // shorter than three characters.
  const isShort = isShortTerm(search)
  const newest = newestAmong(isOfScope, chosen, isShort ? shortTermsAmong : commonTermsAmong)
  const among = sql`SELECT ${payoutColumns} FROM (${newest}) newest WHERE ${where} ${newestFirst} LIMIT ${take}`
  const found = await db.run<PayoutRow>(among, { plan: 'each time' })
  if (isShort || found.length >= take) return found
  const rare = await findRareParts(db, scope, search)
  if (rare.length === 0) return db.run(listWhere(where), { plan: 'each time' })
  const others = chosen.filter(({ name }) => name !== 'search').map(({ condition }) => condition)
  // A few words suffice to find the rows, and each number of words is a separate statement.
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

/** Sums up the payouts that `listPayouts` finds with these filters. Returns one row per status that occurs. */
export async function sumPayouts(db: Queryable, scope: Scope, filters: PayoutFilters): Promise<PayoutTotal[]> {
  const chosen = conditionsOf(filters)
  const isOfScope = visibleIn(scope)
  const { search } = filters
  const isShort = search !== undefined && isShortTerm(search)
  const from = isShort ? sql`(${newestAmong(isOfScope, chosen, shortTermsAmong)}) newest` : sql`payouts`
  const where = and(isOfScope, ...chosen.map(({ condition }) => condition))
  const statement = sql`SELECT status, count(*)::integer AS count, sum(amount_pence)::bigint AS amount_pence,
      sum(fee_pence)::bigint AS fee_pence
    FROM ${from} WHERE ${where} GROUP BY status`
  return db.run(statement, { plan: 'each time' })
}

/** The newest payouts within the bounds of the chosen conditions. */
function newestAmong(isOfScope: Sql, chosen: readonly Chosen[], count: number): Sql {
  const bounds = chosen.filter(({ name }) => boundNames.has(name)).map(({ condition }) => condition)
  return sql`SELECT * FROM payouts WHERE ${and(isOfScope, ...bounds)} ${newestFirst} LIMIT ${literal(count)}`
}

/** The index does not cover terms shorter than three characters. */
function isShortTerm(search: string): boolean {
  return Array.from(search).length < 3
}

/**
 * Returns the words of the term that none of the newest payouts contains. Only these are looked up in the index:
 * intersecting words that every payout has, such as "Invoice" in "Invoice 7777", is slow. Returns an empty list if
 * the whole term should be looked up.
 */
async function findRareParts(db: Queryable, scope: Scope, term: string): Promise<string[]> {
  const parts = partsOf(term)
  if (parts.length < 2 || uuidPattern.test(term)) return []
  const rows = await db.sql<{ part: string }>`WITH newest AS MATERIALIZED (
      SELECT ${searchedText} AS text FROM payouts WHERE ${visibleIn(scope)} ${newestFirst} LIMIT ${literal(commonTermsAmong)}
    )
    SELECT part FROM unnest(${parts}::text[]) AS part
    WHERE NOT EXISTS (SELECT FROM newest WHERE position(lower(part) IN newest.text) > 0)`
  return rows.map(({ part }) => part)
}

/**
 * A short word keeps the character before it, because the index also contains the starts of words. Only ASCII words
 * count, because their lower case is the same in every locale.
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
  completed_at AS "completedAt"`

interface Chosen {
  readonly name: string
  readonly condition: Sql
}

function conditionsOf(filters: PayoutFilters & { readonly startingAfter?: string | undefined }): Chosen[] {
  const { search, statuses, createdAfter, createdBefore, updatedAfter, reference, idempotencyKey } = filters
  const { accountLast4, minPence, maxPence, createdBy, startingAfter } = filters
  const chosen: Chosen[] = []
  const add = (name: string, condition: Sql) => chosen.push({ name, condition })
  if (search !== undefined) add('search', searchCondition(search))
  if (statuses !== undefined) add('statuses', statusCondition(statuses))
  if (createdAfter !== undefined) add('createdAfter', sql`created_at >= ${createdAfter}::timestamptz`)
  if (createdBefore !== undefined) add('createdBefore', sql`created_at < ${createdBefore}::timestamptz`)
  if (updatedAfter !== undefined) add('updatedAfter', sql`updated_at >= ${updatedAfter}::timestamptz`)
  if (reference !== undefined) add('reference', sql`reference = ${reference}`)
  if (idempotencyKey !== undefined) add('idempotencyKey', sql`idempotency_key = ${idempotencyKey}`)
  if (accountLast4 !== undefined) add('accountLast4', sql`account_last4 = ${accountLast4}`)
  if (minPence !== undefined) add('minPence', sql`amount_pence >= ${minPence}`)
  if (maxPence !== undefined) add('maxPence', sql`amount_pence <= ${maxPence}`)
  if (createdBy !== undefined) add('createdBy', sql`created_by = ${createdBy}`)
  // Compares with the cursor's stored row, because a Date would have lost its microseconds. Uses scalar values,
  // because PostgreSQL uses no index for a comparison with one subquery of two columns.
  if (startingAfter !== undefined)
    add(
      'startingAfter',
      sql`(created_at, id) < ((SELECT created_at FROM payouts WHERE id = ${startingAfter}), ${startingAfter}::uuid)`,
    )
  return chosen
}

/** A single status is compared directly, because the index returns only its payouts in the order of the list. */
function statusCondition(statuses: readonly PayoutStatus[]): Sql {
  const [first, ...others] = statuses
  if (first !== undefined && others.length === 0) return sql`status = ${first}`
  return sql`status = ANY (${statuses}::text[])`
}

/** The expression of payouts_search_index, in which a line break separates reference and name. */
const searchedText = sql`lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, ''))`

function patternOf(value: string): Sql {
  return sql`'%' || regexp_replace(lower(${value}), '([\\\\%_])', '\\\\\\1', 'g') || '%'`
}

/**
 * Leaves out conditions that cannot match, because one condition without an index would make every search read all
 * payouts.
 */
function searchCondition(value: string): Sql {
  const parts = [sql`${searchedText} LIKE ${patternOf(value)}`]
  if (/^\d{4}$/.test(value)) parts.push(sql`account_last4 = ${value}`)
  if (uuidPattern.test(value)) parts.push(sql`id = ${value}::uuid`)
  return sql`(${joined(parts, ' OR ')})`
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The conditions that the list's index supports. */
const boundNames: ReadonlySet<string> = new Set(['createdAfter', 'createdBefore', 'startingAfter'])

function visibleIn({ partnerId, environment }: Scope): Sql {
  return sql`partner_id = ${partnerId} AND environment = ${environment} AND ${isVisible}`
}

function and(...parts: readonly Sql[]): Sql {
  return joined(parts, ' AND ')
}

const newestFirst = sql`ORDER BY created_at DESC, id DESC`

const commonTermsAmong = 500

/** A search for one or two characters covers only this many of the newest payouts. */
export const shortTermsAmong = 5_000
