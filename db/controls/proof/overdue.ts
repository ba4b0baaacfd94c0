// Finds overdue work: payouts without an update from the bank, and wallets that were not compared with the bank.
import type { Finding } from '../../../domain/controls/drift'
import type { Environment } from '../../../domain/environment'
import type { Queryable } from '../../database'
import { manualEventKinds } from '../../payouts/events'
import type { ProofOutcome } from './wallets'

/**
 * Finds open payouts whose last update is too old. An unsent payout on a paused rail waits for an operator and is not
 * overdue. For a sent payout, only updates from the bank count, not pauses or operators' actions.
 */
export async function findSilentPayouts(
  db: Queryable,
  { sentBefore, unknownBefore, limit }: { sentBefore: Date; unknownBefore: Date; limit: number },
): Promise<Finding[]> {
  return db.sql<Finding>`SELECT 'silent_payout' AS kind, p.wallet_id, p.id::text AS subject,
      'an update since ' || to_char(deadline AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expected,
      p.status || ', last update ' || to_char(heard AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS found,
      p.status || ' ' || extract(epoch FROM heard) AS size
    FROM payouts p
    CROSS JOIN LATERAL (SELECT CASE WHEN p.transfer_ref IS NULL THEN ${unknownBefore}::timestamptz ELSE ${sentBefore}::timestamptz END AS deadline) d
    CROSS JOIN LATERAL (SELECT greatest(p.created_at, p.returned_at,
      (SELECT max(e.at) FROM payout_events e WHERE e.payout_id = p.id AND e.kind <> ALL (${ignoredEventKinds}::text[])),
      (SELECT max(r.resumed_at) FROM rail_pauses r WHERE r.environment = p.environment
        AND coalesce(p.submit_started_at >= r.resumed_at, true))) AS heard) h
    WHERE p.released_at IS NULL AND p.closed_at IS NULL AND heard < deadline
      AND p.created_at < greatest(${sentBefore}::timestamptz, ${unknownBefore}::timestamptz)
      AND NOT (p.submit_started_at IS NULL
        AND EXISTS (SELECT FROM rail_pauses r WHERE r.environment = p.environment AND r.resumed_at IS NULL))
    ORDER BY p.created_at LIMIT ${limit}`
}

const ignoredEventKinds = ['attention', ...manualEventKinds]

/**
 * Finds the wallets that no proof has compared since `before`, except idle ones. For a wallet without a bank, verifying
 * its own books counts as a comparison.
 */
export async function findUncomparedWallets(
  db: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<Finding[]> {
  return db.sql<Finding>`SELECT 'not_compared' AS kind, w.id AS wallet_id, w.id::text AS subject,
      'compared since ' || to_char(${before}::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expected,
      coalesce(p.outcome, 'not proved yet') || ', last compared ' || coalesce(
        to_char(p.compared_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'never') AS found,
      coalesce(extract(epoch FROM p.compared_at)::text, 'never') AS size
    FROM wallets w LEFT JOIN proofs p ON p.wallet_id = w.id
    WHERE coalesce(p.compared_at, w.created_at) < ${before}::timestamptz AND p.outcome IS DISTINCT FROM 'idle' ORDER BY w.id LIMIT ${limit}`
}

export interface UncomparedWallet {
  readonly partner: string
  readonly environment: Environment
  /** Null before the first proof. */
  readonly outcome: ProofOutcome | null
  readonly lookedAt: Date | null
  readonly comparedAt: Date | null
}

/** Lists the wallets that their last proof could not compare. Wallets that were compared longest ago come first. */
export async function listUncomparedWallets(db: Queryable, limit: number): Promise<UncomparedWallet[]> {
  return db.sql<UncomparedWallet>`SELECT partners.slug AS partner, w.environment, p.outcome, p.looked_at, p.compared_at
    FROM wallets w JOIN partners ON partners.id = w.partner_id LEFT JOIN proofs p ON p.wallet_id = w.id
    WHERE p.outcome IN ('busy', 'no_answer', 'too_long', 'failed') ORDER BY p.compared_at NULLS FIRST, w.id LIMIT ${limit}`
}
