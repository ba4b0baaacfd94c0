// The building blocks of request and response schemas, with the hints that error details quote.
import { type TSchema, Type } from 'typebox'
import { environments } from '../../domain/environment'
import {
  linePattern,
  linesPattern,
  mailedNamePattern,
  portableLinePattern,
  portableLinesPattern,
  portableVisibleLinePattern,
  visibleLinePattern,
} from '../../domain/limits'
import { moneyMaxLength, moneyPattern, moneyRangePattern } from '../../domain/money'

/**
 * Annotations of a schema. `x-hint` is the rule that error details quote after the path of a field. `x-documented`
 * replaces the schema in the OpenAPI document. It is for rules that depend on the caller or on stored state, which
 * the handler checks. `x-pattern` is a second pattern that the document omits, because only JavaScript can read it.
 */
interface Annotations {
  /** Makes the schema a named component of the OpenAPI document. */
  title?: string
  description?: string
  'x-hint'?: string
  'x-documented'?: object
  'x-pattern'?: string
  default?: unknown
  example?: string
}

/** PostgreSQL cannot store NUL. */
const noNull = String.raw`^[^\x00]*$`

export const MoneyString = (annotations: Annotations = {}) =>
  Type.String({ pattern: moneyPattern, maxLength: 18, ...annotations })

/** A MoneyString with a range, in hundredths, that the handler checks. */
export const MoneyWithin = ({ least, most }: { least: bigint; most: bigint }, annotations: Annotations) =>
  MoneyString({
    'x-documented': { type: 'string', pattern: moneyRangePattern(least, most), maxLength: moneyMaxLength },
    ...annotations,
  })

export const Text = (options: Annotations & { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ pattern: noNull, ...options })

/** A single line of text, which may be empty. */
export const Line = (options: Annotations & { maxLength: number }) =>
  Type.String({
    pattern: portableLinePattern,
    'x-pattern': linePattern,
    'x-hint': `at most ${options.maxLength} visible characters and spaces`,
    ...options,
  })

/** A single line of text with at least one visible character. */
export const VisibleLine = (options: Annotations & { maxLength: number }) =>
  Type.String({
    pattern: portableVisibleLinePattern,
    'x-pattern': visibleLinePattern,
    'x-hint': visibleHint(options.maxLength),
    minLength: 1,
    ...options,
  })

/** A name that our emails show. Mail clients would turn a web address in it into a link. */
export const MailedName = (options: Annotations & { maxLength: number }) =>
  Type.String({
    pattern: portableVisibleLinePattern,
    'x-pattern': mailedNamePattern,
    'x-hint': `${visibleHint(options.maxLength)}, no web address`,
    minLength: 1,
    ...options,
  })

/** Text with line breaks. It may be empty unless `minLength` is given. */
export const Lines = (options: Annotations & { minLength?: number; maxLength: number }) =>
  Type.String({
    pattern: portableLinesPattern,
    'x-pattern': linesPattern,
    'x-hint': `${options.minLength ?? 0} to ${options.maxLength} visible characters, spaces and line breaks`,
    ...options,
  })

const visibleHint = (maxLength: number) => `1 to ${maxLength} visible characters and spaces`

export const Pattern = (pattern: string, annotations: Annotations = {}) => Type.String({ pattern, ...annotations })
export const Uuid = (annotations: Annotations = {}) => Type.String({ format: 'uuid', ...annotations })
export const DateTime = (annotations: Annotations = {}) => Type.String({ format: 'date-time', ...annotations })
/** A date-time that PostgreSQL also accepts: no leap second, no year 0, no offset beyond 14:59. */
export const Instant = (annotations: Annotations = {}) =>
  Type.String({
    format: 'date-time',
    pattern: String.raw`^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+\-](0\d|1[0-4]):[0-5]\d)$`,
    'x-hint': 'a date-time such as 2026-05-01T00:00:00Z',
    ...annotations,
  })
export const CalendarDate = (annotations: Annotations = {}) => Type.String({ format: 'date', ...annotations })
export const Uri = (annotations: Annotations = {}) => Type.String({ format: 'uri', ...annotations })
export const Email = (annotations: Annotations = {}) => Type.String({ format: 'email', maxLength: 254, ...annotations })
export const OneOf = <const T extends string>(values: readonly T[], annotations: Annotations = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...annotations })
/** One of the values, or several separated by commas. */
export const SeveralOf = (values: readonly string[], annotations: Annotations = {}) => {
  const value = `(${values.join('|')})`
  const hint = `one or several of ${values.join(', ')}, separated by commas`
  return Pattern(`^${value}(,${value}){0,${values.length - 1}}$`, { 'x-hint': hint, ...annotations })
}
/** The values of a SeveralOf, each once. */
export function severalIn<const T extends string>(values: readonly T[], list: string | undefined): T[] | undefined {
  const given = list?.split(',')
  return given && values.filter((value) => given.includes(value))
}
export const Constant = <const T extends string>(value: T, annotations: Annotations = {}) =>
  Type.Unsafe<T>({ type: 'string', const: value, ...annotations })
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** An object that must not have other properties. */
export const Strict = <T extends Record<string, TSchema>>(properties: T, annotations: Annotations = {}) =>
  Type.Object(properties, { additionalProperties: false, ...annotations })

/** An object in a response. Properties may be added later, so clients must ignore unknown ones. */
export const Answer = <T extends Record<string, TSchema>>(properties: T, annotations: Annotations = {}) =>
  Type.Object(properties, { ...annotations })

/** A response that is a named component of the OpenAPI document. */
export const Component = <T extends Record<string, TSchema>>(title: string, properties: T) =>
  Answer(properties, { title })

/** A request body, which is a named component of the OpenAPI document. */
export const Body = <T extends Record<string, TSchema>>(title: string, properties: T) => Strict(properties, { title })

export const ListOf = <T extends TSchema>(item: T) =>
  Answer({
    object: Constant('list'),
    data: Type.Array(item),
    has_more: Type.Boolean({ description: 'Whether there is another page.' }),
    next_cursor: Nullable(Type.String({ description: 'Pass it as starting_after to get the next page.' })),
  })

export const EnvironmentName = OneOf(environments, { title: 'Environment' })

/** An API key has its own environment, so the value is validated for people only. */
export const EnvironmentParameter = (description: string) =>
  Type.Optional(Type.Unsafe<unknown>({ description, 'x-documented': EnvironmentName }))

/** Accepted on every endpoint. */
export const environmentQuery = {
  environment: EnvironmentParameter(
    'For signed-in users: sandbox (the default) or live. Any other value is refused with 422. Ignored for API keys, which have their own environment.',
  ),
}

export const IdParams = Answer({ id: Uuid() })

/** For routes that accept no other query parameter. */
export const EnvironmentQuery = Strict(environmentQuery)

export const ErrorBody = Answer(
  {
    error: Answer({
      code: Type.String({
        description: 'A stable code for programs. Each response lists its codes. Handle an unknown code by its status.',
      }),
      message: Type.String({ description: 'A sentence for people. It can change at any time.' }),
      details: Type.Optional(Type.Unsafe<unknown>({ description: 'Details about the cause, if available.' })),
    }),
  },
  { title: 'ErrorBody' },
)
