// The table of price lists; the standard one belongs to no partner.
import { EntitySchema } from 'typeorm'
import type { PriceList } from '../../../domain/invoices/fees'
import { bigint, id, idOf, orNull, time, withDefault } from '../../columns'

export interface PriceListRow extends PriceList {
  readonly id: string
  readonly partnerId: string | null
  readonly validFrom: Date
  readonly validUntil: Date | null
}

export const priceList = new EntitySchema<PriceListRow>({
  name: 'PriceList',
  tableName: 'price_lists',
  columns: {
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
  },
  indices: [
    { name: 'price_lists_open_unique', columns: ['partnerId'], unique: true, where: 'valid_until IS NULL' },
    { name: 'price_lists_from_unique', columns: ['partnerId', 'validFrom'], unique: true },
  ],
  checks: [
    { name: 'price_lists_validity_check', expression: 'valid_until > valid_from' },
    { name: 'price_lists_return_cost_check', expression: 'return_cost_micropounds >= 0' },
    {
      name: 'price_lists_prices_check',
      expression: `least(payout_fixed_pence, payout_basis_points, bank_fixed_pence, bank_basis_points,
        monthly_account_pence, verification_pence, network_cost_micropounds, network_markup_basis_points,
        exception_markup_basis_points) >= 0`,
    },
  ],
})
