// Compiles schemas once, at start, and turns what Ajv finds into the codes of §7 in the order of design §5.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { ApiError } from '../errors'

/** As PostgreSQL takes it: ajv-formats' own would let `urn:uuid:…` through. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export type Check = (value: unknown) => void

/** Values are taken as they are: a number is not a string. */
const ajv = createAjv()

export function compileBody(schema: TSchema): Check {
  return throwing(ajv.compile(schema), bodyFault)
}

export function compileQuery(schema: TSchema): Check {
  const check = throwing(ajv.compile(schema), (errors) => invalidRequest(errors, 'query parameter'))
  return (query) => {
    readWholeNumbers(query, schema)
    check(query)
  }
}

/** A malformed id is answered like one that does not exist. */
export function compileParams(schema: TSchema): Check {
  return throwing(ajv.compile(schema), () => new ApiError('not_found'))
}

/** For tests: whether an answer is of the shape that was promised. */
export function compileReply(schema: TSchema): ValidateFunction {
  return ajv.compile(schema)
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true, verbose: true, useDefaults: true, allowUnionTypes: true })
  addFormats(ajv, ['date', 'date-time', 'email', 'uri'])
  ajv.addFormat('uuid', uuidPattern)
  ajv.addKeyword({ keyword: 'x-hint', schemaType: 'string' })
  ajv.addKeyword({ keyword: 'x-documented', schemaType: 'object' })
  return ajv
}

function throwing(validate: ValidateFunction, fault: (errors: ErrorObject[]) => ApiError): Check {
  return (value) => {
    if (!validate(value)) throw fault(validate.errors ?? [])
  }
}

/** A query knows only texts. Ajv would read `1e2`, `0x10` and ` 7 ` as numbers too; here a number is its digits. */
function readWholeNumbers(query: unknown, schema: TSchema): void {
  const properties: unknown = 'properties' in schema ? schema.properties : undefined
  if (!isRecord(query) || !isRecord(properties)) return
  for (const [name, rule] of Object.entries(properties)) {
    const text = query[name]
    const isDigits = typeof text === 'string' && /^\d{1,9}$/.test(text)
    if (isDigits && asRecord(rule)?.['type'] === 'integer') query[name] = Number(text)
  }
}

/** Several faults: amount, then recipient, then country, then the rest (design §5). */
function bodyFault(errors: readonly ErrorObject[]): ApiError {
  const about = (field: string) => errors.filter((error) => pathOf(error).split('.')[0] === field && isKnown(error))
  if (about('amount_gbp').length > 0) return new ApiError('invalid_amount')
  const recipient = about('recipient')
  if (recipient.length > 0) return new ApiError('invalid_recipient', { details: { missing: describe(recipient) } })
  if (about('country').length > 0) return new ApiError('corridor_not_enabled')
  return invalidRequest(errors, 'field')
}

/** An unknown property at the top level that happens to share a name's beginning is not about that field. */
function isKnown(error: ErrorObject): boolean {
  return error.keyword !== 'additionalProperties' || error.instancePath !== ''
}

function invalidRequest(errors: readonly ErrorObject[], noun: string): ApiError {
  return new ApiError('invalid_request', {
    message: `A ${noun} is missing, malformed, or unknown.`,
    details: { errors: describe(errors) },
  })
}

/** The first ones: a longer list helps no caller, and its length is up to the caller. */
function describe(errors: readonly ErrorObject[]): string[] {
  return [...new Set(errors.filter((error) => !isAboutNull(error)).flatMap(describeError))].slice(0, maxReported)
}

const maxReported = 20

/** What may be null and is wrong is told by the rule for what is not null: that it is not null either helps nobody. */
function isAboutNull({ keyword, params, parentSchema }: ErrorObject): boolean {
  if (keyword === 'type') return params['type'] === 'null'
  const choices: unknown = keyword === 'anyOf' ? parentSchema?.['anyOf'] : undefined
  return Array.isArray(choices) && choices.some((choice) => asRecord(choice)?.['type'] === 'null')
}

function describeError(error: ErrorObject): string[] {
  const path = pathOf(error)
  if (error.keyword === 'additionalProperties') return [`${path} (unknown field)`]
  if (error.keyword === 'required') return describeRule(path, schemaOfMissing(error), 'required')
  const message = error.message ?? 'not valid'
  if (path === '') return [`body (${message})`]
  return describeRule(path, error.parentSchema, message)
}

/** An object that is not there is told by the fields it must have, each with its own rule. */
function describeRule(path: string, schema: Record<string, unknown> | undefined, otherwise: string): string[] {
  const { properties, required, 'x-hint': hint } = schema ?? {}
  if (!isRecord(properties) || !Array.isArray(required))
    return [`${path} (${typeof hint === 'string' ? hint : otherwise})`]
  return required.flatMap((name) => describeRule(`${path}.${name}`, asRecord(properties[String(name)]), otherwise))
}

function pathOf(error: ErrorObject): string {
  const at = error.instancePath.split('/').slice(1)
  const property = error.params['missingProperty'] ?? error.params['additionalProperty']
  return [...at, ...(typeof property === 'string' ? [property.slice(0, 80)] : [])].join('.')
}

function schemaOfMissing(error: ErrorObject): Record<string, unknown> | undefined {
  const properties: unknown = error.parentSchema?.['properties']
  const missing: unknown = error.params['missingProperty']
  return isRecord(properties) && typeof missing === 'string' ? asRecord(properties[missing]) : undefined
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
