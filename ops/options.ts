// The kinds of option values: how each is parsed, and its rule in words for the help and for refusals.
import { readApiKeySecret } from '../db/partners/api-key-secret'
import { environments } from '../domain/environment'
import {
  type Country,
  countries,
  idempotencyKeyPattern,
  isVisibleLine,
  labelMaxLength,
  partnerNameMaxLength,
  payoutLimits,
  slugPattern,
} from '../domain/limits'
import {
  formatPence,
  formatUsdc,
  type Micropounds,
  type MicroUsdc,
  type Pence,
  parseMicropounds,
  parsePence,
  parseUsdc,
} from '../domain/money'
import { type Month, parseMonth } from '../domain/month'
import { type GbpPerUsdNano, parseRate } from '../domain/rate'
import { isUuid } from '../domain/uuid'

export interface Kind<Value> {
  /** The option takes no value. */
  readonly isFlag?: true
  readonly placeholder: string
  /** The values that shell completion offers: these words, or names of files. */
  readonly offers?: readonly string[] | 'files'
  /** Completes the sentence "--option must be …". */
  readonly rule: string
  /** Returns undefined if the text breaks the rule. The text is never blank. */
  parse(text: string): Value | undefined
}

type Presence = 'required' | 'optional'

export interface Option<Value = unknown, P extends Presence = Presence> {
  readonly kind: Kind<Value>
  readonly presence: P
  readonly about: string
}

export type OptionTable = Readonly<Record<string, Option>>

export function required<Value>(kind: Kind<Value>, about: string): Option<Value, 'required'> {
  return { kind, about, presence: 'required' }
}

export function optional<Value>(kind: Kind<Value>, about: string): Option<Value, 'optional'> {
  return { kind, about, presence: 'optional' }
}

const smallestCredit: MicroUsdc = 10_000n
const largestCredit: MicroUsdc = 1_000_000_000_000n

export const slug: Kind<string> = {
  placeholder: '<slug>',
  rule: '2 to 40 lower-case letters, digits and hyphens',
  parse: (text) => (new RegExp(slugPattern).test(text) ? text : undefined),
}

export const flag: Kind<true> = { isFlag: true, placeholder: '', rule: 'without a value', parse: () => true }

export const hash: Kind<string> = {
  placeholder: '<hash>',
  rule: '64 hex digits',
  parse: (text) => (/^[0-9a-f]{64}$/.test(text) ? text : undefined),
}

export const email: Kind<string> = {
  placeholder: '<email>',
  rule: 'an email address, such as ada@acme.test',
  parse: (text) => {
    const address = text.trim().toLowerCase()
    return address.length <= emailMaxLength && emailExpression.test(address) ? address : undefined
  },
}

export const emailOrNone: Kind<string | null> = {
  placeholder: '<email>',
  rule: `${email.rule}, or none`,
  parse: (text) => (text === 'none' ? null : email.parse(text)),
}

export const partnerName = line('<name>', partnerNameMaxLength)
export const label = line('<label>', labelMaxLength)
export const reference = line('<reference>', 100)
export const note = line('<note>', 500)

export const exampleId = '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4'

export const uuid: Kind<string> = {
  placeholder: '<id>',
  rule: `an ID, such as ${exampleId}`,
  parse: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
}

/** A payout's ID, the bank's reference for its transfer, or its Idempotency-Key. */
export const payoutName: Kind<string> = {
  placeholder: '<id>',
  rule: `an ID, such as ${exampleId}, the bank's reference for its transfer, or its Idempotency-Key with --partner`,
  parse: (text) => (keyExpression.test(text) ? text : undefined),
}

export const idempotencyKey: Kind<string> = {
  placeholder: '<key>',
  rule: '8 to 100 letters, digits, "_", "-", ":" or "."',
  parse: (text) => (keyExpression.test(text) ? text : undefined),
}

export const last4: Kind<string> = {
  placeholder: '<digits>',
  rule: 'the last four digits of an account number',
  parse: (text) => (/^\d{4}$/.test(text) ? text : undefined),
}

/** Parses to a function, because "6h" depends on the current time. */
export const since: Kind<(now: Date) => Date> = {
  placeholder: '<time>',
  rule: 'a day in UTC, such as 2026-11-12, or a time before now, such as 45m, 6h or 2d',
  parse: (text) => {
    const from = day.parse(text)
    if (from !== undefined) return () => new Date(`${from}T00:00:00.000Z`)
    const [, count, unit = ''] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? []
    const unitMs = unitsMs.get(unit)
    return unitMs === undefined ? undefined : (now) => new Date(now.getTime() - Number(count) * unitMs)
  },
}

const unitsMs = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

export const reason = line('<reason>', 200)

export const month: Kind<Month> = {
  placeholder: '<month>',
  rule: 'a month, such as 2026-10',
  parse: (text) => parseMonth(text) ?? undefined,
}

export const invoiceNumber: Kind<string> = {
  placeholder: '<number>',
  rule: 'the number of an invoice, such as INV-2026-000123',
  parse: (text) => (/^INV-[\w-]{1,60}$/i.test(text) ? text.toUpperCase() : undefined),
}

