// Reads a row as one JSON text, for the most frequent reads. Parsing thirty separate columns takes twice as long.
import { assert } from '../../domain/assert'
import type { Queryable } from '../database'
import {
  type Caller,
  type CallerRow,
  callerFields,
  callerFrom,
  isActiveKeyWithDigest,
  keysWithPartner,
} from '../sign-in/callers'
import { type Sql, sql } from '../sql'

/**
 * Returns the row in one column, `found`. A joined table that is selected as a whole becomes a nested object, or
 * null.
 */
export function inOneText(select: Sql): Sql {
  return sql`SELECT row_to_json(found) AS found FROM (${select}) found`
}

/** Finds the caller of an API key and one of their payouts in one statement. */
export async function findWithCaller<Row>(
  db: Queryable,
  digest: Buffer,
  { columns, isWanted }: { readonly columns: Sql; readonly isWanted: Sql },
): Promise<{ caller: Caller; payout: InJson<Row> | null } | null> {
  const [row] = await db.run<{ found: CallerRow & { payout: InJson<Row> | null } }>(
    inOneText(sql`SELECT ${callerFields}, payout FROM ${keysWithPartner}
    LEFT JOIN LATERAL (SELECT ${columns} FROM payouts
      WHERE partner_id = p.id AND environment = k.environment AND ${isWanted}) payout ON true
    WHERE ${isActiveKeyWithDigest(digest)}`),
  )
  return row ? { caller: callerFrom(row.found), payout: row.found.payout } : null
}

/** The types of a row's columns in its JSON. */
export type InJson<Row> = { readonly [Name in keyof Row]: JsonValue<Row[Name]> }

type JsonValue<Value> = Value extends bigint ? number : Value extends Date | Buffer ? string : Value

export function bigintFrom(number: number): bigint {
  assert(Number.isSafeInteger(number), 'an amount in JSON must be a safe integer')
  return BigInt(number)
}

export function dateFrom(text: string): Date {
  return new Date(text)
}

export function dateOrNull(text: string | null): Date | null {
  return text === null ? null : dateFrom(text)
}

/** PostgreSQL writes bytes as \x and hex digits. */
export function bytesFrom(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}
