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
})
