// Payouts that are not over: neither released nor closed. Each of them must have a running workflow.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement, Tx } from '../database'

export interface OpenPayout {
  readonly payoutId: string
  readonly attempt: number
  readonly partnerId: string
  readonly slug: string
  readonly environment: Environment
  readonly idempotencyKey: string
  readonly status: PayoutStatus
  readonly amountPence: bigint
  readonly accountLast4: string | null
  readonly createdAt: Date
  /** Whether a call to the bank was started whose outcome decides: from then on a cancel comes too late. */
  readonly isCalled: boolean
  /** Not null for one that had arrived and comes back: its workflow is that of a return. */
  readonly completedAt: Date | null
}

/** Where the page before ended. */
export interface OpenCursor {
  readonly createdAt: Date
  readonly payoutId: string
}

/** Oldest first. */
export async function listOpenPayouts(
  db: Queryable,
  { before, after, limit }: { before: Date; after: OpenCursor | null; limit: number },
): Promise<OpenPayout[]> {
  return db.query<OpenPayout>(selectOpen, [before, after?.createdAt ?? null, after?.payoutId ?? null, limit])
}

/** Those of them that were not sent to the bank, by id: what a pause of the rail has kept. */
export async function listUnsentPayouts(
  db: Queryable,
  { environment, after, limit }: { environment: Environment; after: string | null; limit: number },
): Promise<OpenPayout[]> {
  return db.query<OpenPayout>(selectUnsent, [environment, after, limit])
}

/** Null when it is over, or there is none. */
export async function findOpenPayout(db: Queryable, payoutId: string): Promise<OpenPayout | null> {
  const [open] = await db.query<OpenPayout>(selectOpenOne, [payoutId])
  return open ?? null
}

/** Under the wallet's lock: whether a payout of it may still move its money. */
export async function hasOpenPayouts(tx: Tx, walletId: string): Promise<boolean> {
  return (
    (
      await tx.sql`SELECT 1 FROM payouts WHERE wallet_id = ${walletId} AND released_at IS NULL AND closed_at IS NULL LIMIT 1`
    ).length > 0
  )
}

/** Which of these payouts were over before that moment, or do not exist at all. */
export async function findOver(
  db: Queryable,
  payoutIds: readonly string[],
  before: Date,
): Promise<{ readonly payoutId: string; readonly state: 'over' | 'absent' }[]> {
  return db.sql`SELECT wanted.id AS payout_id, CASE WHEN p.id IS NULL THEN 'absent' ELSE 'over' END AS state
    FROM unnest(${payoutIds}::uuid[]) AS wanted (id) LEFT JOIN payouts p ON p.id = wanted.id
    WHERE p.id IS NULL OR p.closed_at < ${before} OR p.released_at < ${before}`
}

export interface OverduePayout {
  readonly payoutId: string
  readonly attention: string
  readonly environment: Environment
  readonly createdAt: Date
}

/**
 * Marks those for people that are older than they should get. One that is marked already, for whatever reason, is left alone, and
 * so, for as long again, is one that somebody has dealt with.
 */
export async function markOverdue(
  db: Queryable,
  { sentBefore, unknownBefore, limit }: { sentBefore: Date; unknownBefore: Date; limit: number },
): Promise<OverduePayout[]> {
  return db.query<OverduePayout>(attendToOverdue, [sentBefore, unknownBefore, limit])
}

const openPayouts = `SELECT p.id AS "payoutId", p.attempt, p.partner_id AS "partnerId", partners.slug, p.environment,
    p.idempotency_key AS "idempotencyKey", p.status, p.amount_pence AS "amountPence",
    p.account_last4 AS "accountLast4", p.created_at AS "createdAt", p.completed_at AS "completedAt",
    p.submit_started_at IS NOT NULL OR p.transfer_ref IS NOT NULL AS "isCalled"
  FROM payouts p JOIN partners ON partners.id = p.partner_id
  WHERE p.released_at IS NULL AND p.closed_at IS NULL`

const selectOpen: Statement = {
  name: 'payouts-open',
  text: `${openPayouts} AND p.created_at < $1
      AND ($2::timestamptz IS NULL OR (p.created_at, p.id) > ($2, $3::uuid))
    ORDER BY p.created_at, p.id LIMIT $4`,
}

const selectUnsent: Statement = {
  name: 'payouts-unsent',
  text: `${openPayouts} AND p.environment = $1 AND p.submit_started_at IS NULL AND ($2::uuid IS NULL OR p.id > $2)
    ORDER BY p.id LIMIT $3`,
}

const selectOpenOne: Statement = { name: 'payout-open', text: `${openPayouts} AND p.id = $1` }

// One that came back is counted from its return: it had been over in the meantime.
const since = 'coalesce(returned_at, created_at)'
const deadline = 'CASE WHEN transfer_ref IS NULL THEN $2::timestamptz ELSE $1::timestamptz END'

const attendToOverdue: Statement = {
  name: 'payouts-overdue',
  text: `UPDATE payouts p
    SET attention = CASE WHEN p.transfer_ref IS NULL THEN 'outcome_overdue' ELSE 'settlement_overdue' END
    FROM (
      SELECT id FROM payouts
      WHERE released_at IS NULL AND closed_at IS NULL AND attention IS NULL AND created_at < greatest($1::timestamptz, $2::timestamptz)
        AND ${since} < ${deadline}
        -- An unsent payout of a partner that is not active waits for operators, who know.
        AND NOT (submit_started_at IS NULL
          AND EXISTS (SELECT FROM partners WHERE partners.id = payouts.partner_id AND partners.status <> 'active'))
        -- A payout that a paused rail holds is not overdue; its time starts again when the rail is resumed.
        AND NOT EXISTS (SELECT FROM rail_pauses pause WHERE pause.environment = payouts.environment
          AND coalesce(pause.resumed_at, 'infinity') >= ${deadline}
          AND coalesce(submit_started_at, 'infinity') >= coalesce(pause.resumed_at, 'infinity'))
        AND NOT EXISTS (SELECT 1 FROM payout_events e WHERE e.payout_id = payouts.id AND e.kind = 'attended'
          AND e.at >= ${deadline})
      ORDER BY created_at LIMIT $3 FOR UPDATE OF payouts SKIP LOCKED
    ) overdue
    WHERE p.id = overdue.id
    RETURNING p.id AS "payoutId", p.attention, p.environment, p.created_at AS "createdAt"`,
}
