// The table of deposits that nobody can explain yet: held in suspense until people have decided.
import { EntitySchema } from 'typeorm'
import { bigint, id, idOf, orNull, text, time } from '../columns'

export interface StoredHeldDeposit {
  readonly id: string
  readonly walletId: string
  readonly bankRef: string
  readonly amountMicroUsdc: bigint | null
  readonly why: string
  readonly foundAt: Date
  readonly resolvedAt: Date | null
  readonly resolvedBy: string | null
  readonly outcome: 'credited' | 'kept' | null
  readonly note: string | null
  readonly requestedMicroUsdc: bigint | null
  readonly requestedBy: string | null
  readonly requestedAs: string | null
  readonly requestedAt: Date | null
  readonly requestNote: string | null
  readonly resolvedAs: string | null
}

export const heldDeposit = new EntitySchema<StoredHeldDeposit>({
  name: 'HeldDeposit',
  tableName: 'held_deposits',
  columns: {
    id,
    walletId: idOf('Wallet'),
    bankRef: text,
    amountMicroUsdc: orNull(bigint),
    why: text,
    foundAt: time,
    resolvedAt: orNull(time),
    resolvedBy: orNull(text),
    outcome: orNull(text),
    note: orNull(text),
    requestedMicroUsdc: orNull(bigint),
    requestedBy: orNull(text),
    requestedAs: orNull(text),
    requestedAt: orNull(time),
    requestNote: orNull(text),
    resolvedAs: orNull(text),
  },
})
