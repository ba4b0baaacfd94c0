// Reads of payouts, always of one partner and environment, and only of what its callers were told about.
import type { Environment } from '../../domain/environment'
import type { Country } from '../../domain/limits'
import type { CreatedVia, PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'
import { type Caller, type CallerRow, callerColumns, callerFrom, callerTables, isTheCaller } from '../sign-in/callers'
import { bigintFrom, dateFrom, dateOrNull, type InJson, inOneText } from './one-text'

export interface PayoutRow {
  readonly id: string
  readonly environment: Environment
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly reference: string | null
  readonly country: Country
  readonly createdVia: CreatedVia
  readonly amountPence: bigint
  readonly feePence: bigint
  readonly feeInTransferPence: bigint
  readonly walletSendsMicroUsdc: bigint
  readonly recipientName: string | null
  readonly accountLast4: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Stays when the payout comes back later. */
  readonly completedAt: Date | null
}

/** Whose payouts are read. */
export interface Scope {
  readonly partnerId: string
  readonly environment: Environment
}

/** Moments are texts, so that PostgreSQL compares all their digits and not only the milliseconds of a Date. */
export interface PayoutFilters {
  /** A part of the reference or the recipient's name, or all of the last four digits or the id. */
  readonly search?: string | undefined
  readonly status?: PayoutStatus | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly reference?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly accountLast4?: string | undefined
}

/** `startingAfter` must be the id of a payout that findPayout finds in the same scope. */
export interface Page {
  readonly take: number
  readonly startingAfter: string | null
}

/** A payout is there for its readers from its first verdict on, or once `pending` was answered for it, and never when released. */
export const isVisible = 'released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)'

export async function findPayout(
  db: Queryable,
  { partnerId, environment }: Scope,
  id: string,
): Promise<PayoutRow | null> {
  const [payout] = await db.query<PayoutRow>(selectOne, [id, partnerId, environment])
  return payout ?? null
}

/** Who calls and the payout they ask for, in one statement: partners poll it, so it is what is read most. */
export async function findCallerAndPayout(
  db: Queryable,
  digest: Buffer,
  id: string,
): Promise<{ caller: Caller; payout: PayoutRow | null } | null> {
  const [row] = await db.query<{ found: CallerRow & { payout: InJson<PayoutRow> | null } }>(selectWithCaller, [
    digest,
    id,
  ])
  if (row === undefined) return null
  const { payout } = row.found
  return { caller: callerFrom(row.found), payout: payout && payoutFrom(payout) }
}

export function payoutFrom(told: InJson<PayoutRow>): PayoutRow {
  return {
    ...told,
    amountPence: bigintFrom(told.amountPence),
    feePence: bigintFrom(told.feePence),
    feeInTransferPence: bigintFrom(told.feeInTransferPence),
    walletSendsMicroUsdc: bigintFrom(told.walletSendsMicroUsdc),
    createdAt: dateFrom(told.createdAt),
    updatedAt: dateFrom(told.updatedAt),
    completedAt: dateOrNull(told.completedAt),
  }
}

/** Newest first. */
export async function listPayouts(
  db: Queryable,
  { partnerId, environment }: Scope,
  filters: PayoutFilters,
  { take, startingAfter }: Page,
): Promise<PayoutRow[]> {
  const values: unknown[] = [partnerId, environment, take]
  const wanted = { ...filters, startingAfter: startingAfter ?? undefined }
  const chosen = conditionNames.flatMap((name) => {
    const value = wanted[name]
    return value === undefined ? [] : [{ name, sql: conditions[name](`$${values.push(value)}`, value) }]
  })
  const where = [...isOfScope, ...chosen.map(({ sql }) => sql)]
  const { search } = filters
  if (search === undefined) return db.query<PayoutRow>(selectList(where), values)
  // A term that many payouts have is found among the newest; the index then only has to find terms that fewer have. It has
  // nothing shorter than three characters.
  const bounds = [...isOfScope, ...chosen.filter(({ name }) => boundNames.has(name)).map(({ sql }) => sql)]
  const isShort = Array.from(search).length < 3
  const walk = isShort ? shortTermsAmong : commonTermsAmong
  const found = await db.query<PayoutRow>(selectAmongNewest(walk, bounds, where), values)
  if (isShort || found.length >= take) return found
  const rare = await findRareParts(db, { partnerId, environment }, search)
  if (rare.length === 0) return db.query<PayoutRow>(selectList(where), values)
  const others = chosen.filter(({ name }) => name !== 'search').map(({ sql }) => sql)
  const indexed = rare.map((part) => `${searchedText} LIKE ${patternOf(`$${values.push(part)}`)}`)
  const whole = `(${searchedText} || '') LIKE ${patternOf(`$${values.indexOf(search) + 1}`)}`
  return db.query<PayoutRow>(selectList([...isOfScope, ...others, ...indexed, whole]), values)
}

/**
 * The words of a term that none of the newest payouts has. The index is asked for them alone: it takes long to intersect what
 * every payout has, such as the "Invoice" of "Invoice 7777". Empty when the whole term is to be looked up.
 */
async function findRareParts(db: Queryable, { partnerId, environment }: Scope, term: string): Promise<string[]> {
  const parts = partsOf(term)
  if (parts.length < 2 || uuidPattern.test(term)) return []
  const rows = await db.query<{ part: string }>(selectRareParts, [partnerId, environment, parts])
  return rows.map(({ part }) => part)
}

/** A short word keeps the character before it, as the index also knows how words begin. ASCII, whose lower case is the same everywhere. */
function partsOf(term: string): string[] {
  const words = [...term.matchAll(/[ -/]?([a-zA-Z0-9]+)/g)].map(([whole, word = '']) =>
    word.length < 6 ? whole : word,
  )
  return [...new Set(words)].filter((word) => word.length >= 3)
}

/** For every statement that selects a PayoutRow from payouts. */
export const payoutColumns = `id, environment, status, failure_reason AS "failureReason", reference, country,
  created_via AS "createdVia", amount_pence AS "amountPence", fee_pence AS "feePence",
  fee_in_transfer_pence AS "feeInTransferPence", wallet_sends_micro_usdc AS "walletSendsMicroUsdc", recipient_name AS "recipientName", account_last4 AS "accountLast4",
  created_at AS "createdAt", updated_at AS "updatedAt",
  completed_at AS "completedAt"`

const selectOne: Statement = {
  name: 'payout',
  text: `SELECT ${payoutColumns} FROM payouts WHERE id = $1 AND partner_id = $2 AND environment = $3 AND ${isVisible}`,
}

const selectWithCaller: Statement = {
  name: 'caller-and-payout',
  text: inOneText(`SELECT ${callerColumns}, payout FROM ${callerTables}
    LEFT JOIN LATERAL (SELECT ${payoutColumns} FROM payouts
      WHERE id = $2 AND partner_id = p.id AND environment = k.environment AND ${isVisible}) payout ON true
    WHERE ${isTheCaller}`),
}

const conditions = {
  search: searchCondition,
  status: (value: string) => `status = ${value}`,
  createdAfter: (value: string) => `created_at >= ${value}::timestamptz`,
  createdBefore: (value: string) => `created_at < ${value}::timestamptz`,
  updatedAfter: (value: string) => `updated_at >= ${value}::timestamptz`,
  reference: (value: string) => `reference = ${value}`,
  idempotencyKey: (value: string) => `idempotency_key = ${value}`,
  accountLast4: (value: string) => `account_last4 = ${value}`,
  // The cursor's own row is compared, because a Date would have lost its microseconds. Two scalar subqueries, because
  // PostgreSQL does not use an index for a comparison with one subquery of two columns.
  startingAfter: (value: string) =>
    `(created_at, id) < ((SELECT created_at FROM payouts WHERE id = ${value}), ${value}::uuid)`,
}

/** The expression of payouts_search_index, in which a line break separates reference and name. */
const searchedText = `lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, ''))`

function patternOf(value: string): string {
  return String.raw`'%' || regexp_replace(lower(${value}), '([\\%_])', '\\\1', 'g') || '%'`
}

/** Parts that cannot match are left out: one part without an index would make every search read all payouts. */
function searchCondition(value: string, text: string): string {
  const parts = [`${searchedText} LIKE ${patternOf(value)}`]
  if (/^\d{4}$/.test(text)) parts.push(`account_last4 = ${value}`)
  if (uuidPattern.test(text)) parts.push(`id = ${value}::uuid`)
  return `(${parts.join(' OR ')})`
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const conditionNames = [
  'search',
  'status',
  'createdAfter',
  'createdBefore',
  'updatedAfter',
  'reference',
  'idempotencyKey',
  'accountLast4',
  'startingAfter',
] as const satisfies readonly (keyof typeof conditions)[]

const isOfScope = ['partner_id = $1', 'environment = $2', isVisible]

/** Conditions that the index of the list answers. */
const boundNames: ReadonlySet<string> = new Set<keyof typeof conditions>([
  'createdAfter',
  'createdBefore',
  'startingAfter',
])

const newestFirst = 'ORDER BY created_at DESC, id DESC'

function selectList(where: readonly string[]): Statement {
  return {
    // With filters it has no name, so that PostgreSQL plans for these very values: a plan that suits any of them would walk
    // through all payouts to find the few that changed in the last minute.
    name: where.length === isOfScope.length ? 'payouts' : '',
    text: `SELECT ${payoutColumns} FROM payouts WHERE ${where.join(' AND ')} ${newestFirst} LIMIT $3`,
  }
}

/** Every parameter is in both statements of a search: PostgreSQL must know the type of each. */
function selectAmongNewest(count: number, bounds: readonly string[], where: readonly string[]): Statement {
  const newest = `SELECT * FROM payouts WHERE ${bounds.join(' AND ')} ${newestFirst} LIMIT ${count}`
  const text = `SELECT ${payoutColumns} FROM (${newest}) newest WHERE ${where.join(' AND ')} ${newestFirst} LIMIT $3`
  return { name: '', text }
}

const commonTermsAmong = 500

const selectRareParts: Statement = {
  name: 'rare-search-parts',
  text: `WITH newest AS MATERIALIZED (
      SELECT ${searchedText} AS text FROM payouts WHERE ${isOfScope.join(' AND ')} ${newestFirst} LIMIT ${commonTermsAmong}
    )
    SELECT part FROM unnest($3::text[]) AS part
    WHERE NOT EXISTS (SELECT FROM newest WHERE position(lower(part) IN newest.text) > 0)`,
}

/** A term of one or two characters is looked for among so many payouts, and not beyond. */
export const shortTermsAmong = 5_000
