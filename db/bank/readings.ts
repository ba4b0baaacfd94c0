// How far each bank's changed transfers were looked through, and its wallets read.
import type { Environment } from '../../domain/environment'
import type { Queryable, Statement } from '../database'

/** Null when nobody has looked yet. */
export async function findReading(db: Queryable, environment: Environment): Promise<Date | null> {
  const [reading] = await db.query<{ readUntil: Date | null }>(selectReading, [environment])
  return reading?.readUntil ?? null
}

/** Only ever forward, whoever ends last. */
export async function saveReading(db: Queryable, environment: Environment, readUntil: Date): Promise<void> {
  await db.query(upsertReading, [environment, readUntil])
}

/** The wallet after which the next reading begins; null when that is the first one. */
export async function findWalletsReadTo(db: Queryable, environment: Environment): Promise<string | null> {
  const [reading] = await db.query<{ walletsReadTo: string | null }>(selectWalletsReadTo, [environment])
  return reading?.walletsReadTo ?? null
}

export async function saveWalletsReadTo(
  db: Queryable,
  environment: Environment,
  walletId: string | null,
): Promise<void> {
  await db.query(upsertWalletsReadTo, [environment, walletId])
}

const selectReading: Statement = {
  name: 'bank-reading',
  text: 'SELECT read_until AS "readUntil" FROM bank_readings WHERE environment = $1',
}

const upsertReading: Statement = {
  name: 'bank-reading-save',
  text: `INSERT INTO bank_readings (environment, read_until) VALUES ($1, $2)
    ON CONFLICT (environment) DO UPDATE SET read_until = greatest(bank_readings.read_until, excluded.read_until)`,
}

const selectWalletsReadTo: Statement = {
  name: 'bank-wallets-read-to',
  text: 'SELECT wallets_read_to AS "walletsReadTo" FROM bank_readings WHERE environment = $1',
}

const upsertWalletsReadTo: Statement = {
  name: 'bank-wallets-read-to-save',
  text: `INSERT INTO bank_readings (environment, wallets_read_to) VALUES ($1, $2)
    ON CONFLICT (environment) DO UPDATE SET wallets_read_to = excluded.wallets_read_to`,
}
