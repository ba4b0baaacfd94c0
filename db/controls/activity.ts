// The activity list shows which caller made which request. Entries are written in batches. Old entries about calls that
// changed nothing are deleted.
import type { Environment } from '../../domain/environment'
import { boolean, entity, integer, orNull, sequence, text, time, uuid } from '../columns'
import type { Queryable } from '../database'
import { isVisible } from '../payouts/payouts'
import { joined, type Sql, sql } from '../sql'

export interface ActivityEntry {
  readonly partnerId: string
  readonly at: Date
  readonly environment: Environment | null
  /** A resource and an operation, such as `key.revoke` or `usage.history`. */
  readonly action: string
  readonly changes: 'something' | 'nothing'
  readonly status: number | null
  /** For example `key:<prefix>`, `ops:<name>` or an email address. */
  readonly madeBy: string
  readonly detail: string | null
  readonly requestId: string | null
}

export interface ActivityRow extends ActivityEntry {
  readonly id: bigint
}

export const activity = entity<Omit<ActivityRow, 'changes'> & { readonly changes: boolean }>('Activity', 'activity', {
  id: sequence,
  partnerId: uuid,
  at: time,
  environment: orNull(text),
  action: text,
  changes: boolean,
  status: orNull(integer),
  madeBy: text,
  detail: orNull(text),
  requestId: orNull(text),
})

export async function recordActivity(db: Queryable, entries: readonly ActivityEntry[]): Promise<void> {
  if (entries.length === 0) return
  // Sends one JSON text, because pg would serialize nine arrays element by element and block the event loop for
  // milliseconds.
  const records = JSON.stringify(entries.map(toRecord))
  await db.sql`INSERT INTO activity (partner_id, at, environment, action, changes, status, made_by, detail, request_id)
    SELECT * FROM json_to_recordset(${records}::json) AS entry ("partnerId" uuid, at timestamptz, environment text,
      action text, changes boolean, status integer, "madeBy" text, detail text, "requestId" text)`
}

function toRecord({ changes, ...entry }: ActivityEntry): Record<string, unknown> {
  return { ...entry, changes: changes === 'something' }
}

/** The position of an entry in the list. The next page starts after it. */
export type ActivityPosition = Pick<ActivityRow, 'at' | 'id'>

export interface ActivityFilter {
  readonly kind: 'everything' | 'changes' | 'security'
  /** `both` includes entries about the account as a whole, which have no environment. */
  readonly environment: 'sandbox' | 'both'
  /** Times are strings, so that PostgreSQL compares them with microsecond precision. */
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  /** Only the entry at this position. */
  readonly only?: ActivityPosition | undefined
  /** Text to find in the parts of an entry that the partner sees. Ignores case. */
  readonly search?: string | undefined
}

const everything: ActivityFilter = { kind: 'everything', environment: 'both' }

/** Lists the newest entries first. Starts at the newest entry if `after` is null. */
export async function latestActivity(
  db: Queryable,
  partnerId: string,
  limit: number,
  {
    after = null,
    filter = everything,
  }: { readonly after?: ActivityPosition | null; readonly filter?: ActivityFilter } = {},
): Promise<ActivityRow[]> {
  const { kind, environment, createdAfter, createdBefore, only, search } = filter
  // Each combination of environment and kind has its own index, except security events in the sandbox. Without a
  // search, PostgreSQL therefore reads only the rows that a page shows.
  const conditions = [
    sql`partner_id = ${partnerId}`,
    ...(environment === 'sandbox' ? [sql`environment = 'sandbox'`] : []),
    ...conditionsOf[kind],
    ...(createdAfter === undefined ? [] : [sql`at >= ${createdAfter}::timestamptz`]),
    ...(createdBefore === undefined ? [] : [sql`at < ${createdBefore}::timestamptz`]),
    ...(only === undefined
      ? []
      : [sql`at >= ${only.at} AND at < ${only.at}::timestamptz + interval '1 ms' AND id = ${only.id}`]),
    ...(search === undefined ? [] : [isFoundBy(search)]),
    sql`(at, id) < (${after?.at ?? 'infinity'}::timestamptz, ${after?.id ?? maxBigint}::bigint)`,
  ]
  return db.sql<ActivityRow>`SELECT ${columns} FROM activity WHERE ${joined(conditions, ' AND ')}
    ORDER BY at DESC, id DESC LIMIT ${limit}`
}

