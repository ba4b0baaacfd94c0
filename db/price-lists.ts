// Prices live here and never in code: a standard list, and one per partner that starts as its copy (design §4).
import { assert } from '../domain/assert'
import type { PriceList } from '../domain/fees'
import type { Queryable, Statement, Tx } from './database'
import { newId } from './id'

export async function copyStandardPrices(tx: Tx, partner: { partnerId: string; at: Date }): Promise<void> {
  const copied = await tx.query(copy, [newId(partner.at), partner.partnerId, partner.at])
  assert(copied.length === 1, 'a standard price list must be valid')
}

/** The partner's prices at that time; every partner has some from the start. */
export async function findPrices(db: Queryable, partnerId: string, at: Date): Promise<PriceList> {
  const [prices] = await db.query<PriceList>(selectPrices, [partnerId, at])
  assert(prices !== undefined, 'a partner must have a price list')
  return prices
}

const prices = `payout_fixed_pence, payout_basis_points, bank_fixed_pence, bank_basis_points, monthly_account_pence,
  verification_pence, network_cost_micropounds, network_markup_basis_points, exception_markup_basis_points`

const copy: Statement = {
  name: 'price-list-copy',
  text: `INSERT INTO price_lists (id, partner_id, valid_from, ${prices})
    SELECT $1, $2, $3::timestamptz, ${prices} FROM price_lists
    WHERE partner_id IS NULL AND valid_from <= $3 AND (valid_until IS NULL OR valid_until > $3)
    ORDER BY valid_from DESC LIMIT 1
    RETURNING id`,
}

const selectPrices: Statement = {
  name: 'price-list-valid',
  text: `SELECT payout_fixed_pence AS "payoutFixedPence", payout_basis_points AS "payoutBasisPoints",
      bank_fixed_pence AS "bankFixedPence", bank_basis_points AS "bankBasisPoints",
      monthly_account_pence AS "monthlyAccountPence", verification_pence AS "verificationPence",
      network_cost_micropounds AS "networkCostMicropounds", network_markup_basis_points AS "networkMarkupBasisPoints",
      exception_markup_basis_points AS "exceptionMarkupBasisPoints"
    FROM price_lists
    WHERE partner_id = $1 AND valid_from <= $2 AND (valid_until IS NULL OR valid_until > $2)
    ORDER BY valid_from DESC LIMIT 1`,
}
