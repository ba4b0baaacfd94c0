// The progress of reads from the bank: how far transfers and wallets were read, undecided movements and failed reads.
import type { Environment } from '../../domain/environment'
import { bigint, entity, integer, orNull, primary, text, time, uuid, walletKey } from '../columns'
import type { Queryable } from '../database'

interface BankReadingRow {
  readonly environment: Environment
  readonly readUntil: Date | null
  readonly walletsReadTo: string | null
}

export const bankReading = entity<BankReadingRow>('BankReading', 'bank_readings', {
  environment: primary(text),
  readUntil: orNull(time),
  walletsReadTo: orNull(uuid),
})

interface UndecidedMovementRow {
  readonly walletId: string
  readonly bankRef: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly amountMicroUsdc: bigint
  readonly transferRef: string | null
  readonly movedAt: Date
  readonly foundAt: Date
}

export const undecidedMovement = entity<UndecidedMovementRow>('UndecidedMovement', 'undecided_movements', {
  walletId: walletKey,
  bankRef: primary(text),
  kind: text,
  amountMicroUsdc: bigint,
  transferRef: orNull(text),
  movedAt: time,
  foundAt: time,
})

export type ReadingFailure = 'no_answer' | 'refused' | 'too_long' | 'failed'

interface WalletReadingFailureRow {
  readonly walletId: string
  readonly since: Date
  readonly failedAt: Date
  readonly failures: number
  readonly reason: ReadingFailure
}

export const walletReadingFailure = entity<WalletReadingFailureRow>('WalletReadingFailure', 'wallet_reading_failures', {
  walletId: walletKey,
  since: time,
  failedAt: time,
  failures: integer,
  reason: text,
})

/** Returns null before the first read. */
export async function findReading(db: Queryable, environment: Environment): Promise<Date | null> {
  return (await db.repo(bankReading).findOneBy({ environment }))?.readUntil ?? null
}

/** Never moves the position backwards, even if concurrent reads finish out of order. */
export async function saveReading(db: Queryable, environment: Environment, readUntil: Date): Promise<void> {
  await db.sql`INSERT INTO bank_readings (environment, read_until) VALUES (${environment}, ${readUntil})
    ON CONFLICT (environment) DO UPDATE SET read_until = greatest(bank_readings.read_until, excluded.read_until)`
}

/** Returns the wallet after which the next read starts, or null to start at the first one. */
export async function findWalletsReadTo(db: Queryable, environment: Environment): Promise<string | null> {
  return (await db.repo(bankReading).findOneBy({ environment }))?.walletsReadTo ?? null
}

export async function saveWalletsReadTo(
  db: Queryable,
  environment: Environment,
  walletId: string | null,
): Promise<void> {
  await db.sql`INSERT INTO bank_readings (environment, wallets_read_to) VALUES (${environment}, ${walletId})
    ON CONFLICT (environment) DO UPDATE SET wallets_read_to = excluded.wallets_read_to`
}
