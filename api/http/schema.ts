// The building blocks of request and response schemas (§2 Conventions), with the hints that error details quote.
import { type TSchema, Type } from 'typebox'
import { environments } from '../../domain/environment'
import { linePattern, linesPattern, mailedNamePattern, payoutLimits, visibleLinePattern } from '../../domain/limits'
import { formatPence, moneyMaxLength, moneyPattern, moneyRangePattern } from '../../domain/money'

/**
 * Extra words for people; `x-hint` is the rule that `details` quotes after a field's path. The OpenAPI document shows
 * `x-documented` instead of a schema, for a rule that the handler checks: only there is the caller or the state known.
 */
export interface Words {
  /** Makes the schema a named component of the OpenAPI document. */
  title?: string
  description?: string
  'x-hint'?: string
  'x-documented'?: object
  default?: unknown
}

/** PostgreSQL stores every character but this one. */
const noNull = String.raw`^[^\u0000]*$`

export const MoneyString = (words: Words = {}) => Type.String({ pattern: moneyPattern, maxLength: 18, ...words })

/** An amount of a payout: MoneyString inside the range of §8. */
export const PayoutAmount = (words: Words = {}) =>
  Type.String({
    pattern: moneyRangePattern(payoutLimits.minPence, payoutLimits.maxPerPayoutPence),
    maxLength: moneyMaxLength,
    'x-hint': `from ${formatPence(payoutLimits.minPence)} to ${formatPence(payoutLimits.maxPerPayoutPence)}`,
    ...words,
  })

/** A MoneyString whose range, in hundredths, the handler checks. */
export const MoneyWithin = ({ least, most }: { least: bigint; most: bigint }, words: Words) =>
  MoneyString({
    'x-documented': { type: 'string', pattern: moneyRangePattern(least, most), maxLength: moneyMaxLength },
    ...words,
  })

export const Text = (options: Words & { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ pattern: noNull, ...options })

/** An optional text of one line. */
export const Line = (options: Words & { maxLength: number }) =>
  Type.String({
    pattern: linePattern,
    'x-hint': `at most ${options.maxLength} visible characters and spaces`,
    ...options,
  })

/** A text of one line with at least one visible character. */
export const VisibleLine = (options: Words & { maxLength: number }) =>
  Type.String({ pattern: visibleLinePattern, 'x-hint': visibleHint(options.maxLength), minLength: 1, ...options })

/** A name that our mails show. A web address in it would become a link in a mail of ours. */
export const MailedName = (options: Words & { maxLength: number }) =>
  Type.String({
    pattern: mailedNamePattern,
    'x-hint': `${visibleHint(options.maxLength)}, no web address`,
    minLength: 1,
    ...options,
  })

/** An optional text of several lines. */
export const Lines = (options: Words & { minLength?: number; maxLength: number }) =>
  Type.String({
    pattern: linesPattern,
    'x-hint': `${options.minLength ?? 0} to ${options.maxLength} visible characters, spaces and line breaks`,
    ...options,
  })

const visibleHint = (maxLength: number) => `1 to ${maxLength} visible characters and spaces`

export const Pattern = (pattern: string, words: Words = {}) => Type.String({ pattern, ...words })
export const Uuid = (words: Words = {}) => Type.String({ format: 'uuid', ...words })
export const DateTime = (words: Words = {}) => Type.String({ format: 'date-time', ...words })
/** A moment to compare with: a date-time that PostgreSQL reads too, so no leap second, year 0 or zone that nobody lives in. */
export const Instant = (words: Words = {}) =>
  Type.String({
    format: 'date-time',
    pattern: String.raw`^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+\-](0\d|1[0-4]):[0-5]\d)$`,
    'x-hint': 'a date-time such as 2026-05-01T00:00:00Z',
    ...words,
  })
export const CalendarDate = (words: Words = {}) => Type.String({ format: 'date', ...words })
export const Uri = (words: Words = {}) => Type.String({ format: 'uri', ...words })
export const Email = (words: Words = {}) => Type.String({ format: 'email', maxLength: 254, ...words })
export const OneOf = <const T extends string>(values: readonly T[], words: Words = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...words })
export const Constant = <const T extends string>(value: T, words: Words = {}) =>
  Type.Unsafe<T>({ type: 'string', const: value, ...words })
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** An object that may not have other properties. */
export const Strict = <T extends Record<string, TSchema>>(properties: T, words: Words = {}) =>
  Type.Object(properties, { additionalProperties: false, ...words })

/** An object as we answer it: exactly these properties today, more may be added (design §5), so clients must not mind. */
export const Answer = <T extends Record<string, TSchema>>(properties: T, words: Words = {}) =>
  Type.Object(properties, { ...words })

export const ListOf = <T extends TSchema>(item: T) =>
  Answer({
    object: Constant('list'),
    data: Type.Array(item),
    has_more: Type.Boolean({ description: 'Whether a next page can be asked for.' }),
    next_cursor: Nullable(Type.String({ description: 'Pass it as starting_after to get the next page.' })),
  })

export const EnvironmentName = OneOf(environments)

/** API keys decide the environment themselves, so its value is checked for people only. */
export const EnvironmentParameter = (description: string) =>
  Type.Optional(Type.Unsafe<unknown>({ description, 'x-documented': EnvironmentName }))

/** Accepted on every endpoint. */
export const environmentQuery = {
  environment: EnvironmentParameter(
    'For signed-in people: sandbox, which it is without it, or live; anything else is 422. Ignored for API keys: the key decides the environment.',
  ),
}

/** For routes that take no other query parameter. */
export const EnvironmentQuery = Strict(environmentQuery)

export const ErrorBody = Answer(
  {
    error: Answer({
      code: Type.String(),
      message: Type.String(),
      details: Type.Optional(Type.Unsafe<unknown>({ description: 'What exactly is wrong, where that can be said.' })),
    }),
  },
  { title: 'Error' },
)
