// The OpenAPI document matches the route table, and third-party tools find it valid OpenAPI 3.1.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { apiVersion } from '../../api/docs/discovery'
import { errorTable } from '../../api/http/errors'
import { errorsOf, type Route } from '../../api/http/route'
import { Answer, Text } from '../../api/http/schema'
import { openApiDocument } from '../../api/openapi'
import { routes } from '../../api/routes'
import { idempotencyKeyPattern } from '../../domain/limits'
import { endpoints } from './route-calls'

const about = { title: 'Payouts API', version: apiVersion, publicUrl: 'https://payouts.example.com', guide: '## Guide' }
/** The document as a client receives it. */
const document = JSON.parse(JSON.stringify(openApiDocument(routes, about)))

interface Media {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
}

interface Response {
  readonly headers: Readonly<Record<string, unknown>>
  readonly content?: { readonly 'application/json': Media }
}

interface Operation {
  readonly operationId: string
  readonly security: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: object
    readonly example?: string
  }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': Media } }
  readonly responses: Readonly<Record<string, Response>>
}

const operations: readonly (Operation & { readonly route: Route })[] = routes.map((route) => {
  const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
  return { ...document.paths[path][route.method.toLowerCase()], route }
})

/**
 * Strict, so that a misspelt keyword in any schema fails. Our own keywords start with x-, as OpenAPI
 * requires.
 */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
addFormats(ajv)
ajv.addVocabulary(['x-hint', 'components'])

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1 for a third-party validator', () => {
    const script = `
      import { readFileSync } from 'node:fs'
      import { validate } from '@scalar/openapi-parser'
      const { valid, errors, version } = await validate(readFileSync(0, 'utf8'))
      console.log(JSON.stringify({ valid, version, errors }))`

    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: __dirname,
      input: JSON.stringify(document),
      encoding: 'utf8',
    })

    expect(JSON.parse(output)).toEqual({ valid: true, version: '3.1', errors: [] })
  })

  test('carries the release number 1.3.0 and the public address', () => {
    expect(document.info.version).toBe('1.3.0')
    expect(document.servers).toEqual([expect.objectContaining({ url: 'https://payouts.example.com' })])
  })

  test('has every endpoint of the specification and the documented additions, and nothing else', () => {
    const described = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )

    // The document groups the methods of a path.
    const paths = [...new Set(endpoints.map((endpoint) => endpoint.replace(/^\w+/, '')))]
    const grouped = paths.flatMap((path) => endpoints.filter((endpoint) => endpoint.replace(/^\w+/, '') === path))
    expect(described).toEqual(grouped.map((endpoint) => endpoint.replaceAll(/:(\w+)/g, '{$1}')))
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(described.length)
  })

  test('requires a key or a session everywhere except on discovery, the public partner and sign-in', () => {
    const open = operations.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId)

    expect(open).toEqual([
      'requestCode',
      'createSession',
      'signUp',
      'getDiscovery',
      'getRoot',
      'getPublicPartner',
      'getPartnerLogo',
    ])
  })

  test('the example of the Idempotency-Key is a valid one', () => {
    const create = operations.find(({ operationId }) => operationId === 'createPayout')
    const header = create?.parameters?.find(({ name }) => name === 'Idempotency-Key')

    expect(header?.example).toMatch(new RegExp(idempotencyKeyPattern))
  })

  test('names each path parameter as required, and every parameter has a schema', () => {
    for (const { route, parameters = [] } of operations) {
      const inPath = parameters.filter((each) => each.in === 'path' && each.required).map(({ name }) => name)
      expect(inPath).toEqual([...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]))
      for (const { schema } of parameters) expect(() => ajv.compile(schema)).not.toThrow()
    }
  })

  test('every operation accepts the query parameter environment', () => {
    const without = operations.filter(
      ({ parameters = [] }) => !parameters.some((each) => each.in === 'query' && each.name === 'environment'),
    )

    expect(without.map(({ operationId }) => operationId)).toEqual([])
  })

  test('every environment parameter is sandbox or live', () => {
    const schemas = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === 'environment').map(({ schema }) => schema),
    )

    expect(schemas).toEqual(routes.map(() => ({ type: 'string', enum: ['sandbox', 'live'] })))
  })

  test('names the session cookie as this deployment sets it', () => {
    const local = openApiDocument(routes, { ...about, publicUrl: 'http://localhost:3000' })

    expect(document.components.securitySchemes.session.name).toBe('__Host-session')
    expect(local.components['securitySchemes']).toMatchObject({ session: { name: 'session' } })
  })

  test.each([
    ['QuoteRequest', { amount_gbp: '1.00' }, true],
    ['QuoteRequest', { amount_gbp: '20000.00' }, true],
    ['QuoteRequest', { amount_gbp: '0.99' }, false],
    ['QuoteRequest', { amount_gbp: '20000.01' }, false],
    ['TopUpRequest', { usdc: '100000.00' }, true],
    ['TopUpRequest', { usdc: '0.99' }, false],
    ['TopUpRequest', { usdc: '100000.01' }, false],
    ['AccountChanges', { low_balance_usdc: null }, true],
    ['AccountChanges', { low_balance_usdc: '0.01' }, true],
    ['AccountChanges', { low_balance_usdc: '0.00' }, false],
    ['AccountChanges', { low_balance_usdc: '1000000000.01' }, false],
    ['SimulationRequest', { outcome: 'stall' }, true],
    ['SimulationRequest', { outcome: 'fail' }, true],
    ['SimulationRequest', { outcome: 'return', reason: 'account_closed' }, true],
    ['SimulationRequest', { outcome: 'stall', reason: 'account_closed' }, false],
  ])('a %s of %j is valid: %s', (name, body, valid) => {
    expect(faultsOf(document.components.schemas[name], body).length === 0).toBe(valid)
  })

  test('defines a schema of one name once', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Error', 'Account', 'Balance', 'Quote', 'QuoteRequest', 'Payout', 'Invoice', 'ApiKey']),
    )
    expect(document.paths['/v1/payouts/{id}'].get.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Payout',
    })
  })

  test('refuses two different schemas of one name', () => {
    const [first, second] = routes
    const as = (route: Route | undefined, schema: Route['reply']['schema']): Route[] =>
      route ? [{ ...route, reply: { ...route.reply, schema } }] : []
    const thing = Answer({ name: Text() }, { title: 'Thing' })
    const other = Answer({ size: Text() }, { title: 'Thing' })

    expect(() => openApiDocument([...as(first, thing), ...as(second, thing)], about)).not.toThrow()
    expect(() => openApiDocument([...as(first, thing), ...as(second, other)], about)).toThrow('Thing')
  })

  test('has no dangling references', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '')

    const missing = refs.filter((ref) => ref.split('/').reduce((at, key) => at?.[key], document) === undefined)

    expect(refs.length).toBeGreaterThan(100)
    expect(missing).toEqual([])
  })
})

