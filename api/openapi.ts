// Generates the OpenAPI 3.1 document from the route table.
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { sessionCookieName } from './http/callers/cookies'
import { ApiError, type ErrorCode, errorTable, presentError } from './http/errors'
import { errorsOf, type ReplyShape, type Route, repliesOf, tags } from './http/route'
import { ErrorBody } from './http/schema'

interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Json
  readonly servers: readonly Json[]
  readonly tags: readonly Json[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Json>>
}

interface Operation extends Json {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Json>>
}

interface Json {
  readonly [key: string]: unknown
}

/** Errors of Node's parser, which every route can return. */
const unreadable = ['bad_request', 'request_timeout', 'headers_too_large'] as const satisfies ErrorCode[]

export function openApiDocument(
  routes: readonly Route[],
  about: { title: string; version: string; publicUrl: string; guide: string },
): OpenApiDocument {
  const components = new Map<string, Json>()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, components) }
  }
  return {
    openapi: '3.1.0',
    info: { title: about.title, version: about.version, description: about.guide },
    servers: [{ url: about.publicUrl, description: 'Sandbox and live. The API key determines the environment.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { key: keyScheme, session: sessionScheme(about.publicUrl) },
      headers,
      examples: Object.fromEntries(codesOf(routes).map((code) => [code, exampleOf(code)])),
      responses: {
        MethodNotAllowed: describeError(['method_not_allowed'], ['X-Request-Id', 'Allow'], components),
      },
      schemas: Object.fromEntries(components),
    },
  }
}

function describeRoute(route: Route, components: Map<string, Json>): Operation {
  const parameters = [
    ...describeParameters('path', route.params, components),
    ...describeParameters('query', route.query, components),
    ...describeParameters('header', route.headers, components),
  ]
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: jsonOf(route.body, components) } } : {}),
    responses: describeResponses(route, components),
  }
}

/** A caller needs only one of these. */
function securityOf({ access }: Route): Json[] {
  if (access.by === 'anyone') return []
  return access.by === 'person' ? [{ session: [] }] : [{ key: [] }, { session: [] }]
}

function describeParameters(place: string, schema: TSchema | undefined, components: Map<string, Json>): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(properties).map(([name, { description, example, ...rule }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description ? { description } : {}),
    ...(example ? { example } : {}),
    schema: hoist(rule, components),
  }))
}

function describeResponses(route: Route, components: Map<string, Json>): Record<string, Json> {
  const counted = route.access.by !== 'anyone' ? ['RateLimit', 'RateLimit-Policy'] : []
  const always = refer('headers', ['X-Request-Id', ...counted])
  const responses: Record<string, Json> = {}
  for (const shape of repliesOf(route)) {
    const own = Object.fromEntries(
      Object.entries(shape.headers ?? {}).map(([name, description]) => [name, textHeader(description)]),
    )
    const created = shape.status === 201 ? refer('headers', ['Location']) : {}
    const headers = { ...always, ...created, ...own }
    responses[shape.status] = { description: shape.description, headers, content: contentOf(shape, components) }
    if (own['ETag']) {
      responses['304'] = { description: 'Unchanged since the ETag in If-None-Match.', headers }
    }
  }
  for (const [failed, codes] of byStatus([...errorsOf(route), ...unreadable])) {
    // The rate limit counts a request only after its caller is known.
    const counts = [401, 408, 431].includes(failed) ? [] : counted
    const waits = [429, 502, 503].includes(failed) ? ['Retry-After'] : []
    const challenge = failed === 401 ? ['WWW-Authenticate'] : []
    responses[failed] = describeError(codes, ['X-Request-Id', ...counts, ...waits, ...challenge], components)
  }
  return responses
}

function describeError(codes: ErrorCode[], headers: string[], components: Map<string, Json>): Json {
  const code = { type: 'string', enum: codes }
  const known = { type: 'object', properties: { error: { type: 'object', properties: { code } } } }
  return {
    description: describeCodes(codes),
    headers: refer('headers', headers),
    content: {
      'application/json': {
        schema: { allOf: [hoist(ErrorBody, components), known] },
        examples: refer('examples', codes),
      },
    },
  }
}

/** Collapsed responses show only the first line, so it lists every code. */
function describeCodes(codes: readonly ErrorCode[]): string {
  const causes = codes.map((code) => `${code}: ${errorTable[code].cause}`)
  return causes.length === 1 ? causes.join() : [codes.join(', '), '', ...causes.map((cause) => `- ${cause}`)].join('\n')
}

