// Open payouts, which are neither released nor closed. Each must have a running workflow.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Tx } from '../database'
import { sql } from '../sql'

export interface OpenPayout {
  readonly payoutId: string
  readonly attempt: number
  readonly partnerId: string
  readonly slug: string
  readonly environment: Environment
  readonly idempotencyKey: string
  readonly status: PayoutStatus
  readonly amountPence: bigint
  readonly walletSendsMicroUsdc: bigint
  readonly accountLast4: string | null
  readonly createdAt: Date
  /** Whether a call to the bank has started. If so, the payout can no longer be cancelled. */
  readonly isCalled: boolean
  /** Set if the payout has completed but must still be charged, or if the bank is returning it. */
  readonly completedAt: Date | null
}

/** The last payout of the previous page. */
export interface OpenPayoutCursor {
  readonly createdAt: Date
  readonly payoutId: string
}

/** Lists the open payouts oldest first. */
export async function listOpenPayouts(
  db: Queryable,
  { before, after, limit }: { before: Date; after: OpenPayoutCursor | null; limit: number },
): Promise<OpenPayout[]> {
  const { createdAt, payoutId } = after ?? { createdAt: null, payoutId: null }
  return db.sql<OpenPayout>`${selectOpen} AND p.created_at < ${before}
      AND (${createdAt}::timestamptz IS NULL OR (p.created_at, p.id) > (${createdAt}, ${payoutId}::uuid))
    ORDER BY p.created_at, p.id LIMIT ${limit}`
}

/** Lists the open payouts that were not sent to the bank, sorted by ID. A rail pause affects these payouts. */
export async function listUnsentPayouts(
  db: Queryable,
  { environment, after, limit }: { environment: Environment; after: string | null; limit: number },
): Promise<OpenPayout[]> {
  return db.sql<OpenPayout>`${selectOpen} AND p.environment = ${environment} AND p.submit_started_at IS NULL
      AND (${after}::uuid IS NULL OR p.id > ${after})
    ORDER BY p.id LIMIT ${limit}`
}

/** Returns null if the payout is not open or does not exist. */
export async function findOpenPayout(db: Queryable, payoutId: string): Promise<OpenPayout | null> {
  const [open] = await db.sql<OpenPayout>`${selectOpen} AND p.id = ${payoutId}`
  return open ?? null
}

export interface OldestPending {
  readonly environment: Environment
  /** Whether a call to the bank has started. */
  readonly bank: 'called' | 'not_called'
  readonly payoutId: string
  readonly createdAt: Date
}

/** Returns the oldest pending payout per environment and `bank` value, oldest first. */
export async function listOldestPending(db: Queryable): Promise<OldestPending[]> {
  return db.sql<OldestPending>`SELECT * FROM (
      SELECT DISTINCT ON (environment, bank) environment, bank, id AS payout_id, created_at FROM payouts,
        LATERAL (SELECT CASE WHEN submit_started_at IS NULL THEN 'not_called' ELSE 'called' END AS bank) AS answered
      WHERE released_at IS NULL AND closed_at IS NULL AND status = 'pending' ORDER BY environment, bank, created_at, id
    ) oldest ORDER BY created_at`
}

/** Returns whether any of the wallet's payouts may still move money. The caller must have locked the wallet. */
export async function hasOpenPayouts(tx: Tx, walletId: string): Promise<boolean> {
  const open =
    await tx.sql`SELECT 1 FROM payouts WHERE wallet_id = ${walletId} AND released_at IS NULL AND closed_at IS NULL LIMIT 1`
  return open.length > 0
}

/**
 * Returns the payouts that were closed or released before the given time as `over`, and those that do not exist as
 * `absent`.
 */
export async function findOverOrAbsent(
  db: Queryable,
  payoutIds: readonly string[],
  before: Date,
): Promise<{ readonly payoutId: string; readonly state: 'over' | 'absent' }[]> {
  return db.sql`SELECT wanted.id AS payout_id, CASE WHEN p.id IS NULL THEN 'absent' ELSE 'over' END AS state
    FROM unnest(${payoutIds}::uuid[]) AS wanted (id) LEFT JOIN payouts p ON p.id = wanted.id
    WHERE p.id IS NULL OR p.closed_at < ${before} OR p.released_at < ${before}`
}

interface OverduePayout {
  readonly payoutId: string
  readonly attention: string
  readonly environment: Environment
  readonly createdAt: Date
}

/**
 * Sets an attention code on payouts that have been open for too long. Skips payouts that already need attention. When
 * an operator clears the attention, the time limit starts again.
 */
export async function markOverdue(
  db: Queryable,
  { sentBefore, unknownBefore, limit }: { sentBefore: Date; unknownBefore: Date; limit: number },
): Promise<OverduePayout[]> {
  const deadline = sql`CASE WHEN transfer_ref IS NULL THEN ${unknownBefore}::timestamptz ELSE ${sentBefore}::timestamptz END`
  return db.sql<OverduePayout>`UPDATE payouts p
    SET attention = CASE WHEN p.transfer_ref IS NULL THEN 'outcome_overdue' ELSE 'settlement_overdue' END
    FROM (
      SELECT id FROM payouts
      WHERE released_at IS NULL AND closed_at IS NULL AND attention IS NULL
        AND created_at < greatest(${sentBefore}::timestamptz, ${unknownBefore}::timestamptz)
        -- For a returned payout the time counts from its return, because the payout was closed until then.
        AND coalesce(returned_at, created_at) < ${deadline}
        -- The unsent payouts of an inactive partner wait for an operator, who already knows about them.
        AND NOT (submit_started_at IS NULL
          AND EXISTS (SELECT FROM partners WHERE partners.id = payouts.partner_id AND partners.status <> 'active'))
        -- A payout that a paused rail holds is not overdue. Its time starts again when the rail resumes.
        AND NOT EXISTS (SELECT FROM rail_pauses pause WHERE pause.environment = payouts.environment
          AND coalesce(pause.resumed_at, 'infinity') >= ${deadline}
          AND coalesce(submit_started_at, 'infinity') >= coalesce(pause.resumed_at, 'infinity'))
        AND NOT EXISTS (SELECT 1 FROM payout_events e WHERE e.payout_id = payouts.id AND e.kind = 'attended'
          AND e.at >= ${deadline})
      ORDER BY created_at LIMIT ${limit} FOR UPDATE OF payouts SKIP LOCKED
    ) overdue
    WHERE p.id = overdue.id
    RETURNING p.id AS payout_id, p.attention, p.environment, p.created_at`
}

const selectOpen = sql`SELECT p.id AS payout_id, p.attempt, p.partner_id, partners.slug, p.environment, p.idempotency_key,
    p.status, p.amount_pence, p.wallet_sends_micro_usdc, p.account_last4, p.created_at, p.completed_at,
    p.submit_started_at IS NOT NULL OR p.transfer_ref IS NOT NULL AS is_called
  FROM payouts p JOIN partners ON partners.id = p.partner_id
  WHERE p.released_at IS NULL AND p.closed_at IS NULL`
