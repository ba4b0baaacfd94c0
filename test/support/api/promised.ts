// Compares a response with the route table, so that a difference between the two fails a test.
import type { ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { type ErrorCode, errorTable } from '../../../api/http/errors'
import { compileSchema } from '../../../api/http/requests/validate'
import { errorsOf, type ReplyShape, type Route, repliesOf } from '../../../api/http/route'
import { ErrorBody } from '../../../api/http/schema'
import { routes } from '../../../api/routes'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly error?: { readonly code: string } }
}

export function requirePromised(method: string, path: string, answer: Answer): void {
  const route = routeOf(method, path)
  const broken = brokenPromise(route, answer)
  if (broken === null) return
  throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}: ${broken}`)
}

/** Returns the value's schema errors as text, or null. A field that the schema does not name is also an error. */
export function faultsOf(schema: TSchema, value: unknown): string | null {
  const validate = compiled.get(schema) ?? compileSchema(closed(schema))
  compiled.set(schema, validate)
  if (validate(structuredClone(value))) return null
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
}

const compiled = new Map<TSchema, ValidateFunction>()

function brokenPromise(route: Route | null, { status, headers, body }: Answer): string | null {
  if (headers.get('X-Request-Id') === null) return 'an answer must carry its request id'
  if (status === 201 && headers.get('Location') === null) return 'a 201 must carry Location'
  if (status === 401 && !headers.get('WWW-Authenticate')?.startsWith('Bearer ')) return 'a 401 must carry a challenge'
  if (route && status === 304) return route.reply.headers?.['ETag'] ? null : 'the route has no ETag'
  const shape = route && repliesOf(route).find((each) => each.status === status)
  if (shape) return missingHeader(shape, headers) ?? wrongType(shape, headers) ?? faultsOf(shape.schema, body)
  return faultsOf(ErrorBody, body) ?? brokenError(route, status, body.error?.code ?? '')
}

function missingHeader({ headers: promised = {} }: ReplyShape, headers: Headers): string | null {
  const missing = Object.keys(promised).find((name) => headers.get(name) === null)
  return missing === undefined ? null : `the header ${missing} is missing`
}

function wrongType({ type = 'application/json' }: ReplyShape, headers: Headers): string | null {
  const answered = headers.get('Content-Type')?.replace(/;.*$/, '')
  const isOfKind = type.endsWith('/*') && answered?.startsWith(type.slice(0, -1))
  return answered === type || isOfKind ? null : `it is ${answered}, not ${type}`
}

function brokenError(route: Route | null, status: number, code: string): string | null {
  const known: readonly ErrorCode[] = route ? errorsOf(route) : ['route_not_found', 'method_not_allowed']
  const promised = known.find((each) => each === code)
  if (promised === undefined) return `the route does not promise ${code}`
  return errorTable[promised].status === status ? null : `${code} is ${errorTable[promised].status}`
}

function routeOf(method: string, path: string): Route | null {
  const asked = path.split('?')[0] ?? ''
  const matches = (route: Route) =>
    new RegExp(`^${route.path.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`).test(asked)
  return routes.find((route) => route.method === method && matches(route)) ?? null
}

/** Clients must ignore unknown fields, but a test must detect them. */
function closed(schema: TSchema): TSchema {
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closedValue(value)]),
  )
  return copy['type'] === 'object' ? { additionalProperties: false, ...copy } : copy
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue)
  return typeof value === 'object' && value !== null ? closed(value) : value
}
