// The tables of charges: each unique by its cause, which only ever grow, and those of them that no invoice has.
import { EntitySchema } from 'typeorm'
import type { ChargeKind } from '../../../domain/invoices/invoice'
import { bigint, date, id, idOf, orNull, text, time, uuid } from '../../columns'

export interface ChargeRow {
  readonly id: string
  readonly partnerId: string
  readonly kind: ChargeKind
  readonly causeRef: string
  readonly payoutId: string | null
  readonly amountMicropounds: bigint
  /** The first day of its London month, as YYYY-MM-DD. */
  readonly month: string
  readonly description: string | null
  readonly createdAt: Date
}

export const charge = new EntitySchema<ChargeRow>({
  name: 'Charge',
  tableName: 'charges',
  columns: {
    id,
    partnerId: idOf('Partner'),
    kind: text,
    causeRef: text,
    payoutId: orNull(idOf('Payout')),
    amountMicropounds: bigint,
    month: date,
    description: orNull(text),
    createdAt: time,
  },
})

/** Kept by the triggers of charges and invoices, and by nobody else. */
export interface UninvoicedChargeRow {
  readonly chargeId: string
  readonly partnerId: string
  readonly month: string
  readonly kind: ChargeKind
  readonly amountMicropounds: bigint
}

export const uninvoicedCharge = new EntitySchema<UninvoicedChargeRow>({
  name: 'UninvoicedCharge',
  tableName: 'uninvoiced_charges',
  columns: { chargeId: id, partnerId: uuid, month: date, kind: text, amountMicropounds: bigint },
})