/** As YYYY-MM-DD. */
export const day: Kind<string> = {
  placeholder: '<day>',
  rule: 'a day, such as 2026-11-12',
  parse: (text) => {
    const time = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00.000Z`) : null
    // Engines disagree about a day such as 30 February: some turn it into a day in March, others refuse it.
    return time !== null && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) ? text : undefined
  },
}

export const environment = oneOf(environments)
export const theEnvironment = required(environment, 'The environment.')

export const thePayout = required(uuid, 'The payout.')
/** For a command whose only option is a payout. */
export const onePayout = { options: { payout: thePayout }, example: ['--payout', exampleId] }

export const payoutAmount: Kind<Pence> = {
  placeholder: '<pounds>',
  rule: `pounds and pence from ${formatPence(payoutLimits.minPence)} to ${formatPence(payoutLimits.maxPerPayoutPence)}, such as 2.50`,
  parse: (text) => within(parsePence(text), payoutLimits.minPence, payoutLimits.maxPerPayoutPence),
}

export const creditAmount: Kind<MicroUsdc> = {
  placeholder: '<usdc>',
  rule: `USDC with two decimals from ${formatUsdc(smallestCredit)} to ${formatUsdc(largestCredit)}, such as 100.00`,
  parse: (text) => within(parseUsdc(text), smallestCredit, largestCredit),
}

/** Accepts all decimals that the ledger stores. */
export const exactUsdc: Kind<MicroUsdc> = {
  placeholder: '<usdc>',
  rule: 'USDC with two to six decimals, such as 100.00 or 12.345678',
  parse: (text) => within(parseMicropounds(text), 0n, 1_000_000_000_000_000n),
}

const largestCorrection: Pence = 10_000_000n

export const correctionAmount: Kind<Pence> = {
  placeholder: '<pounds>',
  rule: `pounds and pence from 0.01 to ${formatPence(largestCorrection)}, such as 12.50`,
  parse: (text) => within(parsePence(text), 1n, largestCorrection),
}

const largestPrice: Pence = 1_000_000n

export const price: Kind<Pence> = {
  placeholder: '<pounds>',
  rule: `pounds and pence up to ${formatPence(largestPrice)}, such as 0.99`,
  parse: (text) => within(parsePence(text), 0n, largestPrice),
}

export const priceToTheMicropound: Kind<Micropounds> = {
  placeholder: '<pounds>',
  rule: 'pounds with two to six decimals up to 100.00, such as 0.018',
  parse: (text) => within(parseMicropounds(text), 0n, 100_000_000n),
}

export const exchangeRate: Kind<GbpPerUsdNano> = {
  placeholder: '<rate>',
  rule: 'GBP per USD with at most nine decimals, such as 0.7912',
  parse: (text) => parseRate(text) ?? undefined,
}

/** The value is in basis points. */
export const percent: Kind<bigint> = {
  placeholder: '<percent>',
  rule: 'per cent with two decimals up to 100.00, such as 1.00',
  parse: (text) => within(parsePence(text), 0n, 10_000n),
}

export const addressOrNone: Kind<string | null> = {
  placeholder: '<address>',
  rule: 'an address of up to 8 lines of 1 to 100 characters, separated by |, or none',
  parse: (text) => {
    if (text === 'none') return null
    const lines = text.split('|').map((each) => addressLine.parse(each))
    return lines.length <= 8 && !lines.includes(undefined) ? lines.join('\n') : undefined
  },
}

const addressLine = line('<line>', 100)

export const countryList: Kind<readonly Country[]> = {
  placeholder: '<countries>',
  rule: `countries separated by commas, each once, from: ${countries.join(', ')}`,
  parse: (text) => {
    const codes = text.split(',')
    const known = countries.filter((country) => codes.includes(country))
    return known.length === codes.length ? known : undefined
  },
}

export const rateLimit: Kind<number | null> = {
  placeholder: '<per second>',
  rule: 'a whole number from 1 to 10000, or default',
  parse: (text) => {
    if (text === 'default') return null
    return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000 ? Number(text) : undefined
  },
}

/**
 * The ID or prefix, as `key list` shows them. Also accepts a whole secret, because that is all that an operator has
 * after a leak.
 */
export const keyIdOrPrefix: Kind<{ readonly id: string } | { readonly prefix: string }> = {
  placeholder: '<id or prefix>',
  rule: 'the ID of a key or its prefix, as `key list` shows them',
  parse: (text) => {
    if (isUuid(text)) return { id: text.toLowerCase() }
    if (/^kp_(sandbox|live)_[0-9a-f]{1,8}$/.test(text)) return { prefix: text }
    const secret = readApiKeySecret(text)
    return secret === null ? undefined : { prefix: secret.prefix }
  },
}

export function line(placeholder: string, maxLength: number): Kind<string> {
  return {
    placeholder,
    rule: `1 to ${maxLength} visible characters and spaces`,
    parse: (given) => {
      const text = given.trim()
      return Array.from(text).length <= maxLength && isVisibleLine(text) ? text : undefined
    },
  }
}

export function oneOf<const Word extends string>(words: readonly Word[]): Kind<Word> {
  const list = words.join('|')
  const parse = (text: string) => words.find((word) => word === text)
  return { placeholder: `<${list}>`, rule: words.join(' or '), offers: words, parse }
}

function within(amount: bigint | null, min: bigint, max: bigint): bigint | undefined {
  return amount !== null && amount >= min && amount <= max ? amount : undefined
}

const keyExpression = new RegExp(idempotencyKeyPattern)
const emailMaxLength = 254
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const domainLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const emailExpression = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?:${domainLabel}\\.)+[a-z][a-z0-9-]*[a-z0-9]$`)
