// Strict readers for the bank's JSON. They throw an error for an unexpected value instead of guessing.

/** Names the field but not its content, because responses can contain names and account numbers. */
export class Unreadable extends Error {
  constructor(readonly field: string) {
    super(`the bank's answer has no readable ${field}`)
    this.name = 'Unreadable'
  }
}

/** Returns null if the strict reader throws Unreadable. */
export function readable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

export function valueAt(body: unknown, path: string): unknown {
  let value = body
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

export function textAt(body: unknown, path: string): string {
  const value = valueAt(body, path)
  if (typeof value !== 'string' || value === '') throw new Unreadable(path)
  return value
}

/** Returns null if the value is absent, null or empty. Any other value that is not a string is unreadable. */
export function optionalTextAt(body: unknown, path: string): string | null {
  const value = valueAt(body, path) ?? ''
  if (typeof value !== 'string') throw new Unreadable(path)
  return value === '' ? null : value
}

/** Returns false if the value is absent. */
export function flagAt(body: unknown, path: string): boolean {
  const value = valueAt(body, path) ?? false
  if (typeof value !== 'boolean') throw new Unreadable(path)
  return value
}

export function listAt(body: unknown, path: string): readonly unknown[] {
  const value = valueAt(body, path)
  if (!Array.isArray(value)) throw new Unreadable(path)
  return value
}

export function dateAt(body: unknown, path: string): Date {
  const text = textAt(body, path)
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? new Date(text) : null
  if (at === null || Number.isNaN(at.getTime())) throw new Unreadable(path)
  return at
}

/** Returns millionths. */
export function microAt(body: unknown, path: string): bigint {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(textAt(body, path))
  if (match === null) throw new Unreadable(path)
  const [, whole = '', decimals = ''] = match
  return BigInt(whole + decimals.padEnd(6, '0'))
}

/** Returns null if the value is absent, null or empty. */
export function optionalMicroAt(body: unknown, path: string): bigint | null {
  return optionalTextAt(body, path) === null ? null : microAt(body, path)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
