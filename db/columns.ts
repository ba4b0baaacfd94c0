// Defines entities and their column types.
import { EntitySchema, type EntitySchemaColumnOptions, type EntitySchemaOptions } from 'typeorm'
import { identifier, joined, type Sql } from './sql'

type Column = EntitySchemaColumnOptions

export function entity<Row extends object>(
  name: string,
  tableName: string,
  columns: EntitySchemaOptions<Row>['columns'],
): EntitySchema<Row> {
  return new EntitySchema({ name, tableName, columns })
}

export const id: Column = { type: 'uuid', primary: true }
export const sequence: Column = { type: 'bigint', primary: true, generated: 'increment' }
export const uuid: Column = { type: 'uuid' }
export const text: Column = { type: 'text' }
export const integer: Column = { type: 'integer' }
export const bigint: Column = { type: 'bigint' }
export const boolean: Column = { type: 'boolean' }
export const bytes: Column = { type: 'bytea' }
export const time: Column = { type: 'timestamptz' }
export const date: Column = { type: 'date' }

export function primary(column: Column): Column {
  return { ...column, primary: true }
}

export function orNull(column: Column): Column {
  return { ...column, nullable: true }
}

/** A foreign key to another entity's ID. */
export function idOf(target: string): Column {
  return { type: 'uuid', foreignKey: { target } }
}

/** The primary key of a table with at most one row per wallet, or the first column of a composite primary key. */
export const walletKey = primary(idOf('Wallet'))

export function withDefault(column: Column, value: string | number | readonly string[]): Column {
  return { ...column, default: value }
}

/**
 * Lists every column of a table, for statements that read whole rows. With `*`, a migration that adds a column would
 * change the result type of prepared statements in running processes, which PostgreSQL rejects.
 */
export function columnsOf<Row extends object>({ options }: EntitySchema<Row>): Sql {
  const names = Object.keys(options.columns).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  return joined(names.map(identifier), ', ')
}
