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
  uniques: [{ name: 'charges_cause_unique', columns: ['partnerId', 'kind', 'causeRef'] }],
  indices: [
    { name: 'charges_month_index', columns: ['partnerId', 'month'] },
    { name: 'charges_created_index', columns: ['createdAt'] },
    { name: 'charges_payout_index', columns: ['payoutId'], where: 'payout_id IS NOT NULL' },
  ],
  checks: [
    {
      name: 'charges_kind_check',
      expression: `kind IN ('payout_fee', 'network_fee', 'exception', 'monthly_account', 'verification', 'credit')`,
    },
    { name: 'charges_amount_check', expression: 'amount_micropounds >= 0' },
    { name: 'charges_month_check', expression: 'extract(day FROM month) = 1' },
  ],
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
  indices: [{ name: 'uninvoiced_charges_month_index', columns: ['partnerId', 'month'] }],
})