describe.each(operations)('$operationId', ({ route, requestBody, responses }) => {
  const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400)

  test('lists every status and error code that the route can answer with, each with an example', () => {
    const promised = [...errorsOf(route), 'bad_request', 'request_timeout', 'headers_too_large'].toSorted()

    const described = failures.flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json'].examples ?? {}).map((code) => ({ code, status: Number(status) })),
    )

    expect(described.map(({ code }) => code).toSorted()).toEqual(promised)
    for (const { code, status } of described) expect(statusOf(code)).toBe(status)
  })

  test('shows examples that its own schemas accept', () => {
    const faults = [requestBody, ...Object.values(responses)].flatMap((part) => {
      const media = part?.content?.['application/json']
      return media ? examplesOf(media).flatMap((example) => faultsOf(media.schema, example)) : []
    })

    expect(faults).toEqual([])
  })

  test('accepts only the codes of its status in an error', () => {
    const unknown = { error: { code: 'something_else', message: 'No.' } }

    for (const [, { content }] of failures) {
      expect(faultsOf(content?.['application/json'].schema, unknown)).toEqual([
        expect.stringContaining('/error/code must be equal to one of the allowed values'),
      ])
    }
  })

  test('names the headers of each response', () => {
    for (const [status, { headers }] of Object.entries(responses)) {
      expect(headers).toHaveProperty('X-Request-Id')
      expect('Retry-After' in headers).toBe(['429', '502', '503'].includes(status))
    }
    expect('Location' in (responses[route.reply.status]?.headers ?? {})).toBe(route.reply.status === 201)
    expect('WWW-Authenticate' in (responses['401']?.headers ?? {})).toBe('401' in responses)
    expect('RateLimit' in (responses[route.reply.status]?.headers ?? {})).toBe(route.access.by !== 'anyone')
    expect('304' in responses).toBe(route.reply.headers?.['ETag'] !== undefined)
  })
})

function statusOf(code: string): number | undefined {
  return Object.entries(errorTable).find(([each]) => each === code)?.[1].status
}

function examplesOf({ example, examples = {} }: Media): unknown[] {
  const named = Object.keys(examples).map((code) => document.components.examples[code].value)
  return example === undefined ? named : [example, ...named]
}

function faultsOf(schema: unknown, value: unknown): string[] {
  const { schemas } = document.components
  const validate = ajv.compile({ allOf: [schema], components: { schemas } })
  return validate(value) ? [] : [`${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`]
}
