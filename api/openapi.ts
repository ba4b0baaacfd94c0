// Generates the two OpenAPI 3.1 documents from the route table: one for partners, and one for the dashboard.
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { sessionCookieName } from './http/callers/cookies'
import { ApiError, type ErrorCode, errorTable, presentError } from './http/errors'
import { errorsForKeys, errorsOf, type ListedRoute, type ReplyShape, type Route, repliesOf, tags } from './http/route'
import { ErrorBody } from './http/schema'

/** `partner`: API keys, and the public routes. `dashboard`: the sessions of people, who may call every route. */
export type Audience = 'partner' | 'dashboard'

interface About {
  readonly title: string
  readonly version: string
  readonly publicUrl: string
  readonly guide: string
  /** The address for questions, if one is configured. */
  readonly email?: string | undefined
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Json & { readonly title: string }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Json>>
}

export interface Operation extends Json {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security: readonly Json[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, Json>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly example?: string
  readonly schema: unknown
}

type Content = Readonly<Record<string, { readonly schema: unknown; readonly example?: unknown }>>

interface Json {
  readonly [key: string]: unknown
}

/** The components of one document, collected while its operations are described. */
interface Components {
  readonly audience: Audience
  readonly schemas: Map<string, Json>
  readonly responses: Map<string, Json>
}

/** Errors from Node's HTTP parser, which every route can return. */
const unreadable = ['bad_request', 'request_timeout', 'headers_too_large'] as const satisfies ErrorCode[]

export function openApiDocument(routes: readonly ListedRoute[], about: About, audience: Audience): OpenApiDocument {
  const components: Components = { audience, schemas: new Map(), responses: new Map() }
  const listed = routes.filter((route) => isListed(route, audience))
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of listed) {
    const path = pathOf(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, components) }
  }
  const responses = Object.fromEntries(components.responses)
  const used = JSON.stringify({ paths, responses })
  const isUsed =
    (kind: string) =>
    ([name]: [string, unknown]) =>
      used.includes(`"#/components/${kind}/${name}"`)
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: about.version,
      description: about.guide,
      contact: { name: 'Support', url: `${about.publicUrl}/docs`, ...(about.email ? { email: about.email } : {}) },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
    },
    servers: [{ url: about.publicUrl, description: 'Sandbox and live. The API key determines the environment.' }],
    tags: Object.entries(tags)
      .filter(([name]) => listed.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: audience === 'partner' ? { key: keyScheme } : { session: sessionScheme(about.publicUrl) },
      headers: Object.fromEntries(Object.entries(headers).filter(isUsed('headers'))),
      examples: Object.fromEntries(Object.entries(errorExamples()).filter(isUsed('examples'))),
      responses,
      schemas: Object.fromEntries(components.schemas),
    },
  }
}

/** Sign-in is public, but it starts a person's session. */
function isListed({ access, tag }: ListedRoute, audience: Audience): boolean {
  return audience === 'dashboard' || access.by === 'key' || (access.by === 'anyone' && tag !== 'Sign-in')
}

/** OpenAPI writes `{id}` where the router has `:id`. */
export function pathOf({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function describeRoute(route: ListedRoute, components: Components): Operation {
  const parameters = [
    ...describeParameters('path', route.params, components),
    ...describeParameters('query', route.query, components),
    ...describeParameters('header', route.headers, components),
  ]
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: securityOf(route, components.audience),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: jsonOf(route.body, components) } } : {}),
    responses: describeResponses(route, components),
  }
}

function securityOf({ access }: Route, audience: Audience): Json[] {
  if (access.by === 'anyone') return []
  return audience === 'partner' ? [{ key: [] }] : [{ session: [] }]
}

function describeParameters(place: Parameter['in'], schema: TSchema | undefined, components: Components): Parameter[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { description?: string; example?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, example, ...rule }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description ? { description } : {}),
    ...(example ? { example } : {}),
    schema: hoist(rule, components),
  }))
}

