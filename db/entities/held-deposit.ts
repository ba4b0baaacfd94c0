// The table of deposits that nobody can explain yet: held in suspense until people have decided.
import { EntitySchema } from 'typeorm'
import { bigint, id, idOf, orNull, text, time } from './columns'

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
  },
  uniques: [{ name: 'held_deposits_bank_unique', columns: ['walletId', 'bankRef'] }],
  indices: [{ name: 'held_deposits_open_index', columns: ['foundAt'], where: 'resolved_at IS NULL' }],
  checks: [
    { name: 'held_deposits_amount_check', expression: 'amount_micro_usdc > 0' },
    { name: 'held_deposits_outcome_check', expression: `outcome IN ('credited', 'kept')` },
  ],
})
