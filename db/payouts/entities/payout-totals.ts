// The tables of payout totals, per month and per recipient. Triggers of payouts write them, and nothing else.
import { EntitySchema } from 'typeorm'
import { bigint, bytes, date, integer, orNull, text, time, uuid } from '../../columns'

export interface PayoutMonthRow {
  readonly partnerId: string
  readonly environment: string
  /** The first day of a London month, as YYYY-MM-DD. */
  readonly month: string
  readonly shard: number
  /** Created in the month. */
  readonly created: number
  /** Completed in the month, as are the amounts below. */
  readonly completed: number
  readonly paidPence: bigint
  readonly feesPence: bigint
}

export const payoutMonth = new EntitySchema<PayoutMonthRow>({
  name: 'PayoutMonth',
  tableName: 'payout_months',
  columns: {
    partnerId: { ...uuid, primary: true },
    environment: { ...text, primary: true },
    month: { ...date, primary: true },
    shard: { ...integer, primary: true },
    created: integer,
    completed: integer,
    paidPence: bigint,
    feesPence: bigint,
  },
})

interface LastTimes {
  readonly lastCreatedAt: Date | null
  readonly lastCompletedAt: Date | null
  /** When the payout that completed last was created. */
  readonly paidCreatedAt: Date | null
}

export interface RecipientMonthRow extends LastTimes {
  readonly partnerId: string
  readonly environment: string
  readonly accountHash: Buffer
  /** Of the creation of its payouts. */
  readonly month: string
  readonly payouts: number
  readonly completed: number
  readonly paidPence: bigint
}

export const recipientMonth = new EntitySchema<RecipientMonthRow>({
  name: 'RecipientMonth',
  tableName: 'recipient_months',
  columns: {
    partnerId: { ...uuid, primary: true },
    environment: { ...text, primary: true },
    accountHash: { ...bytes, primary: true },
    month: { ...date, primary: true },
    payouts: integer,
    completed: integer,
    paidPence: bigint,
    lastCreatedAt: orNull(time),
    lastCompletedAt: orNull(time),
    paidCreatedAt: orNull(time),
  },
})

export interface RecipientTotalRow extends LastTimes {
  readonly partnerId: string
  readonly environment: string
  readonly accountHash: Buffer
  readonly lastCreatedAt: Date
  /** The latest completion, or the latest creation while no payout has completed. */
  readonly lastPaidAt: Date
}

export const recipientTotal = new EntitySchema<RecipientTotalRow>({
  name: 'RecipientTotal',
  tableName: 'recipient_totals',
  columns: {
    partnerId: { ...uuid, primary: true },
    environment: { ...text, primary: true },
    accountHash: { ...bytes, primary: true },
    lastCreatedAt: time,
    lastCompletedAt: orNull(time),
    paidCreatedAt: orNull(time),
    lastPaidAt: time,
  },
})
