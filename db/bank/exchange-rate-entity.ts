// The tables of accepted and rejected exchange rates.
import { EntitySchema } from 'typeorm'
import type { RailName } from '../../domain/environment'
import type { RateRejection } from '../../domain/rate-check'
import { bigint, id, orNull, text, time } from '../columns'

export interface StoredExchangeRate {
  readonly rail: RailName
  readonly acceptedNano: bigint | null
  readonly acceptedAt: Date | null
  readonly rejection: RateRejection | null
  readonly rejectedNano: bigint | null
  readonly rejectedAt: Date | null
}

export const exchangeRate = new EntitySchema<StoredExchangeRate>({
  name: 'ExchangeRate',
  tableName: 'exchange_rates',
  columns: {
    rail: { ...text, primary: true },
    acceptedNano: orNull(bigint),
    acceptedAt: orNull(time),
    rejection: orNull(text),
    rejectedNano: orNull(bigint),
    rejectedAt: orNull(time),
  },
})

export interface StoredRateAcceptance {
  readonly id: string
  readonly rail: RailName
  readonly acceptedNano: bigint
  readonly previousNano: bigint
  readonly reason: string
  readonly acceptedBy: string
  readonly acceptedAt: Date
}

export const rateAcceptance = new EntitySchema<StoredRateAcceptance>({
  name: 'RateAcceptance',
  tableName: 'rate_acceptances',
  columns: {
    id,
    rail: text,
    acceptedNano: bigint,
    previousNano: bigint,
    reason: text,
    acceptedBy: text,
    acceptedAt: time,
  },
})