function describeResponses(route: Route, components: Components): Record<string, Json> {
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
  const errors = components.audience === 'partner' ? errorsForKeys(route) : errorsOf(route)
  for (const [failed, codes] of byStatus([...errors, ...unreadable])) {
    // The rate limit counts a request only after its caller is known.
    const isBeforeCount = [401, 408, 431].includes(failed)
    const counts = isBeforeCount ? [] : counted
    const waits = [429, 502, 503].includes(failed) ? ['Retry-After'] : []
    const challenge = failed === 401 ? ['WWW-Authenticate'] : []
    const headers = ['X-Request-Id', ...counts, ...waits, ...challenge]
    // A public route has no rate limit headers, so its response is a different component.
    const name = `${route.access.by === 'anyone' && !isBeforeCount ? 'Public' : ''}${errorName(codes)}`
    responses[failed] = add('responses', name, describeError(codes, headers, components), components)
  }
  return responses
}

function errorName(codes: readonly ErrorCode[]): string {
  const names = codes.map((code) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()))
  return names.join('Or')
}

function describeError(codes: ErrorCode[], headers: string[], components: Components): Json {
  const examples = refer('examples', codes)
  return {
    description: describeCodes(codes),
    headers: refer('headers', headers),
    content: { 'application/json': { schema: hoist(ErrorBody, components), examples } },
  }
}

/** A collapsed response shows only the first line, so this line lists every code. */
function describeCodes(codes: readonly ErrorCode[]): string {
  const causes = codes.map((code) => `${code}: ${errorTable[code].cause}`)
  return causes.length === 1 ? causes.join() : [codes.join(', '), '', ...causes.map((cause) => `- ${cause}`)].join('\n')
}

function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].toSorted((one, other) => one - other)
  return statuses.map((status) => [status, codes.filter((code) => errorTable[code].status === status)])
}

function contentOf(shape: ReplyShape, components: Components): Content {
  return shape.type === undefined ? jsonOf(shape, components) : { [shape.type]: { schema: fileSchema(shape.type) } }
}

/**
 * Code generators read a file as bytes only with the `format` of OpenAPI 3.0. CSV is text, and openapi-python-client
 * cannot read text with that format.
 */
function fileSchema(type: string): Json {
  return type === 'text/csv' ? { type: 'string', contentMediaType: type } : { type: 'string', format: 'binary' }
}

function jsonOf({ schema, example }: { schema: TSchema; example?: unknown }, components: Components): Content {
  return { 'application/json': { schema: hoist(schema, components), example } }
}

/** A schema with a title becomes a component of that name. */
function hoist(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((each) => hoist(each, components))
  if (typeof schema !== 'object' || schema === null) return schema
  if ('x-documented' in schema) return hoist(documentedForm(schema), components)
  if ('x-pattern' in schema) return hoist(withRuleInWords(schema), components)
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]))
  const { title } = copy
  return typeof title === 'string' ? add('schemas', title, copy, components) : copy
}

/** Adds a component and refers to it. Two different components must not share a name. */
function add(kind: 'schemas' | 'responses', name: string, added: Json, components: Components): Json {
  const known = components[kind].get(name)
  if (known && !isDeepStrictEqual(known, added)) throw new Error(`Two different ${kind} are called ${name}.`)
  components[kind].set(name, added)
  return { $ref: `#/components/${kind}/${name}` }
}

/** Replaces `x-pattern`, which only JavaScript can read, by a sentence. */
function withRuleInWords(schema: Json): Json {
  const { description, 'x-hint': hint } = schema
  const published = Object.entries(schema).filter(([key]) => key !== 'x-pattern')
  const rule = `Rule: ${String(hint)}; no control or hidden characters.`
  return {
    ...Object.fromEntries(published),
    description: typeof description === 'string' ? `${description} ${rule}` : rule,
  }
}

/** Returns the schema in `x-documented`, with the original title and description. */
function documentedForm({ title, description, 'x-documented': shown }: Json): Json {
  const words = { ...(title ? { title } : {}), ...(description ? { description } : {}) }
  return typeof shown === 'object' ? { ...words, ...shown } : words
}

function refer(kind: 'headers' | 'examples', names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]))
}

function errorExamples(): Json {
  const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable)
  return Object.fromEntries(codes.map((code) => [code, exampleOf(code)]))
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
    "A person's session, from the dashboard's sign-in. Viewers can read. Admins can also change things, but only from the dashboard's own pages. A page sends the ID of the account that it shows in X-Partner-Id. It gets `invalid_state` if the session now has another account.",
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
}
