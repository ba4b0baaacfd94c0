// What of a partner is not finished: payouts, cases, deposits that wait for a decision, and real money in its wallet.

import { assert } from '../../domain/assert'
import type { Queryable } from '../database'
import { sql } from '../sql'

export interface Unfinished {
  /** Neither released nor closed, in either environment: also those that wait for a refund or come back. */
  readonly openPayouts: number
  /** Others that an operator has to look at, such as a released one that the bank may have sent. */
  readonly attention: number
  readonly openCases: number
  readonly heldDeposits: number
  /** The sandbox's is test money. */
  readonly liveMicroUsdc: bigint
}

export async function findUnfinished(db: Queryable, partnerId: string): Promise<Unfinished> {
  const [found] = await db.sql<Unfinished>`SELECT
      (SELECT count(*)::integer FROM payouts WHERE partner_id = ${partnerId} AND ${isOpen}) AS open_payouts,
      (SELECT count(*)::integer FROM payouts WHERE partner_id = ${partnerId} AND attention IS NOT NULL AND NOT (${isOpen})) AS attention,
      (SELECT count(*)::integer FROM cases c JOIN payouts p ON p.id = c.payout_id
        WHERE p.partner_id = ${partnerId} AND c.resolved_at IS NULL) AS open_cases,
      (SELECT count(*)::integer FROM held_deposits h JOIN wallets w ON w.id = h.wallet_id
        WHERE w.partner_id = ${partnerId} AND h.resolved_at IS NULL) AS held_deposits,
      (SELECT coalesce(sum(balance_micro_usdc), 0)::bigint FROM wallets
        WHERE partner_id = ${partnerId} AND environment = 'live') AS live_micro_usdc`
  assert(found !== undefined, 'one row counts it all')
  return found
}

const isOpen = sql`released_at IS NULL AND closed_at IS NULL`
