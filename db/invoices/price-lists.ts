// Price lists: the standard list, and each partner's own list, which starts as a copy. The code contains no prices.

import { assert } from '../../domain/assert'
import type { PriceList } from '../../domain/invoices/fees'
import { bigint, entity, id, idOf, orNull, text, time, withDefault } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { type Sql, sql } from '../sql'

interface PriceListRow extends PriceList {
  readonly id: string
  readonly partnerId: string | null
  readonly validFrom: Date
  readonly validUntil: Date | null
  /** Null for a partner's first prices, and for changes made before migration 42. */
  readonly madeBy: string | null
}

export const priceList = entity<PriceListRow>('PriceList', 'price_lists', {
  id,
  partnerId: orNull(idOf('Partner')),
  validFrom: time,
  validUntil: orNull(time),
  payoutFixedPence: bigint,
  payoutBasisPoints: bigint,
  bankFixedPence: bigint,
  bankBasisPoints: bigint,
  monthlyAccountPence: bigint,
  verificationPence: bigint,
  networkCostMicropounds: bigint,
  networkMarkupBasisPoints: bigint,
  exceptionMarkupBasisPoints: bigint,
  returnCostMicropounds: withDefault(bigint, 5_000_000),
  madeBy: orNull(text),
})

export async function copyStandardPrices(tx: Tx, partner: { partnerId: string; at: Date }): Promise<void> {
  const { partnerId, at } = partner
  const copied = await tx.sql`INSERT INTO price_lists (id, partner_id, valid_from, ${priceColumns})
    SELECT ${newId(at)}, ${partnerId}, ${at}::timestamptz, ${priceColumns} FROM price_lists
    WHERE partner_id IS NULL AND valid_from <= ${at} AND (valid_until IS NULL OR valid_until > ${at})
    ORDER BY valid_from DESC LIMIT 1
    RETURNING id`
  assert(copied.length === 1, 'a standard price list must be valid')
}

/** Finds the partner's prices at the given time. Every partner has prices from the moment it is created. */
export async function findPrices(db: Queryable, partnerId: string, at: Date): Promise<PriceList> {
  const [prices] = await db.sql<PriceList>`SELECT ${priceColumns} FROM price_lists
    WHERE partner_id = ${partnerId} AND valid_from <= ${at} AND (valid_until IS NULL OR valid_until > ${at})
    ORDER BY valid_from DESC LIMIT 1`
  assert(prices !== undefined, 'a partner must have a price list')
  return prices
}

/** The partner, or null for the standard prices that new partners copy. */
type PriceOwner = string | null

/** Lists past, current and planned prices in the order of their start. */
export async function listPrices(db: Queryable, partnerId: PriceOwner): Promise<ValidPrices[]> {
  return db.sql<ValidPrices>`SELECT ${priceColumns}, valid_from, valid_until, made_by FROM price_lists
    WHERE ${isOf(partnerId)} ORDER BY valid_from`
}

export type ValidPrices = Omit<PriceListRow, 'id' | 'partnerId'>

type PricesChanged =
  | { readonly outcome: 'changed' }
  /** Other prices are already planned to start at `from`. A change cannot start before them. */
  | { readonly outcome: 'planned'; readonly from: Date }

/**
 * Ends the current prices at `from`, which must not be in the past. Replaces prices that are planned to start at the
 * same time.
 */
export async function changePrices(
  tx: Tx,
  change: { partnerId: PriceOwner; changes: Partial<PriceList>; from: Date; at: Date; madeBy?: string },
): Promise<PricesChanged> {
  const { partnerId, changes, from, at, madeBy = null } = change
  assert(from >= at, 'a price change must not start in the past')
  await removePlanned(tx, { partnerId, from, at })
  const last = await lockLastPrices(tx, partnerId)
  if (last.validFrom >= from) return { outcome: 'planned', from: last.validFrom }
  await tx.sql`UPDATE price_lists SET valid_until = ${from} WHERE ${isOf(partnerId)} AND valid_until IS NULL`
  const changed = { ...last, ...changes, validFrom: from, validUntil: null, madeBy }
  await tx.repo(priceList).insert({ ...changed, id: newId(at), partnerId })
  return { outcome: 'changed' }
}

/** Undoes the change that is planned for `from`, if it is the last one and has not started. */
export async function removePlanned(
  tx: Tx,
  { partnerId, from, at }: { partnerId: PriceOwner; from: Date; at: Date },
): Promise<'removed' | 'not_planned'> {
  const last = await lockLastPrices(tx, partnerId)
  if (last.validFrom.getTime() !== from.getTime() || from <= at) return 'not_planned'
  await tx.sql`DELETE FROM price_lists WHERE ${isOf(partnerId)} AND valid_from = ${from}`
  const before =
    await tx.sql`UPDATE price_lists SET valid_until = NULL WHERE ${isOf(partnerId)} AND valid_until = ${from} RETURNING id`
  assert(before.length === 1, 'planned prices must follow earlier ones')
  return 'removed'
}

async function lockLastPrices(tx: Tx, partnerId: PriceOwner): Promise<Omit<ValidPrices, 'madeBy'>> {
  const [last] = await tx.sql<
    Omit<ValidPrices, 'madeBy'>
  >`SELECT ${priceColumns}, valid_from, valid_until FROM price_lists
    WHERE ${isOf(partnerId)} AND valid_until IS NULL FOR UPDATE`
  assert(last !== undefined, 'every owner must have a price list')
  return last
}

function isOf(partnerId: PriceOwner): Sql {
  return partnerId === null ? sql`partner_id IS NULL` : sql`partner_id = ${partnerId}`
}

const priceColumns = sql`payout_fixed_pence, payout_basis_points, bank_fixed_pence, bank_basis_points, monthly_account_pence,
  verification_pence, network_cost_micropounds, network_markup_basis_points, exception_markup_basis_points,
  return_cost_micropounds`
