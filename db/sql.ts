// The `sql` tag builds a statement from a template with values. Values are sent to PostgreSQL as bind parameters and
// never become part of the statement text.
import { createHash } from 'node:crypto'
import { assert } from '../domain/assert'

/** A statement or a fragment of one. A fragment that is interpolated into a template becomes part of its text. */
export interface Sql {
  /** Only this module creates shapes, so no input can become statement text. */
  readonly shape: Shape
  readonly values: readonly Value[]
}

/**
 * The text of a statement or fragment. A template returns the same shape whenever its fragments have the same shapes,
 * so each text is built and hashed once. The cache remains small, because a text contains no values and the program has
 * a limited number of texts.
 */
class Shape {
  private statement: { readonly text: string; readonly name: string } | undefined

  /** `parts` is the text around the values, so there is one more part than values. */
  constructor(readonly parts: readonly string[]) {}

  /**
   * Returns the text with numbered parameters, and the name under which a connection prepares it. PostgreSQL parses and
   * plans a prepared statement once.
   */
  asStatement(): { readonly text: string; readonly name: string } {
    if (this.statement === undefined) {
      const text = this.parts.reduce((before, part, index) => `${before}$${index}${part}`)
      this.statement = { text, name: nameOf(text) }
    }
    return this.statement
  }
}

/**
 * The shapes of one template: a tree with one level for each interpolation, keyed by the shape of the interpolated
 * fragment.
 */
class Shapes {
  shape: Shape | undefined
  private readonly after = new Map<Shape | undefined, Shapes>()

  /** `shape` is undefined if the interpolation is a plain value, not an SQL fragment. */
  next(shape: Shape | undefined): Shapes {
    let next = this.after.get(shape)
    if (next === undefined) {
      next = new Shapes()
      this.after.set(shape, next)
    }
    return next
  }
}

/** An array is a single parameter, for `= ANY (${ids})` and `unnest(${names}::text[])`. */
export type SqlValue = Value | Sql

type Value = Scalar | readonly Value[]
type Scalar = string | number | bigint | boolean | Date | Uint8Array | null

const templates = new WeakMap<TemplateStringsArray, Shapes>()

export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  let shapes = templates.get(strings)
  if (shapes === undefined) {
    shapes = new Shapes()
    templates.set(strings, shapes)
  }
  const bound: Value[] = []
  for (const value of values) {
    if (isFragment(value)) {
      shapes = shapes.next(value.shape)
      bound.push(...value.values)
    } else {
      assert(value !== undefined, 'a value of a statement must not be undefined: use null for NULL')
      shapes = shapes.next(undefined)
      bound.push(value)
    }
  }
  shapes.shape ??= new Shape(partsOf(strings, values))
  return { shape: shapes.shape, values: bound }
}

/** Joins any number of fragments, as in `joined(conditions, ' AND ')`. */
export function joined(fragments: readonly Sql[], separator: ' AND ' | ' OR ' | ', ' | ' UNION ALL '): Sql {
  let shapes = lists[separator]
  for (const { shape } of fragments) shapes = shapes.next(shape)
  shapes.shape ??= new Shape(partsOf(['', ...fragments.slice(1).map(() => separator), ''], fragments))
  return { shape: shapes.shape, values: fragments.flatMap(({ values }) => values) }
}

const lists = { ' AND ': new Shapes(), ' OR ': new Shapes(), ', ': new Shapes(), ' UNION ALL ': new Shapes() }

/** The name of a table or column. Must be a constant. */
export function identifier(name: string): Sql {
  assert(/^[a-z_][a-z0-9_]{0,62}$/.test(name), 'an identifier must be plain snake_case')
  return constant(`"${name}"`)
}

/**
 * A number as part of the statement text, for a LIMIT on which the plan depends. Each number creates a separate
 * statement.
 */
export function literal(number: number): Sql {
  assert(Number.isSafeInteger(number) && number >= 0, 'a number in a statement must be a non-negative integer')
  return constant(String(number))
}

const constant = once((text): Sql => ({ shape: new Shape([text]), values: [] }))

export const nameOf = once((text) => createHash('sha256').update(text).digest('base64url'))

/** Converts a column name to a property name. */
export const camelCase = once((column) =>
  column.replace(/(?<=[^_])_+([a-z0-9])/g, (_, next: string) => next.toUpperCase()),
)

/** Caches the result of `compute` for each text. */
function once<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    let result = known.get(text)
    if (result === undefined) {
      result = compute(text)
      known.set(text, result)
    }
    return result
  }
}

function isFragment(value: SqlValue): value is Sql {
  return typeof value === 'object' && value !== null && 'shape' in value && value.shape instanceof Shape
}

/** Returns the text around the values, with each fragment's text inserted. */
function partsOf(strings: readonly string[], values: readonly SqlValue[]): string[] {
  const parts = [strings[0] ?? '']
  values.forEach((value, index) => {
    const after = strings[index + 1] ?? ''
    if (isFragment(value)) {
      const [first = '', ...others] = value.shape.parts
      parts.push(`${parts.pop()}${first}`, ...others)
      parts.push(`${parts.pop()}${after}`)
    } else {
      parts.push(after)
    }
  })
  return parts
}
