// The position up to which each bank's changed transfers and wallets were read.
import type { Environment } from '../../domain/environment'
import type { Queryable } from '../database'

/** Null before the first read. */
export async function findReading(db: Queryable, environment: Environment): Promise<Date | null> {
  const [reading] = await db.sql<{
    readUntil: Date | null
  }>`SELECT read_until FROM bank_readings WHERE environment = ${environment}`
  return reading?.readUntil ?? null
}

/** Never moves backwards, in whichever order concurrent reads end. */
export async function saveReading(db: Queryable, environment: Environment, readUntil: Date): Promise<void> {
  await db.sql`INSERT INTO bank_readings (environment, read_until) VALUES (${environment}, ${readUntil})
    ON CONFLICT (environment) DO UPDATE SET read_until = greatest(bank_readings.read_until, excluded.read_until)`
}

/** The wallet after which the next reading begins; null when that is the first one. */
export async function findWalletsReadTo(db: Queryable, environment: Environment): Promise<string | null> {
  const [reading] = await db.sql<{
    walletsReadTo: string | null
  }>`SELECT wallets_read_to FROM bank_readings WHERE environment = ${environment}`
  return reading?.walletsReadTo ?? null
}

export async function saveWalletsReadTo(
  db: Queryable,
  environment: Environment,
  walletId: string | null,
): Promise<void> {
  await db.sql`INSERT INTO bank_readings (environment, wallets_read_to) VALUES (${environment}, ${walletId})
    ON CONFLICT (environment) DO UPDATE SET wallets_read_to = excluded.wallets_read_to`
}
