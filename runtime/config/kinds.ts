// The kinds of setting values: how each is parsed, and the error message for a wrong value.
import { createPrivateKey, X509Certificate } from 'node:crypto'

export interface Kind<Value> {
  /** Completes the sentence "<name> must be …", in error messages and in docs/configuration.md. */
  readonly mustBe: string
  /** Undefined if the text is not a valid value. */
  readonly parse: (text: string) => Value | undefined
  /** Placeholder for a wrong value until all mistakes are reported. No caller ever receives it. */
  readonly onMistake: Value
}

/** One key in the keyring. The first key in SECRET_KEYS encrypts, and all of them decrypt. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Buffer
}

export interface Mailbox {
  readonly name: string
  readonly address: string
}

export const text: Kind<string> = { mustBe: 'any text', parse: (value) => value, onMistake: '' }

export const name = matching(/^[A-Za-z0-9_.-]{1,100}$/, '1 to 100 letters, digits, dots, hyphens and underscores')

export const operatorName = matching(
  /^[A-Za-z0-9_.@+-]{1,60}$/,
  '1 to 60 letters, digits and . _ @ + -, without spaces',
)

export const certificates: Kind<string> = {
  mustBe: 'one or more certificates in PEM format',
  parse: (pem) => {
    const parts = pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? []
    return parts.length > 0 && parts.every((part) => parses(() => new X509Certificate(part))) ? pem : undefined
  },
  onMistake: '',
}

export const privateKey: Kind<string> = {
  mustBe: 'a private key in PEM format, without a passphrase',
  parse: (pem) => (parses(() => createPrivateKey(pem)) ? pem : undefined),
  onMistake: '',
}

/** Lines are separated by a line break, by the two characters \n, or by a bar. */
export const lines: Kind<readonly string[]> = {
  mustBe: 'lines separated by |',
  parse: (value) =>
    value
      .split(/\n|\\n|\|/)
      .map((line) => line.trim())
      .filter(Boolean),
  onMistake: [],
}

export const mailbox: Kind<Mailbox> = {
  mustBe: 'an email address, such as billing@example.com or Example <billing@example.com>',
  parse: (value) => {
    const [, before = '', inside, alone] = /^(?:([^<>\r\n]*)<([^<>\s]+)>|([^<>\s]+))$/.exec(value) ?? []
    const address = inside ?? alone ?? ''
    return /^[^\s@]+@[^\s@]+$/.test(address) ? { name: before.trim(), address } : undefined
  },
  onMistake: { name: '', address: '' },
}

export const secretKeys: Kind<readonly SecretKey[]> = {
  mustBe: 'a comma-separated list of <id>:<64 hex digits>, each id once, the current key first',
  parse: (value) => {
    const matches = value
      .split(',')
      .filter(Boolean)
      .map((part) => /^([a-z0-9]{1,16}):([0-9a-f]{64})$/.exec(part))
    const keys = matches.flatMap((match) =>
      match?.[1] && match[2] ? [{ id: match[1], bytes: Buffer.from(match[2], 'hex') }] : [],
    )
    const ids = new Set(keys.map(({ id }) => id))
    return keys.length > 0 && keys.length === matches.length && ids.size === keys.length ? keys : undefined
  },
  onMistake: [],
}

/** Encoded like a W3C baggage header, as OpenTelemetry requires. */
export const headers: Kind<Readonly<Record<string, string>>> = {
  mustBe: 'comma-separated <name>=<value> pairs, the values percent-encoded',
  parse: (value) => {
    const pairs = value.split(',').filter(Boolean)
    const matches = pairs.map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair))
    const entries = matches.flatMap((match) => {
      const decoded = decodeHeaderValue(match?.[2] ?? '')
      return match?.[1] === undefined || decoded === null ? [] : [[match[1], decoded] as const]
    })
    return entries.length === pairs.length ? Object.fromEntries(entries) : undefined
  },
  onMistake: {},
}

export const ratio: Kind<number> = {
  mustBe: 'a number from 0 to 1, such as 0.1',
  parse: (value) => (/^\d*\.?\d+$/.test(value) && Number(value) <= 1 ? Number(value) : undefined),
  onMistake: 0,
}

export function integer(min: number, max: number): Kind<number> {
  return {
    mustBe: `a whole number from ${min} to ${max}`,
    parse: (value) => (isIntegerWithin(value, min, max) ? Number(value) : undefined),
    onMistake: min,
  }
}

export function integers(min: number, max: number): Kind<readonly number[]> {
  return {
    mustBe: `whole numbers from ${min} to ${max}, separated by commas`,
    parse: (value) => {
      const parts = value.split(',')
      return parts.every((part) => isIntegerWithin(part, min, max)) ? parts.map(Number) : undefined
    },
    onMistake: [],
  }
}

/** Parsed to basis points, so that no calculation uses floats. */
export function percent(min: number, max: number): Kind<number> {
  return {
    mustBe: `a percentage from ${min} to ${max}, with at most two decimals`,
    parse: (value) => {
      const [, whole, part = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(value) ?? []
      if (whole === undefined) return undefined
      const basisPoints = Number(whole) * 100 + Number(part.padEnd(2, '0'))
      return basisPoints >= Math.round(min * 100) && basisPoints <= Math.round(max * 100) ? basisPoints : undefined
    },
    onMistake: 0,
  }
}

export function oneOf<const T extends string>(first: T, ...others: readonly T[]): Kind<T> {
  const allowed = [first, ...others]
  return {
    mustBe: `one of: ${allowed.join(', ')}`,
    parse: (value) => allowed.find((each) => each === value),
    onMistake: first,
  }
}

/** Accepts our own values and the values that Temporal's programs use. */
export const onOffOrBoolean: Kind<'on' | 'off'> = {
  mustBe: 'one of: on, off, true, false',
  parse: (value) => {
    if (['on', 'true', '1'].includes(value)) return 'on'
    return ['off', 'false', '0'].includes(value) ? 'off' : undefined
  },
  onMistake: 'off',
}

/** Each protocol is written with its colon, as in `new URL().protocol`. */
export function url(...protocols: readonly string[]): Kind<string> {
  return {
    mustBe: `a URL that starts with ${protocols.join('// or ')}//`,
    parse: (value) => (URL.canParse(value) && protocols.includes(new URL(value).protocol) ? value : undefined),
    onMistake: '',
  }
}

function matching(pattern: RegExp, mustBe: string): Kind<string> {
  return { mustBe, parse: (value) => (pattern.test(value) ? value : undefined), onMistake: '' }
}

function isIntegerWithin(value: string, min: number, max: number): boolean {
  return /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max
}

/** Null if the text cannot be a header value. */
function decodeHeaderValue(value: string): string | null {
  try {
    const decoded = decodeURIComponent(value)
    return /^[\x20-\x7e]+$/.test(decoded) ? decoded : null
  } catch {
    return null
  }
}

function parses(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}
