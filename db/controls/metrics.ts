// Figures about the business for those who watch it: few rows, found by indexes that hold only what is not over.
import type { DriftKind } from '../../domain/controls/drift'
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { RateRejection } from '../../domain/rate-check'
import type { Queryable, Statement } from '../database'

export type FigureKind =
  | 'open'
  | 'pending'
  | 'attention'
  | 'held_deposits'
  | 'quarantined'
  | 'drift'
  | 'paused'
  | 'not_read'
  | 'rejected_rate'
  | 'requested_names'

export interface StandingFigure {
  readonly kind: FigureKind
  readonly environment: Environment
  /** The open payouts' status, the drifts' kind, the rates' rejection, whether the bank was called about the pending; null for what has no sorts. */
  readonly sort: PayoutStatus | DriftKind | RateRejection | 'called' | 'not_called' | null
  readonly count: number
  readonly microUsdc: bigint
  /** Of the oldest of them. */
  readonly ageSeconds: number
}

/** What is not over, and what waits for people, at this moment. */
export async function readStanding(db: Queryable, now: Date): Promise<StandingFigure[]> {
  return db.query<StandingFigure>(selectStanding, [now])
}

export interface Settled {
  readonly eventId: bigint
  readonly at: Date
  readonly environment: Environment
  readonly status: PayoutStatus
  /** Since the payout was asked for. */
  readonly seconds: number
}

/** The events behind one of them in which a payout became completed, failed, cancelled or returned. */
export async function listSettled(db: Queryable, afterEvent: bigint): Promise<Settled[]> {
  return db.query<Settled>(selectSettled, [afterEvent])
}

export async function lastEvent(db: Queryable): Promise<bigint> {
  const [last] = await db.sql<{ id: bigint }>`SELECT max(id) AS id FROM payout_events`
  return last?.id ?? 0n
}

const age = (oldest: string) => `greatest(0, extract(epoch FROM $1::timestamptz - min(${oldest})))::float8`

const railStates = `SELECT environment, max(resumed_at) AS last_resumed_at, bool_or(resumed_at IS NULL) AS is_paused
  FROM rail_pauses GROUP BY environment`

// A rate is checked only when it is needed, so a rejection that is not repeated for 15 minutes says nothing about now.
// An unsent payout waits on purpose while the rail is paused or its partner is not active, so it is not counted until it may be sent again.
const selectStanding: Statement = {
  name: 'figures-standing',
  text: `SELECT 'open' AS kind, environment, status AS sort, count(*)::integer AS count,
      sum(wallet_sends_micro_usdc)::bigint AS "microUsdc", ${age('coalesce(returned_at, created_at)')} AS "ageSeconds"
    FROM payouts WHERE released_at IS NULL AND closed_at IS NULL GROUP BY environment, status
    UNION ALL
    SELECT 'pending', p.environment, CASE WHEN submit_started_at IS NULL THEN 'not_called' ELSE 'called' END,
      count(*)::integer, 0, ${age('coalesce(submit_started_at, greatest(created_at, last_resumed_at))')}
    FROM payouts p LEFT JOIN (${railStates}) rail ON rail.environment = p.environment
    WHERE released_at IS NULL AND closed_at IS NULL AND status = 'pending'
      AND NOT (submit_started_at IS NULL AND (coalesce(is_paused, false)
        OR NOT EXISTS (SELECT FROM partners WHERE partners.id = p.partner_id AND partners.status = 'active')))
    GROUP BY p.environment, submit_started_at IS NULL
    UNION ALL
    SELECT 'attention', environment, NULL, count(*)::integer, 0, ${age('updated_at')}
    FROM payouts WHERE attention IS NOT NULL GROUP BY environment
    UNION ALL
    SELECT 'held_deposits', wallets.environment, NULL, count(*)::integer, coalesce(sum(amount_micro_usdc), 0)::bigint,
      ${age('found_at')}
    FROM held_deposits JOIN wallets ON wallets.id = wallet_id WHERE resolved_at IS NULL GROUP BY wallets.environment
    UNION ALL
    SELECT 'quarantined', environment, NULL, count(*)::integer, 0, ${age('received_at')}
    FROM bank_events WHERE attended_at IS NULL AND outcome IN ('quarantined', 'unknown_payout') GROUP BY environment
    UNION ALL
    SELECT 'drift', wallets.environment, drifts.kind, count(*)::integer, 0, ${age('first_seen_at')}
    FROM drifts JOIN wallets ON wallets.id = wallet_id WHERE resolved_at IS NULL AND accepted_by_id IS NULL
    GROUP BY wallets.environment, drifts.kind
    UNION ALL
    SELECT 'paused', environment, NULL, count(*)::integer, 0, ${age('paused_at')}
    FROM rail_pauses WHERE resumed_at IS NULL GROUP BY environment
    UNION ALL
    SELECT 'not_read', wallets.environment, NULL, count(*)::integer, 0, ${age('since')}
    FROM wallet_reading_failures JOIN wallets ON wallets.id = wallet_id GROUP BY wallets.environment
    UNION ALL
    SELECT 'rejected_rate', CASE rail WHEN 'provider_production' THEN 'live' ELSE 'sandbox' END, rejection, count(*)::integer, 0,
      ${age('rejected_at')}
    FROM exchange_rates WHERE rejected_at > $1::timestamptz - interval '15 minutes' GROUP BY 2, rejection
    UNION ALL
    SELECT 'requested_names', 'live', NULL, count(*)::integer, 0, 0 FROM partners WHERE requested_name IS NOT NULL`,
}

const selectSettled: Statement = {
  name: 'figures-settled',
  text: `SELECT e.id AS "eventId", e.at, p.environment, e.status,
      greatest(0, extract(epoch FROM e.at - p.created_at))::float8 AS seconds
    FROM payout_events e JOIN payouts p ON p.id = e.payout_id
    WHERE e.id > $1 AND e.kind = e.status AND e.status IN ('completed', 'failed', 'cancelled', 'returned')
    ORDER BY e.id LIMIT 50000`,
}
