// One row of the settings table, and the constructors that keep the table short.
import type { Kind } from './kinds'

export interface Setting<Value> {
  readonly kind: Kind<Value>
  readonly presence: Presence<Value>
  /** Markdown, one line. */
  readonly description: string
  /** Narrower bounds that apply in production only. */
  readonly inProduction?: Kind<Value>
  /**
   * Temporal's own name for this variable, without its suffix: `_DATA` for the value, `_PATH` for a file with the
   * value.
   */
  readonly alsoNamed?: string
}

interface Variable {
  readonly variable: string
  readonly holds: 'value' | 'file'
  /** The name in messages about a wrong value. */
  readonly shown: string
}

/**
 * The variables that can contain a setting's value or the path of a file with the value. A file is safer, because
 * process and container listings show the values of variables.
 */
export function variablesOf(name: string, { alsoNamed }: Pick<Setting<unknown>, 'alsoNamed'>): Variable[] {
  const own: Variable[] = [
    { variable: name, holds: 'value', shown: name },
    { variable: `${name}_FILE`, holds: 'file', shown: name },
  ]
  if (alsoNamed === undefined) return own
  const [data, path] = [`${alsoNamed}_DATA`, `${alsoNamed}_PATH`]
  return [...own, { variable: data, holds: 'value', shown: data }, { variable: path, holds: 'file', shown: path }]
}

/** How a missing variable is handled: parse a default, use the value `otherwise`, or report a mistake. */
export type Presence<Value> =
  | { readonly default: string }
  /** `shown` describes the default in docs/configuration.md. */
  | { readonly otherwise: Value; readonly shown: string }
  /** `with` names the setting whose use requires this one. */
  | { readonly required: true; readonly with: string | null }

export function setting<Value>(
  kind: Kind<Value>,
  defaultValue: string | number | readonly number[],
  description: string,
): Setting<Value> {
  return { kind, presence: { default: String(defaultValue) }, description }
}

/** Null if the variable is not set. `shown` describes a default that the code computes from other settings. */
export function optional<Value>(kind: Kind<Value>, description: string, shown = 'none'): Setting<Value | null> {
  return { kind, presence: { otherwise: null, shown }, description }
}

export function required<Value>(kind: Kind<Value>, description: string): Setting<Value> {
  return { kind, presence: { required: true, with: null }, description }
}

export function requiredWith<Value>(other: string, kind: Kind<Value>, description: string): Setting<Value> {
  return { kind, presence: { required: true, with: other }, description }
}