function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].toSorted((one, other) => one - other)
  return statuses.map((status) => [status, codes.filter((code) => errorTable[code].status === status)])
}

function contentOf(shape: ReplyShape, components: Map<string, Json>): Json {
  return shape.type === undefined ? jsonOf(shape, components) : { [shape.type]: { schema: shape.schema } }
}

function jsonOf({ schema, example }: { schema: TSchema; example?: unknown }, components: Map<string, Json>): Json {
  return { 'application/json': { schema: hoist(schema, components), example } }
}

/** A schema with a title becomes a component of that name. Two different schemas must not share a title. */
function hoist(schema: unknown, components: Map<string, Json>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => hoist(each, components))
  if (typeof schema !== 'object' || schema === null) return schema
  if ('x-documented' in schema) return hoist(documentedForm(schema), components)
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]))
  const { title } = copy
  if (typeof title !== 'string') return copy
  const known = components.get(title)
  if (known && !isDeepStrictEqual(known, copy)) throw new Error(`Two different schemas are called ${title}.`)
  components.set(title, copy)
  return { $ref: `#/components/schemas/${title}` }
}

/** Keeps title and description. */
function documentedForm({ title, description, 'x-documented': shown }: Json): Json {
  const words = { ...(title ? { title } : {}), ...(description ? { description } : {}) }
  return typeof shown === 'object' ? { ...words, ...shown } : words
}

function refer(kind: 'headers' | 'examples', names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]))
}

function codesOf(routes: readonly Route[]): ErrorCode[] {
  return [...new Set<ErrorCode>([...routes.flatMap(errorsOf), ...unreadable, 'method_not_allowed'])]
}

function exampleOf(code: ErrorCode): Json {
  return {
    summary: errorTable[code].cause,
    description: errorTable[code].cure,
    value: presentError(new ApiError(code, { details: exampleDetails[code] })),
  }
}

const exampleDetails: Partial<Record<ErrorCode, unknown>> = {
  insufficient_funds: {
    required_usdc: '155.27',
    available_usdc: '100.00',
    shortfall_usdc: '55.27',
    shortfall_approx_gbp: '43.11',
  },
  invalid_state: { status: 'revoked' },
  invalid_recipient: {
    missing: ['recipient.bank.sort_code (6 digits)', 'recipient.address.city (1 to 140 visible characters and spaces)'],
  },
  invalid_request: { errors: ['limit (1 to 200)'] },
  idempotency_key_reused: {
    payout_id: '5b1f7a52-5f0e-4a4e-8d2e-3f6c1c0a9b11',
    differing_fields: ['amount_gbp'],
  },
}

const keyScheme = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'kp_(sandbox|live)_<48 hex digits>',
  description: 'An API key from the dashboard. It determines the environment and can access only its own account.',
}

const sessionScheme = (publicUrl: string) => ({
  type: 'apiKey',
  in: 'cookie',
  name: sessionCookieName(publicUrl),
  description:
    "A person's session, from the dashboard's sign-in. Viewers can read. Admins can also change things, but only from the dashboard's own pages.",
})

const textHeader = (description: string, example?: string) => ({
  description,
  schema: { type: 'string' },
  ...(example ? { example } : {}),
})

const headers = {
  'X-Request-Id': textHeader(
    'Identifies the request. Include it when you contact support.',
    '0b0f4d5e-3c0a-4b52-9a55-0d8f5a3d3c11',
  ),
  RateLimit: textHeader(
    'Requests left in this second (r), and the seconds until the limit is full again (t).',
    '"partner";r=24;t=1',
  ),
  'RateLimit-Policy': textHeader('The number of requests (q) in a window of w seconds.', '"partner";q=25;w=1'),
  'Retry-After': textHeader('Seconds to wait before you retry.', '1'),
  Location: textHeader(
    'The path of the created object, or of the list that contains it.',
    '/v1/payouts/01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
  ),
  'WWW-Authenticate': textHeader(
    'Bearer, with `error="invalid_token"` when the key is not valid (RFC 6750).',
    'Bearer realm="payouts", error="invalid_token"',
  ),
  Allow: textHeader('The methods of this path.', 'GET, HEAD'),
}
