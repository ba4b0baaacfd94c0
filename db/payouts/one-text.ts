// Reads a row as one JSON text. This is faster for the most frequent reads: parsing thirty columns takes twice as long.
import { assert } from '../../domain/assert'
import { type Sql, sql } from '../sql'

/** Returns the row in one column, `found`. A joined table that is selected as a whole becomes an object in it, or null. */
export function inOneText(select: Sql): Sql {
  return sql`SELECT row_to_json(found) AS found FROM (${select}) found`
}

/** The types of a row's columns in its JSON. */
export type InJson<Row> = { readonly [Name in keyof Row]: JsonValue<Row[Name]> }

type JsonValue<Value> = Value extends bigint ? number : Value extends Date | Buffer ? string : Value

export function bigintFrom(number: number): bigint {
  assert(Number.isSafeInteger(number), 'an amount in JSON must have kept all its digits')
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
