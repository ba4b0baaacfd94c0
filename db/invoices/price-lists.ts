// Price lists: a standard one, and one per partner that starts as its copy. No price is in the code.

import { assert } from '../../domain/assert'
import type { PriceList } from '../../domain/invoices/fees'
import { bigint, entity, id, idOf, orNull, time, withDefault } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { sql } from '../sql'

interface PriceListRow extends PriceList {
  readonly id: string
  readonly partnerId: string | null
  readonly validFrom: Date
  readonly validUntil: Date | null
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

/** The partner's prices at that time. Every partner has prices from the start. */
export async function findPrices(db: Queryable, partnerId: string, at: Date): Promise<PriceList> {
  const [prices] = await db.sql<PriceList>`SELECT ${priceColumns} FROM price_lists
    WHERE partner_id = ${partnerId} AND valid_from <= ${at} AND (valid_until IS NULL OR valid_until > ${at})
    ORDER BY valid_from DESC LIMIT 1`
  assert(prices !== undefined, 'a partner must have a price list')
  return prices
}

/** By start, with earlier and planned prices. */
export async function listPrices(db: Queryable, partnerId: string): Promise<ValidPrices[]> {
  return db.sql<ValidPrices>`SELECT ${priceColumns}, valid_from, valid_until FROM price_lists
    WHERE partner_id = ${partnerId} ORDER BY valid_from`
}

export type ValidPrices = Omit<PriceListRow, 'id' | 'partnerId'>

type PricesChanged =
  | { readonly outcome: 'changed' }
  /** Other prices are planned from then on, and a change before them is not allowed. */
  | { readonly outcome: 'planned'; readonly from: Date }

/** Ends the current prices at `from`, which must not be in the past. Prices planned for the same time are replaced. */
export async function changePrices(
  tx: Tx,
  change: { partnerId: string; changes: Partial<PriceList>; from: Date; at: Date },
): Promise<PricesChanged> {
  const { partnerId, changes, from, at } = change
  assert(from >= at, 'prices cannot change for the past')
  await removePlanned(tx, { partnerId, from, at })
  const last = await lockLastPrices(tx, partnerId)
  if (last.validFrom >= from) return { outcome: 'planned', from: last.validFrom }
  await tx.sql`UPDATE price_lists SET valid_until = ${from} WHERE partner_id = ${partnerId} AND valid_until IS NULL`
  await tx.repo(priceList).insert({ ...last, ...changes, id: newId(at), partnerId, validFrom: from, validUntil: null })
  return { outcome: 'changed' }
}

/** Undoes the last planned change, until it begins. */
export async function removePlanned(
  tx: Tx,
  { partnerId, from, at }: { partnerId: string; from: Date; at: Date },
): Promise<'removed' | 'not_planned'> {
  const last = await lockLastPrices(tx, partnerId)
  if (last.validFrom.getTime() !== from.getTime() || from <= at) return 'not_planned'
  await tx.sql`DELETE FROM price_lists WHERE partner_id = ${partnerId} AND valid_from = ${from}`
  const before =
    await tx.sql`UPDATE price_lists SET valid_until = NULL WHERE partner_id = ${partnerId} AND valid_until = ${from} RETURNING id`
  assert(before.length === 1, 'planned prices must follow earlier ones')
  return 'removed'
}

async function lockLastPrices(tx: Tx, partnerId: string): Promise<ValidPrices> {
  const [last] = await tx.sql<ValidPrices>`SELECT ${priceColumns}, valid_from, valid_until FROM price_lists
    WHERE partner_id = ${partnerId} AND valid_until IS NULL FOR UPDATE`
  assert(last !== undefined, 'a partner must have a price list')
  return last
}

const priceColumns = sql`payout_fixed_pence, payout_basis_points, bank_fixed_pence, bank_basis_points, monthly_account_pence,
  verification_pence, network_cost_micropounds, network_markup_basis_points, exception_markup_basis_points,
  return_cost_micropounds`
