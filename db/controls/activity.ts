// The activity list: who asked for what, written in batches. Entries that changed nothing are deleted after a while.
import type { Environment } from '../../domain/environment'
import type { Queryable, Statement } from '../database'

export interface ActivityEntry {
  readonly partnerId: string
  readonly at: Date
  readonly environment: Environment | null
  /** resource.verb, such as key.revoke. */
  readonly action: string
  readonly changes: 'something' | 'nothing'
  readonly status: number | null
  /** key:<prefix>, or an email. */
  readonly madeBy: string
  readonly detail: string | null
  readonly requestId: string | null
}

export interface ActivityRow extends ActivityEntry {
  readonly id: bigint
}

export async function recordActivity(db: Queryable, entries: readonly ActivityEntry[]): Promise<void> {
  if (entries.length === 0) return
  // One JSON text: pg would write nine arrays element by element, which holds everybody up for milliseconds.
  await db.sql`INSERT INTO activity (partner_id, at, environment, action, changes, status, made_by, detail, request_id)
    SELECT * FROM json_to_recordset(${JSON.stringify(entries.map(toRecord))}::json) AS entry ("partnerId" uuid, at timestamptz, environment text, action text,
      changes boolean, status integer, "madeBy" text, detail text, "requestId" text)`
}

function toRecord({ changes, ...entry }: ActivityEntry): Record<string, unknown> {
  return { ...entry, changes: changes === 'something' }
}

/** Where an entry is in the list; the next page starts after it. */
export type ActivityPosition = Pick<ActivityRow, 'at' | 'id'>

export interface ActivityFilter {
  readonly kind: 'everything' | 'changes' | 'security'
  /** `both` includes entries about the account as a whole, which have no environment. */
  readonly environment: 'sandbox' | 'both'
}

const everything: ActivityFilter = { kind: 'everything', environment: 'both' }

/** Newest first; from the newest entry on where no position is given. */
export async function latestActivity(
  db: Queryable,
  partnerId: string,
  limit: number,
  {
    after = null,
    filter = everything,
  }: { readonly after?: ActivityPosition | null; readonly filter?: ActivityFilter } = {},
): Promise<ActivityRow[]> {
  const values = [partnerId, limit, after?.at ?? 'infinity', after?.id ?? maxBigint]
  return db.query<ActivityRow>(selectLatest(filter), values)
}

/**
 * Changes of who may do what: keys, members, sign-ins, emailed confirm codes, the account's status, and the addresses that its mail
 * goes to. Everything in here is limited by the hour or follows from something that is, so no caller can flood the list. The
 * index of the list repeats this condition.
 */
export const isSecurityEvent = `changes AND (action ~ '^(key|login|member|partner|session|verification)[.]'
  OR action ~ '[.]confirm$' OR (action = 'account.update' AND detail ~ '(billing|contact)_email'))`

const maxBigint = 2n ** 63n - 1n

export interface OldActivity {
  readonly before: Date
  /** For calls that only read, which are most of all calls. */
  readonly readsBefore: Date
  readonly limit: number
}

/** Deletes up to `limit` rows that changed nothing, oldest first, and says how many; what changed something stays for ever. */
export async function pruneActivity(db: Queryable, { before, readsBefore, limit }: OldActivity): Promise<number> {
  // Rows that another process is deleting are skipped, so that two of them share the work.
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

/** Actions that never change anything: those of every GET route, which a test compares, and quotes and checks. */
export const readActions: readonly string[] = [
  'account.read',
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
  'payout.check',
  'payout.details',
  'payout.events',
  'payout.export',
  'payout.list',
  'payout.read',
  'quote.create',
  'recipient.list',
  'session.read',
  'usage.history',
  'usage.read',
  'wallet.export',
  'wallet.statement',
]

const columns = `id, partner_id AS "partnerId", at, environment, action,
  CASE WHEN changes THEN 'something' ELSE 'nothing' END AS changes, status, made_by AS "madeBy", detail,
  request_id AS "requestId"`

/** Each combination has an index of its own, so that a page reads only the rows that it shows. */
function selectLatest({ kind, environment }: ActivityFilter): Statement {
  const conditions = [...(environment === 'sandbox' ? [`environment = 'sandbox'`] : []), ...conditionsOf[kind]]
  const where = ['partner_id = $1', ...conditions, '(at, id) < ($3::timestamptz, $4::bigint)'].join(' AND ')
  return {
    name: `activity-${kind}-${environment}`,
    text: `SELECT ${columns} FROM activity WHERE ${where} ORDER BY at DESC, id DESC LIMIT $2`,
  }
}

const conditionsOf: Readonly<Record<ActivityFilter['kind'], readonly string[]>> = {
  everything: [],
  changes: ['changes'],
  security: [isSecurityEvent],
}
