// Checks requests against their schemas, and turns Ajv's errors into API errors.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { isUuid } from '../../../domain/uuid'
import { ApiError } from '../errors'
import type { FieldErrors } from '../route'

export type Check = (value: unknown) => void

/** Converts no values: a number is not accepted as a string. */
const ajv = createAjv()

export function bodyCheck(schema: TSchema, fieldErrors: FieldErrors = []): Check {
  return throwing(schema, (errors) => bodyFault(errors, fieldErrors))
}

export function queryCheck(schema: TSchema): Check {
  const check = throwing(schema, (errors) => invalidRequest(errors, 'query parameter'))
  return (query) => {
    readWholeNumbers(query, schema)
    check(query)
  }
}

/** A malformed ID gets the same response as an unknown one. */
export function paramsCheck(schema: TSchema): Check {
  return throwing(schema, () => new ApiError('not_found'))
}

/** For tests. */
export function compileSchema(schema: TSchema): ValidateFunction {
  return ajv.compile(schema)
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true, verbose: true, useDefaults: true, allowUnionTypes: true })
  addFormats(ajv, ['date', 'date-time', 'email', 'uri'])
  // Only the format that PostgreSQL accepts. The pattern of ajv-formats would also accept `urn:uuid:…`.
  ajv.addFormat('uuid', isUuid)
  ajv.addKeyword({ keyword: 'x-hint', schemaType: 'string' })
  ajv.addKeyword({ keyword: 'x-documented', schemaType: 'object' })
  ajv.addKeyword({ keyword: 'x-pattern', type: 'string', schemaType: 'string', compile: matches, errors: false })
  return ajv
}

/** A second `pattern`, which the OpenAPI document omits. */
function matches(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern, 'u')
  return (text) => expression.test(text)
}

/** Compiles the schema for the first request, because compiling all schemas would delay the start of the API. */
function throwing(schema: TSchema, fault: (errors: ErrorObject[]) => ApiError): Check {
  let validate: ValidateFunction | null = null
  return (value) => {
    validate ??= ajv.compile(schema)
    if (!validate(value)) throw fault(validate.errors ?? [])
  }
}

/**
 * Converts query values, which are strings, to numbers. Accepts digits only. Ajv would also convert `1e2`, `0x10` and
 * digits between spaces.
 */
function readWholeNumbers(query: unknown, schema: TSchema): void {
  const properties: unknown = 'properties' in schema ? schema.properties : undefined
  if (!isRecord(query) || !isRecord(properties)) return
  for (const [name, rule] of Object.entries(properties)) {
    const text = query[name]
    const isDigits = typeof text === 'string' && /^\d{1,9}$/.test(text)
    if (isDigits && asRecord(rule)?.['type'] === 'integer') query[name] = Number(text)
  }
}

function bodyFault(errors: readonly ErrorObject[], fieldErrors: FieldErrors): ApiError {
  for (const [field, errorFor] of fieldErrors) {
    const faults = errors.filter((error) => pathOf(error).split('.')[0] === field && isKnown(error))
    if (faults.length > 0) return errorFor(describe(faults))
  }
  return invalidRequest(errors, 'field')
}

/** An unknown top-level property such as `recipient.name` is not an error in the field before the dot. */
function isKnown(error: ErrorObject): boolean {
  return error.keyword !== 'additionalProperties' || error.instancePath !== ''
}

function invalidRequest(errors: readonly ErrorObject[], noun: string): ApiError {
  return new ApiError('invalid_request', {
    message: `A ${noun} is missing, malformed, or unknown.`,
    details: { errors: describe(errors) },
  })
}

/** Returns a limited number of errors, because the caller controls how many there are. */
function describe(errors: readonly ErrorObject[]): string[] {
  return [...new Set(errors.filter((error) => !isAboutNull(error)).flatMap(describeError))].slice(0, maxReported)
}

const maxReported = 20

/**
 * Whether the error belongs to the `null` variant of a nullable field. Only the rule for the other variant helps the
 * caller.
 */
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

/** Describes a missing object by its required fields, each with its own rule. */
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
