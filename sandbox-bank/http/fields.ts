// Reads and validates fields of a request body by their dotted names.
import { parseDecimal } from '../money'
import { invalid } from './errors'

interface Limits {
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
  readonly says?: string
}

/** Null if the field is absent or null. */
export function optionalText(body: unknown, key: string, limits: Limits = {}): string | null {
  const value = valueAt(body, key)
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw invalid(key, `${key} must be a string.`)
  const { min = 0, max = 1_024, pattern, says } = limits
  const length = Array.from(value).length
  if (length < min || length > max) throw invalid(key, `${key} must have ${min} to ${max} characters.`)
  if (pattern && !pattern.test(value)) throw invalid(key, `${key} ${says ?? 'has the wrong format'}.`)
  return value
}

export function requiredText(body: unknown, key: string, limits: Limits = {}): string {
  const value = optionalText(body, key, { min: 1, ...limits })
  if (value === null) throw invalid(key, `${key} is required.`)
  return value
}

/** Null if the field is absent or null. */
export function optionalChoice<T extends string>(body: unknown, key: string, choices: readonly T[]): T | null {
  const value = valueAt(body, key)
  return value === undefined || value === null ? null : requiredChoice(body, key, choices)
}

export function requiredChoice<T extends string>(body: unknown, key: string, choices: readonly T[]): T {
  const value = requiredText(body, key)
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw invalid(key, `${key} must be one of ${choices.join(', ')}.`)
  return found
}

/**
 * Returns minor units, or null if the field is absent. Rejects anything except a plain, non-negative decimal string.
 */
export function optionalAmount(body: unknown, key: string, places: number): bigint | null {
  const text = optionalText(body, key)
  if (text === null) return null
  const amount = parseDecimal(text, places)
  if (amount === null) throw invalid(key, `${key} must be a decimal string with at most ${places} places.`)
  return amount
}

/** Returns minor units above zero. */
export function requiredAmount(body: unknown, key: string, places: number): bigint {
  const amount = optionalAmount(body, key, places)
  if (amount === null) throw invalid(key, `${key} is required.`)
  if (amount === 0n) throw invalid(key, `${key} must be above zero.`)
  return amount
}

/** Undefined if any part of the path is missing. */
export function valueAt(body: unknown, key: string): unknown {
  let value = body
  for (const name of key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name) as unknown
  }
  return value
}

/** The entries of a JSON object or array. Empty for any other value. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
