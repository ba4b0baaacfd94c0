// Reads the business metrics. Uses indexes that cover only open work, so each query reads few rows.
import type { DriftKind } from '../../domain/controls/drift'
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { RateRejection } from '../../domain/rate-check'
import type { Queryable } from '../database'
import { type Sql, sql } from '../sql'

export type OpenWorkKind =
  | 'open'
  | 'pending'
  | 'attention'
  | 'not_charged'
  | 'held_deposits'
  | 'quarantined'
  | 'drift'
  | 'paused'
  | 'not_read'
  | 'rejected_rate'
  | 'requested_names'

export interface OpenWork {
  readonly kind: OpenWorkKind
  readonly environment: Environment
  /** A payout's status, a drift's kind, a rate's rejection, or whether the bank was called. Null for other kinds. */
  readonly sort: PayoutStatus | DriftKind | RateRejection | 'called' | 'not_called' | null
  readonly count: number
  readonly microUsdc: bigint
  /** The age of the oldest item. */
  readonly ageSeconds: number
}

/** Counts open work, and work that an operator has to do. */
export async function readOpenWork(db: Queryable, now: Date): Promise<OpenWork[]> {
  const age = (oldest: Sql) => sql`greatest(0, extract(epoch FROM ${now}::timestamptz - min(${oldest})))::float8`
  // An unsent payout waits on purpose while the rail is paused or its partner is not active. Until it may be sent
  // again, it does not count as pending. Rates are checked only on demand, so a rejection older than 15 minutes no
  // longer describes the current rate.
  return db.sql<OpenWork>`SELECT 'open' AS kind, environment, status AS sort, count(*)::integer AS count,
      sum(wallet_sends_micro_usdc)::bigint AS micro_usdc, ${age(sql`coalesce(returned_at, created_at)`)} AS age_seconds
    FROM payouts WHERE released_at IS NULL AND closed_at IS NULL GROUP BY environment, status
    UNION ALL
    SELECT 'pending', p.environment, CASE WHEN submit_started_at IS NULL THEN 'not_called' ELSE 'called' END,
      count(*)::integer, 0, ${age(sql`coalesce(submit_started_at, greatest(created_at, last_resumed_at))`)}
    FROM payouts p LEFT JOIN (${railStates}) rail ON rail.environment = p.environment
    WHERE released_at IS NULL AND closed_at IS NULL AND status = 'pending'
      AND NOT (submit_started_at IS NULL AND (coalesce(is_paused, false)
        OR NOT EXISTS (SELECT FROM partners WHERE partners.id = p.partner_id AND partners.status = 'active')))
    GROUP BY p.environment, submit_started_at IS NULL
    UNION ALL
    SELECT 'attention', environment, NULL, count(*)::integer, 0, ${age(sql`updated_at`)}
    FROM payouts WHERE attention IS NOT NULL GROUP BY environment
    UNION ALL
    SELECT 'not_charged', environment, NULL, count(*)::integer, 0, ${age(sql`completed_at`)}
    FROM payouts WHERE attention IS NOT NULL AND attention = 'can_not_book_charge' GROUP BY environment
    UNION ALL
    SELECT 'held_deposits', wallets.environment, NULL, count(*)::integer, coalesce(sum(amount_micro_usdc), 0)::bigint,
      ${age(sql`found_at`)}
    FROM held_deposits JOIN wallets ON wallets.id = wallet_id WHERE resolved_at IS NULL GROUP BY wallets.environment
    UNION ALL
    SELECT 'quarantined', environment, NULL, count(*)::integer, 0, ${age(sql`received_at`)}
    FROM bank_events WHERE attended_at IS NULL AND outcome IN ('quarantined', 'unknown_payout') GROUP BY environment
    UNION ALL
    SELECT 'drift', wallets.environment, drifts.kind, count(*)::integer, 0, ${age(sql`first_seen_at`)}
    FROM drifts JOIN wallets ON wallets.id = wallet_id WHERE resolved_at IS NULL AND accepted_by_id IS NULL
    GROUP BY wallets.environment, drifts.kind
    UNION ALL
    SELECT 'paused', environment, NULL, count(*)::integer, 0, ${age(sql`paused_at`)}
    FROM rail_pauses WHERE resumed_at IS NULL GROUP BY environment
    UNION ALL
    SELECT 'not_read', wallets.environment, NULL, count(*)::integer, 0, ${age(sql`since`)}
    FROM wallet_reading_failures JOIN wallets ON wallets.id = wallet_id GROUP BY wallets.environment
    UNION ALL
    SELECT 'rejected_rate', CASE rail WHEN 'provider_production' THEN 'live' ELSE 'sandbox' END, rejection, count(*)::integer, 0,
      ${age(sql`rejected_at`)}
    FROM exchange_rates WHERE rejected_at > ${now}::timestamptz - interval '15 minutes' GROUP BY 2, rejection
    UNION ALL
    SELECT 'requested_names', 'live', NULL, count(*)::integer, 0, 0 FROM partners WHERE requested_name IS NOT NULL`
}

export interface Settled {
  readonly eventId: bigint
  readonly at: Date
  readonly environment: Environment
  readonly status: PayoutStatus
  /** The time from the payout request to the event. */
  readonly seconds: number
}

/** Lists the events after `afterEvent` that completed, failed, cancelled or returned a payout. */
export async function listSettled(db: Queryable, afterEvent: bigint): Promise<Settled[]> {
  return db.sql<Settled>`SELECT e.id AS event_id, e.at, p.environment, e.status,
      greatest(0, extract(epoch FROM e.at - p.created_at))::float8 AS seconds
    FROM payout_events e JOIN payouts p ON p.id = e.payout_id
    WHERE e.id > ${afterEvent} AND e.kind = e.status AND e.status IN ('completed', 'failed', 'cancelled', 'returned')
    ORDER BY e.id LIMIT 50000`
}

export async function lastEvent(db: Queryable): Promise<bigint> {
  const [last] = await db.sql<{ id: bigint }>`SELECT max(id) AS id FROM payout_events`
  return last?.id ?? 0n
}

const railStates = sql`SELECT environment, max(resumed_at) AS last_resumed_at, bool_or(resumed_at IS NULL) AS is_paused
  FROM rail_pauses GROUP BY environment`
