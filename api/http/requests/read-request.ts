// Step `validate`: checks parameters, query and body against the schemas of the route.
import { parse as parseQuery } from 'node:querystring'
import type { Static, TSchema } from 'typebox'
import { environments } from '../../../domain/environment'
import { ApiError } from '../errors'
import {
  type ApiContext,
  type Exchange,
  type FieldErrors,
  isOfPartner,
  type OpenRequest,
  type Route,
  type Schemas,
  type Validation,
} from '../route'
import { parseJson } from './read-json'
import { bodyCheck, type Check, paramsCheck, queryCheck } from './validate'

/** Without a query schema the route accepts `environment` only. */
export function validate(schemas: Schemas = {}): Validation {
  return {
    kind: 'validate',
    ...schemas,
    bind: (route) => {
      const checks = checksOf(route, schemas.fieldErrors)
      return (exchange) => {
        try {
          read(exchange, route, checks)
        } catch (error) {
          // If the partner's state allows only repeated requests, the caller gets the refusal for that state instead of
          // the validation error.
          throw exchange.refusal && error instanceof ApiError ? exchange.refusal : error
        }
      }
    },
  }
}

interface Checks {
  readonly params: Check | null
  readonly query: Check
  readonly body: Check | null
  readonly repeatedBody: Check | null
}

function checksOf({ params, query, body }: Route, fieldErrors: FieldErrors = []): Checks {
  return {
    params: params ? paramsCheck(params) : null,
    query: queryCheck(query),
    body: body ? bodyCheck(body.schema, fieldErrors) : null,
    repeatedBody: body?.repeats ? bodyCheck(body.repeats) : null,
  }
}

function read(exchange: Exchange, route: Route, checks: Checks): void {
  const { context, caller, received } = exchange
  const params = { ...context.params }
  checks.params?.(params)
  if (caller?.by === 'person') requireEnvironment(context, route)
  if (received instanceof ApiError) throw received
  const body = received === null ? undefined : parseJson(received)
  // Koa's own query parser takes half a second of CPU for a query that repeats a name 7,500 times. No route has 100
  // parameters, so a longer query has an unknown or repeated parameter among its first 100.
  const query = { ...parseQuery(context.querystring, '&', '=', { maxKeys: 100 }) }
  checks.query(query)
  exchange.bodyFault = checkBody(body, checks, exchange)
  exchange.params = params
  exchange.query = query
  exchange.body = body
}

/**
 * A stored request can be repeated at any later time, so its body may break newer rules. Such a fault is returned
 * instead of thrown, and the handler then creates nothing.
 */
function checkBody(body: unknown, checks: Checks, { isRepeatable }: Exchange): ApiError | null {
  try {
    checks.body?.(body)
    return null
  } catch (error) {
    if (error instanceof ApiError && isRepeatable && passes(body, checks.repeatedBody)) return error
    throw error
  }
}

function passes(body: unknown, check: Check | null): boolean {
  try {
    check?.(body)
    return check !== null
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** A person who misspells `live` must get an error instead of the sandbox. An API key has its own environment. */
function requireEnvironment({ querystring }: ApiContext, route: Route): void {
  const { environment } = parseQuery(querystring)
  if (environment === undefined || environments.some((each) => each === environment)) return
  if (!isOfPartner(route)) return
  throw new ApiError('invalid_request', {
    message: 'A query parameter is missing, malformed, or unknown.',
    details: { errors: [`environment (${environments.join(' or ')})`] },
  })
}

export function paramsOf<Schema extends TSchema>(request: OpenRequest): Static<Schema> {
  return checked<Schema>(request.params)
}

export function queryOf<Schema extends TSchema>(request: OpenRequest): Static<Schema> {
  return checked<Schema>(request.query)
}

export function bodyOf<Schema extends TSchema>(request: OpenRequest): Static<Schema> {
  return checked<Schema>(request.body)
}

function checked<Schema extends TSchema>(value: unknown): Static<Schema> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ajv has checked it before the handler is called.
  return value as Static<Schema>
}
