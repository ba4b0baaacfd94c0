// Writes the OpenAPI document as a Postman collection, format v2.1.
import type { OpenApiDocument, Operation, Parameter } from '../openapi'

interface Collection {
  readonly info: { readonly name: string; readonly description: string; readonly schema: string }
  readonly auth: Auth
  readonly variable: readonly Variable[]
  readonly item: readonly Folder[]
}

interface Folder {
  readonly name: string
  readonly description: string
  readonly item: readonly Item[]
}

interface Item {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly description: string
    readonly auth?: Auth
    readonly header: readonly Variable[]
    readonly url: Url
    readonly body?: { readonly mode: 'raw'; readonly raw: string; readonly options: object }
  }
  readonly response: readonly []
}

interface Url {
  readonly raw: string
  readonly host: readonly string[]
  readonly path: readonly string[]
  readonly query: readonly Variable[]
  readonly variable: readonly Variable[]
}

interface Variable {
  readonly key: string
  readonly value: string
  readonly description?: string
  readonly disabled?: boolean
}

type Auth =
  | { readonly type: 'noauth' }
  | { readonly type: 'bearer'; readonly bearer: readonly (Variable & { readonly type: 'string' })[] }

export function postmanCollection({ info, servers, tags, paths }: OpenApiDocument): Collection {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return {
    info: {
      name: info.title,
      description: 'Set the variable `api_key` to a sandbox key first. The guide is at {{base_url}}/docs.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: servers[0]?.url ?? '' },
      { key: 'api_key', value: '', description: 'A key from the dashboard.' },
      {
        key: 'idempotency_key',
        value: 'postman-0001',
        description: 'Change it for each new payout. The same key never pays twice.',
      },
      { key: 'id', value: exampleId, description: 'For paths that end in a file extension, such as {{id}}.pdf.' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ operation }) => operation.tags.includes(name)).map(itemOf),
    })),
  }
}

const exampleId = '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56'

function itemOf({ path, method, operation }: { path: string; method: string; operation: Operation }): Item {
  const { summary, description, security, requestBody } = operation
  const example = requestBody?.content['application/json']?.example
  const isJson = requestBody !== undefined
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      ...(security.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: [...(isJson ? [jsonType] : []), ...parametersIn('header', operation)],
      url: urlOf(path, operation),
      ...(isJson ? { body: { mode: 'raw', raw: JSON.stringify(example, null, 2), options: asJson } } : {}),
    },
    response: [],
  }
}

const jsonType: Variable = { key: 'Content-Type', value: 'application/json' }
const asJson = { raw: { language: 'json' } }

/** Postman writes a path variable as `:id`, but only as a whole segment. */
function urlOf(path: string, operation: Operation): Url {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1').replaceAll(/\{(\w+)\}/g, '{{$1}}'))
  const query = parametersIn('query', operation)
  return {
    raw: `{{base_url}}/${segments.join('/')}`,
    host: ['{{base_url}}'],
    path: segments,
    query,
    variable: parametersIn('path', operation).filter(({ key }) => segments.includes(`:${key}`)),
  }
}

/** An optional parameter is switched off until the reader needs it. */
function parametersIn(place: Parameter['in'], { parameters = [] }: Operation): Variable[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required, description, example }) => ({
      key: name,
      value: name === 'Idempotency-Key' ? '{{idempotency_key}}' : (example ?? exampleOf(name)),
      ...(description === undefined ? {} : { description }),
      ...(required ? {} : { disabled: true }),
    }))
}

function exampleOf(name: string): string {
  return { id: exampleId, slug: 'acme', environment: 'sandbox' }[name] ?? ''
}
