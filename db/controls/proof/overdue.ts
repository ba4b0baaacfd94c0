// What has waited for too long: payouts of which nothing was heard, and wallets that were not compared with the bank.
import type { Finding } from '../../../domain/controls/drift'
import type { Environment } from '../../../domain/environment'
import type { Queryable, Statement } from '../../database'
import { peoplesKinds } from '../../payouts/events'
import type { ProofOutcome } from './drift-entity'

/** Payouts that are not over and of which nothing was heard for longer than they may take. */
export async function findSilentPayouts(
  db: Queryable,
  { sentBefore, unknownBefore, limit }: { sentBefore: Date; unknownBefore: Date; limit: number },
): Promise<Finding[]> {
  return db.query<Finding>(silent, [sentBefore, unknownBefore, limit])
}

/** Wallets that no proof could compare since that moment. Those at no bank count as compared when their books were; idle ones are left out. */
export async function findNotCompared(
  db: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<Finding[]> {
  return db.sql<Finding>`SELECT 'not_compared' AS kind, w.id AS wallet_id, w.id::text AS subject,
      'compared since ' || to_char(${before}::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expected,
      coalesce(p.outcome, 'no look') || ', last compared ' || coalesce(
        to_char(p.compared_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'never') AS found,
      coalesce(extract(epoch FROM p.compared_at)::text, 'never') AS size
    FROM wallets w LEFT JOIN proofs p ON p.wallet_id = w.id
    WHERE coalesce(p.compared_at, w.created_at) < ${before}::timestamptz AND p.outcome IS DISTINCT FROM 'idle' ORDER BY w.id LIMIT ${limit}`
}

export interface NotCompared {
  readonly partner: string
  readonly environment: Environment
  /** Null when it was never looked at. */
  readonly outcome: ProofOutcome | null
  readonly lookedAt: Date | null
  readonly comparedAt: Date | null
}

/** Those that the last look could not compare, the longest ago first. */
export async function listNotCompared(db: Queryable, limit: number): Promise<NotCompared[]> {
  return db.sql<NotCompared>`SELECT partners.slug AS partner, w.environment, p.outcome, p.looked_at, p.compared_at
    FROM wallets w JOIN partners ON partners.id = w.partner_id LEFT JOIN proofs p ON p.wallet_id = w.id
    WHERE p.outcome IN ('busy', 'no_answer', 'too_long', 'failed') ORDER BY p.compared_at NULLS FIRST, w.id LIMIT ${limit}`
}

const noNews = ['attention', ...peoplesKinds].map((kind) => `'${kind}'`).join()

// While sending is paused, what was not sent yet waits for people and not in silence. What was sent before is the bank's to tell of,
// whatever is paused, resumed or asked meanwhile.
const silent: Statement = {
  name: 'proof-silent',
  text: `SELECT 'silent_payout' AS kind, p.wallet_id AS "walletId", p.id::text AS subject,
      'news since ' || to_char(deadline AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expected,
      p.status || ', last heard of ' || to_char(heard AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS found,
      p.status || ' ' || extract(epoch FROM heard) AS size
    FROM payouts p
    CROSS JOIN LATERAL (SELECT CASE WHEN p.transfer_ref IS NULL THEN $2::timestamptz ELSE $1::timestamptz END AS deadline) d
    CROSS JOIN LATERAL (SELECT greatest(p.created_at, p.returned_at,
      (SELECT max(e.at) FROM payout_events e WHERE e.payout_id = p.id AND e.kind NOT IN (${noNews})),
      (SELECT max(r.resumed_at) FROM rail_pauses r WHERE r.environment = p.environment
        AND coalesce(p.submit_started_at >= r.resumed_at, true))) AS heard) h
    WHERE p.released_at IS NULL AND p.closed_at IS NULL AND heard < deadline
      AND p.created_at < greatest($1::timestamptz, $2::timestamptz)
      AND NOT (p.submit_started_at IS NULL
        AND EXISTS (SELECT FROM rail_pauses r WHERE r.environment = p.environment AND r.resumed_at IS NULL))
    ORDER BY p.created_at LIMIT $3`,
}
