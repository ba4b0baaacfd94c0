// Reads a row as one JSON text. Used for the most frequent reads, because parsing thirty columns takes twice as long.
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
 * Returns the row in one column, `found`. A joined table that is selected by its alias becomes a nested object, or null
 * if no row matched.
 */
export function inOneText(select: Sql): Sql {
  return sql`SELECT row_to_json(found) AS found FROM (${select}) found`
}

/** Finds the caller that an API key identifies, and one of the caller's rows, in one statement. */
export async function findWithCaller<Row>(
  db: Queryable,
  digest: Buffer,
  { columns, table, isWanted }: { readonly columns: Sql; readonly table: Sql; readonly isWanted: Sql },
): Promise<{ caller: Caller; row: InJson<Row> | null } | null> {
  const [found] = await db.run<{ found: CallerRow & { row: InJson<Row> | null } }>(
    inOneText(sql`SELECT ${callerFields}, wanted AS row FROM ${keysWithPartner}
    LEFT JOIN LATERAL (SELECT ${columns} FROM ${table}
      WHERE partner_id = p.id AND environment = k.environment AND ${isWanted}) wanted ON true
    WHERE ${isActiveKeyWithDigest(digest)}`),
  )
  return found ? { caller: callerFrom(found.found), row: found.found.row } : null
}

/** The types of a row's columns after conversion to JSON. */
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
