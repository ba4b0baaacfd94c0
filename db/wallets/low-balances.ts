// Live wallets below what their partner wants to be told at: told once, and again only when they were above it meanwhile.
import type { Queryable } from '../database'

/** Writes a notice for each that is new, and answers how many; its `about` is what the wallet held, in millionths. */
export async function noteLowBalances(db: Queryable, { at, limit }: { at: Date; limit: number }): Promise<number> {
  // A wallet whose row is held pays or is paid at this moment: the next look finds it.
  const [row] = await db.sql<{ count: number }>`WITH low AS (
      SELECT wallets.id FROM wallets JOIN partners ON partners.id = wallets.partner_id
      WHERE wallets.environment = 'live' AND wallets.wallet_ref IS NOT NULL AND partners.status <> 'closed'
        AND wallets.low_balance_told_at IS NULL AND wallets.balance_micro_usdc < partners.low_balance_micro_usdc
      ORDER BY wallets.id LIMIT ${limit} FOR NO KEY UPDATE OF wallets SKIP LOCKED
    ), told AS (
      UPDATE wallets SET low_balance_told_at = ${at} FROM low WHERE wallets.id = low.id
      RETURNING wallets.partner_id, wallets.environment, wallets.balance_micro_usdc
    ), noted AS (
      INSERT INTO notices (partner_id, environment, kind, about, at)
      SELECT partner_id, environment, 'low_balance', balance_micro_usdc::text, ${at} FROM told RETURNING id
    )
    SELECT count(*)::integer AS count FROM noted`
  return row?.count ?? 0
}

/** Answers how many are above it again. */
export async function forgetLowBalances(db: Queryable): Promise<number> {
  const [row] = await db.sql<{ count: number }>`WITH back AS (
      UPDATE wallets SET low_balance_told_at = NULL FROM partners
      WHERE wallets.low_balance_told_at IS NOT NULL AND partners.id = wallets.partner_id
        AND (partners.low_balance_micro_usdc IS NULL OR wallets.balance_micro_usdc >= partners.low_balance_micro_usdc)
      RETURNING wallets.id
    )
    SELECT count(*)::integer AS count FROM back`
  return row?.count ?? 0
}