/**
 * Searches only the text that the partner sees: operators appear as `service`, and payouts with their recipient and
 * amount. Otherwise, a partner could guess operators' names character by character.
 */
function isFoundBy(search: string): Sql {
  const shown = sql`concat_ws(' ', action, ${withoutOperators(sql`made_by`)}, ${withoutOperators(sql`detail`)}, environment,
    request_id, status)`
  const pounds = sql`payouts.amount_pence / 100.0`
  const ofPayout = sql`concat_ws(' ', payouts.recipient_name, '£' || to_char(${pounds}, 'FM999,999,999,990.00'),
    to_char(${pounds}, 'FM999999999990.00'))`
  return sql`(position(lower(${search}) IN lower(${shown})) > 0 OR EXISTS (SELECT FROM payouts
    WHERE payouts.id = CASE WHEN activity.action ~ '^(payout|case)[.]' AND activity.detail ~* ${uuidPattern}
        THEN activity.detail::uuid END
      AND payouts.partner_id = activity.partner_id AND payouts.environment = activity.environment AND ${isVisible}
      AND position(lower(${search}) IN lower(${ofPayout})) > 0))`
}

/** The SQL version of the function with the same name in db/sign-in/callers.ts. */
function withoutOperators(column: Sql): Sql {
  return sql`regexp_replace(${column}, '[[:<:]]ops:[^[:space:],]+', 'service', 'g')`
}

const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/**
 * Matches changes to access: keys, members, sign-ins, emailed confirmation codes, the account's status and its email
 * addresses. Each of these actions has an hourly limit or follows from an action that has one, so no caller can flood
 * the list. The list's index repeats this condition.
 */
const isSecurityEvent = sql`changes AND (action ~ '^(key|login|member|partner|session|verification)[.]'
  OR action ~ '[.]confirm$' OR (action = 'account.update' AND detail ~ '(billing|contact)_email'))`

const maxBigint = 2n ** 63n - 1n

interface OldActivity {
  readonly before: Date
  /** The cutoff for reads, which are the majority of calls. */
  readonly readsBefore: Date
  readonly limit: number
}

/**
 * Deletes up to `limit` old entries about calls that changed nothing, and returns their number. Entries about changes
 * are never deleted.
 */
export async function pruneActivity(db: Queryable, { before, readsBefore, limit }: OldActivity): Promise<number> {
  // Skips rows that another process is deleting, so that two processes share the work.
  const [deleted] = await db.sql<{ count: number }>`WITH old AS (
      SELECT id FROM activity WHERE NOT changes AND at < greatest(${before}::timestamptz, ${readsBefore}::timestamptz)
        AND (at < ${before}::timestamptz OR (at < ${readsBefore}::timestamptz AND action = ANY (${readActions}::text[])))
      ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM activity USING old WHERE activity.id = old.id RETURNING activity.id
    )
    SELECT count(*)::integer AS count FROM deleted`
  return deleted?.count ?? 0
}

/** Actions that never change anything: quotes, payout checks and all GET routes. A test checks the GET routes. */
export const readActions: readonly string[] = [
  'account.read',
  'activity.export',
  'activity.list',
  'balance.read',
  'case.list',
  'charge.export',
  'charge.list',
  'compliance.read',
  'invoice.download',
  'invoice.list',
  'invoice.read',
  'key.list',
  'member.list',
  'overview.read',
  'payout.check',
  'payout.details',
  'payout.events',
  'payout.export',
  'payout.list',
  'payout.notes',
  'payout.read',
  'payout.totals',
  'quote.create',
  'recipient.list',
  'session.list',
  'session.read',
  'usage.history',
  'usage.read',
  'wallet.balances',
  'wallet.export',
  'wallet.statement',
]

const columns = sql`id, partner_id, at, environment, action,
  CASE WHEN changes THEN 'something' ELSE 'nothing' END AS changes, status, made_by, detail, request_id`

const conditionsOf: Readonly<Record<ActivityFilter['kind'], readonly Sql[]>> = {
  everything: [],
  changes: [sql`changes`],
  security: [isSecurityEvent],
}
