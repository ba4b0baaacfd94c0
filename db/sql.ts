// The `sql` tag: a statement with its values in place. PostgreSQL receives them as bind parameters and never as text.
import { createHash } from 'node:crypto'
import { assert } from '../domain/assert'

/** A statement or a part of one. Nests: a fragment inside a template becomes part of its text. */
export interface Sql {
  /** Only this module has the symbol, so no input can pass as text of a statement. */
  readonly [isSql]: true
  /** The text around the values. There is one part more than values. */
  readonly parts: readonly string[]
  readonly values: readonly Value[]
}

/** An array is one parameter, for `= ANY (${ids})` and `unnest(${names}::text[])`. */
export type SqlValue = Value | Sql

type Value = Scalar | readonly Value[]
type Scalar = string | number | bigint | boolean | Date | Uint8Array | null

const isSql = Symbol('sql')

export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  const parts = [strings[0] ?? '']
  const bound: Value[] = []
  values.forEach((value, index) => {
    const after = strings[index + 1] ?? ''
    if (isFragment(value)) {
      append(parts, value.parts, after)
      bound.push(...value.values)
    } else {
      assert(value !== undefined, 'a value of a statement must not be undefined: NULL is null')
      parts.push(after)
      bound.push(value)
    }
  })
  return { [isSql]: true, parts, values: bound }
}

/** Joins any number of conditions: `joined(conditions, ' AND ')`. */
export function joined(fragments: readonly Sql[], separator: ' AND ' | ' OR ' | ', '): Sql {
  const parts = ['']
  fragments.forEach((fragment, index) => append(parts, fragment.parts, index + 1 < fragments.length ? separator : ''))
  return { [isSql]: true, parts, values: fragments.flatMap(({ values }) => values) }
}

/** The name of a table or column. It must be a constant. */
export function identifier(name: string): Sql {
  assert(/^[a-z_][a-z0-9_]{0,62}$/.test(name), 'an identifier must be plain snake_case')
  return { [isSql]: true, parts: [`"${name}"`], values: [] }
}

/** A number in the text of a statement, for a LIMIT on which the plan depends. Each number makes a statement of its own. */
export function literal(number: number): Sql {
  assert(Number.isSafeInteger(number) && number >= 0, 'a number in a statement must be a whole one')
  return { [isSql]: true, parts: [String(number)], values: [] }
}

/** The same fragment as a statement with numbered parameters. */
export function textOf({ parts }: Sql): string {
  return parts.reduce((text, part, index) => `${text}$${index}${part}`)
}

/**
 * The name under which a connection prepares a statement, so that PostgreSQL parses and plans it once. The cache stays small,
 * because values are not part of the text and a program has few texts.
 */
export function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const names = new Map<string, string>()

/** The property name of a column. */
export function camelCase(column: string): string {
  const known = properties.get(column)
  if (known !== undefined) return known
  const property = column.replace(/(?<=[^_])_+([a-z0-9])/g, (_, next: string) => next.toUpperCase())
  properties.set(column, property)
  return property
}

const properties = new Map<string, string>()

function isFragment(value: SqlValue): value is Sql {
  return typeof value === 'object' && value !== null && isSql in value
}

/** Appends the fragment to the last part, and `after` to the fragment. */
function append(parts: string[], fragment: readonly string[], after: string): void {
  const [first = '', ...others] = fragment
  parts.push(`${parts.pop()}${first}`, ...others)
  parts.push(`${parts.pop()}${after}`)
}
