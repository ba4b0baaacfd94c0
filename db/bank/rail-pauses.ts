// Rail pauses: whether an environment's payouts can be sent to the bank, who paused and resumed the rail, and how many
// payouts are waiting.
import type { Environment } from '../../domain/environment'
import { entity, id, orNull, text, time } from '../columns'
import type { Queryable } from '../database'
import { newId } from '../id'
import { type Sql, sql } from '../sql'

interface RailPauseRow {
  readonly id: string
  readonly environment: Environment
  readonly pausedAt: Date
  readonly pausedBy: string
  readonly reason: string | null
  readonly resumedAt: Date | null
  readonly resumedBy: string | null
}

export const railPause = entity<RailPauseRow>('RailPause', 'rail_pauses', {
  id,
  environment: text,
  pausedAt: time,
  pausedBy: text,
  reason: orNull(text),
  resumedAt: orNull(time),
  resumedBy: orNull(text),
})

interface RailChange {
  readonly environment: Environment
  readonly by: string
  readonly at: Date
}

export interface RailState {
  readonly environment: Environment
  /** `pausedAt`, `pausedBy` and `reason` are null if the rail is not paused. */
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly reason: string | null
  /** Payouts that are debited but not sent: those that are held, and the few that are about to be sent. */
  readonly unsent: number
  readonly unsentPence: bigint
  /** Payouts whose first bank call has started but whose outcome is unknown. A pause does not affect them. */
  readonly unconfirmed: number
  readonly unconfirmedPence: bigint
}

/**
 * Returns false if the rail is already paused. The same statement records the pause in every partner's activity list.
 * After the pause, each payout has either started its first bank call or waits, because `begin_submit` takes the same
 * lock in shared mode.
 */
export async function pauseRail(db: Queryable, change: RailChange & { reason: string | null }): Promise<boolean> {
  const { environment, by, reason, at } = change
  const paused = await db.sql`WITH lock AS MATERIALIZED (
      SELECT pg_advisory_xact_lock(hashtextextended('rail/' || ${environment}, 0))
    ), changed AS (
      INSERT INTO rail_pauses (id, environment, paused_by, reason, paused_at)
      SELECT ${newId(at)}::uuid, ${environment}, ${by}, ${reason}, ${at}::timestamptz FROM lock
      ON CONFLICT (environment) WHERE resumed_at IS NULL DO NOTHING RETURNING environment
    ), recorded AS (${recordForEveryPartner(sql`'rail.pause'`, change)})
    SELECT environment FROM changed`
  return paused.length > 0
}

/**
 * Returns false if the rail is not paused, or was paused after `pausedBefore`, because a delayed request must not end a
 * newer pause.
 */
export async function resumeRail(
  db: Queryable,
  { pausedBefore, ...change }: RailChange & { pausedBefore?: Date },
): Promise<boolean> {
  const { environment, by, at } = change
  const resumed = await db.sql`WITH changed AS (
      UPDATE rail_pauses SET resumed_by = ${by}, resumed_at = greatest(${at}, paused_at)
      WHERE environment = ${environment} AND resumed_at IS NULL
        AND paused_at <= coalesce(${pausedBefore ?? null}::timestamptz, 'infinity') RETURNING environment
    ), recorded AS (${recordForEveryPartner(sql`'rail.resume'`, change)})
    SELECT environment FROM changed`
  return resumed.length > 0
}

/** Returns one state for each environment. */
export async function railStates(db: Queryable): Promise<RailState[]> {
  return db.sql<RailState>`SELECT e.environment, pause.paused_at, pause.paused_by, pause.reason, open.*
    FROM (VALUES ('sandbox'), ('live')) AS e (environment)
    LEFT JOIN rail_pauses pause ON pause.environment = e.environment AND pause.resumed_at IS NULL
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE submit_started_at IS NULL)::integer AS unsent,
        coalesce(sum(amount_pence) FILTER (WHERE submit_started_at IS NULL), 0)::bigint AS unsent_pence,
        count(*) FILTER (WHERE submit_started_at IS NOT NULL AND transfer_ref IS NULL)::integer AS unconfirmed,
        coalesce(sum(amount_pence) FILTER (WHERE submit_started_at IS NOT NULL AND transfer_ref IS NULL), 0)::bigint
          AS unconfirmed_pence
      FROM payouts p WHERE p.released_at IS NULL AND p.closed_at IS NULL AND p.environment = e.environment
    ) open`
}

export type PastPause = Omit<RailPauseRow, 'id' | 'resumedAt'> & { readonly resumedAt: Date }

/** Lists the pauses that have ended, latest first. */
export async function pastPauses(db: Queryable, limit: number): Promise<PastPause[]> {
  return db.sql<PastPause>`SELECT environment, paused_at, paused_by, reason, resumed_at, resumed_by
    FROM rail_pauses WHERE resumed_at IS NOT NULL ORDER BY resumed_at DESC, id DESC LIMIT ${limit}`
}

/** Expects the `payouts` table under the alias `p`. */
export const isPayoutRailPaused = sql`EXISTS (
  SELECT FROM rail_pauses pause WHERE pause.environment = p.environment AND pause.resumed_at IS NULL)`

function recordForEveryPartner(action: Sql, { by, at }: RailChange): Sql {
  return sql`INSERT INTO activity (partner_id, at, environment, action, changes, made_by)
    SELECT partners.id, ${at}::timestamptz, changed.environment, ${action}, true, ${by} FROM changed, partners`
}
