// What of a partner is not finished: payouts, cases, deposits that wait for a decision, and real money in its wallet.
import { assert } from '../../domain/assert'
import type { Queryable, Statement } from '../database'

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
  const [found] = await db.query<Unfinished>(select, [partnerId])
  assert(found !== undefined, 'one row counts it all')
  return found
}

const isOpen = 'released_at IS NULL AND closed_at IS NULL'

const select: Statement = {
  name: 'partner-unfinished',
  text: `SELECT
      (SELECT count(*)::integer FROM payouts WHERE partner_id = $1 AND ${isOpen}) AS "openPayouts",
      (SELECT count(*)::integer FROM payouts WHERE partner_id = $1 AND attention IS NOT NULL AND NOT (${isOpen})) AS attention,
      (SELECT count(*)::integer FROM cases c JOIN payouts p ON p.id = c.payout_id
        WHERE p.partner_id = $1 AND c.resolved_at IS NULL) AS "openCases",
      (SELECT count(*)::integer FROM held_deposits h JOIN wallets w ON w.id = h.wallet_id
        WHERE w.partner_id = $1 AND h.resolved_at IS NULL) AS "heldDeposits",
      (SELECT coalesce(sum(balance_micro_usdc), 0)::bigint FROM wallets
        WHERE partner_id = $1 AND environment = 'live') AS "liveMicroUsdc"`,
}
