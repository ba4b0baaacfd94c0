// The rows that are read most come as one JSON text each: thirty columns take PostgreSQL as long and us twice as long to read.
import { assert } from '../../domain/assert'

/** The statement's row as the only column `found`; a joined table that is selected as a whole is an object in it, or null. */
export function inOneText(select: string): string {
  return `SELECT row_to_json(found) AS found FROM (${select}) found`
}

/** How the columns of a row look in its JSON. */
export type InJson<Row> = { readonly [Name in keyof Row]: Told<Row[Name]> }

type Told<Value> = Value extends bigint ? number : Value extends Date | Buffer ? string : Value

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
