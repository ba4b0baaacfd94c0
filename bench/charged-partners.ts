// Creates partners with a live account and one month's charges, directly in SQL. Benchmarks and stories choose the
// numbers.
import { firstDayOf, type Month, startOf } from '../domain/month'

interface ChargedPartners {
  readonly partners: number
  readonly chargesEach: number
  readonly month: Month
  /** The prefix of the partners' slugs. */
  readonly name: string
}

/** A pg client or TypeORM's pool. */
interface Sql {
  query(text: string, values: unknown[]): Promise<unknown>
}

/**
 * Half of the charges are payout fees of different amounts, and half are network fees of 2.2p. The monthly account
 * fee is due as well.
 */
export async function addChargedPartners(
  sql: Sql,
  { partners, chargesEach, month, name }: ChargedPartners,
): Promise<void> {
  await sql.query(
    `INSERT INTO partners (id, slug, name, billing_email, verification_status, created_at, updated_at, live_opened_at)
      SELECT gen_random_uuid(), $2 || '-' || n, 'Partner ' || n || ' Ltd', $2 || '-' || n || '@partners.test', 'approved',
        $3::timestamptz, $3, $3
      FROM generate_series(1, $1::integer) AS n`,
    [partners, name, startOf(month)],
  )
  await sql.query(
    `INSERT INTO price_lists (id, partner_id, valid_from, payout_fixed_pence, payout_basis_points, bank_fixed_pence,
        bank_basis_points, monthly_account_pence, verification_pence, network_cost_micropounds,
        network_markup_basis_points, exception_markup_basis_points)
      SELECT gen_random_uuid(), partners.id, $2::timestamptz, payout_fixed_pence, payout_basis_points, bank_fixed_pence,
        bank_basis_points, monthly_account_pence, verification_pence, network_cost_micropounds,
        network_markup_basis_points, exception_markup_basis_points
      FROM partners, price_lists standard WHERE slug LIKE $1 || '-%' AND standard.partner_id IS NULL`,
    [name, startOf(month)],
  )
  await sql.query(
    `INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
      SELECT gen_random_uuid(), partners.id, CASE WHEN n % 2 = 0 THEN 'payout_fee' ELSE 'network_fee' END, 'charge-' || n,
        CASE WHEN n % 2 = 0 THEN 990000 + n * 10000 ELSE 22000 END, $3::date, $4::timestamptz
      FROM partners, generate_series(1, $2::integer) AS n WHERE slug LIKE $1 || '-%'`,
    [name, chargesEach, firstDayOf(month), startOf(month)],
  )
}
