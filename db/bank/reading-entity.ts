// The tables of readings from the bank: how far each got, what it could not decide, and which wallets failed; and of the sweep.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../domain/environment'
import { bigint, idOf, integer, orNull, text, time, uuid } from '../columns'

export interface StoredBankReading {
  readonly environment: Environment
  readonly readUntil: Date | null
  readonly walletsReadTo: string | null
}

export const bankReading = new EntitySchema<StoredBankReading>({
  name: 'BankReading',
  tableName: 'bank_readings',
  columns: { environment: { ...text, primary: true }, readUntil: orNull(time), walletsReadTo: orNull(uuid) },
})

export interface StoredUndecidedMovement {
  readonly walletId: string
  readonly bankRef: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly amountMicroUsdc: bigint
  readonly transferRef: string | null
  readonly movedAt: Date
  readonly foundAt: Date
}

export const undecidedMovement = new EntitySchema<StoredUndecidedMovement>({
  name: 'UndecidedMovement',
  tableName: 'undecided_movements',
  columns: {
    walletId: { ...idOf('Wallet'), primary: true },
    bankRef: { ...text, primary: true },
    kind: text,
    amountMicroUsdc: bigint,
    transferRef: orNull(text),
    movedAt: time,
    foundAt: time,
  },
})

export type ReadingFailure = 'no_answer' | 'refused' | 'too_long' | 'failed'

export interface StoredWalletReadingFailure {
  readonly walletId: string
  readonly since: Date
  readonly failedAt: Date
  readonly failures: number
  readonly reason: ReadingFailure
}

export const walletReadingFailure = new EntitySchema<StoredWalletReadingFailure>({
  name: 'WalletReadingFailure',
  tableName: 'wallet_reading_failures',
  columns: {
    walletId: { ...idOf('Wallet'), primary: true },
    since: time,
    failedAt: time,
    failures: integer,
    reason: text,
  },
})

export interface StoredSweepPosition {
  readonly stage: string
  readonly after: string
}

export const sweepPosition = new EntitySchema<StoredSweepPosition>({
  name: 'SweepPosition',
  tableName: 'sweep_positions',
  columns: { stage: { ...text, primary: true }, after: text },
})
