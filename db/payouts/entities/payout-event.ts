// The table of what happened to each payout, which only ever grows.
import { EntitySchema } from 'typeorm'
import type { PayoutStatus } from '../../../domain/payouts/payout'
import { idOf, orNull, sequence, text, time } from '../../columns'

export interface PayoutEventRow {
  readonly id: bigint
  readonly payoutId: string
  readonly at: Date
  readonly kind: string
  /** The payout's status after the event. */
  readonly status: PayoutStatus
  readonly madeBy: string
  readonly detail: string | null
}

export const payoutEvent = new EntitySchema<PayoutEventRow>({
  name: 'PayoutEvent',
  tableName: 'payout_events',
  columns: {
    id: sequence,
    payoutId: idOf('Payout'),
    at: time,
    kind: text,
    status: text,
    madeBy: text,
    detail: orNull(text),
  },
})
