// How far each bank's changed transfers were looked through.
import type { Environment } from '../domain/environment'
import type { Queryable, Statement } from './database'

/** Null when nobody has looked yet. */
export async function findReading(db: Queryable, environment: Environment): Promise<Date | null> {
  const [reading] = await db.query<{ readUntil: Date }>(selectReading, [environment])
  return reading?.readUntil ?? null
}

/** Only ever forward, whoever ends last. */
export async function saveReading(db: Queryable, environment: Environment, readUntil: Date): Promise<void> {
  await db.query(upsertReading, [environment, readUntil])
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
