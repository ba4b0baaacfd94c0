// The table of the bank's events, stored before they are handled and each of them once.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../domain/environment'
import { bytes, id, idOf, orNull, text, time } from '../columns'

export interface BankEventRow {
  readonly id: string
  readonly environment: Environment
  readonly eventId: string
  readonly category: string
  readonly objectRef: string | null
  readonly objectState: string | null
  readonly payoutId: string | null
  /** Nobody writes it: what an event says is asked of the bank. */
  readonly sealed: Buffer | null
  readonly receivedAt: Date
  readonly handledAt: Date | null
  readonly outcome: string | null
  /** When people dealt with what could not be handled, who did, and what they say about it. */
  readonly attendedAt: Date | null
  readonly attendedBy: string | null
  readonly note: string | null
}

export const bankEvent = new EntitySchema<BankEventRow>({
  name: 'BankEvent',
  tableName: 'bank_events',
  columns: {
    id,
    environment: text,
    eventId: text,
    category: text,
    objectRef: orNull(text),
    objectState: orNull(text),
    payoutId: orNull(idOf('Payout')),
    sealed: orNull(bytes),
    receivedAt: time,
    handledAt: orNull(time),
    outcome: orNull(text),
    attendedAt: orNull(time),
    attendedBy: orNull(text),
    note: orNull(text),
  },
})
