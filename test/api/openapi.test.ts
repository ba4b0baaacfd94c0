// The OpenAPI documents match the route table, and third-party validators accept them as OpenAPI 3.1.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { apiVersion } from '../../api/docs/discovery'
import { errorTable } from '../../api/http/errors'
import { errorsForKeys, errorsOf, type ListedRoute, type Route } from '../../api/http/route'
import { Answer, Text } from '../../api/http/schema'
import { type Audience, openApiDocument, pathOf } from '../../api/openapi'
import { routes } from '../../api/routes'
import { idempotencyKeyPattern } from '../../domain/limits'
import { endpoints } from './route-calls'

const about = {
  title: 'Payouts API',
  version: apiVersion,
  publicUrl: 'https://payouts.test',
  guide: '## Guide',
  email: 'support@payouts.test',
}
/** The documents as a client receives them. */
const documents = { partner: received('partner'), dashboard: received('dashboard') }
const partner = documents.partner
const audiences: readonly Audience[] = ['partner', 'dashboard']

function received(audience: Audience) {
  return JSON.parse(JSON.stringify(openApiDocument(routes, about, audience)))
}

interface Media {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
}

interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>> & { readonly 'application/json': Media }
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly description?: string
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

const operations = audiences.flatMap(operationsOf)
const toDashboard = operationsOf('dashboard')

function operationsOf(audience: Audience): readonly (Operation & { route: Route; audience: Audience })[] {
  const document = documents[audience]
  return routes.flatMap((route) => {
    const operation = document.paths[pathOf(route)]?.[route.method.toLowerCase()]
    if (operation === undefined) return []
    const responses = Object.entries<{ $ref?: string }>(operation.responses).map(([status, response]) => [
      status,
      response.$ref === undefined ? response : resolved(document, response.$ref),
    ])
    return [{ ...operation, responses: Object.fromEntries(responses), route, audience }]
  })
}

/** References lead to `components`, two levels deep. */
function resolved({ components }: typeof partner, ref: string) {
  const [kind = '', name = ''] = ref.split('/').slice(2)
  return components[kind]?.[name]
}

/**
 * Strict, so that a misspelt keyword in any schema makes the tests fail. Our own keywords start with x-, as OpenAPI
 * requires.
 */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
addFormats(ajv)
ajv.addVocabulary(['x-hint', 'components'])

describe.each(audiences)('the OpenAPI document for the %s', (audience) => {
  const document = documents[audience]

  test('is accepted as OpenAPI 3.1 by a third-party validator', () => {
    const script = `
      import { readFileSync } from 'node:fs'
      import { validate } from '@scalar/openapi-parser'
      const { valid, errors, version } = await validate(readFileSync(0, 'utf8'))
      console.log(JSON.stringify({ valid, version, errors }))`

    expect(runModule(script, document)).toEqual({ valid: true, version: '3.1', errors: [] })
  })

  test('has no problem under the recommended rules of Redocly', () => {
    const script = `
      import { readFileSync } from 'node:fs'
      import { createConfig, lintFromString } from '@redocly/openapi-core'
      const config = await createConfig({ extends: ['recommended'] })
      const problems = await lintFromString({ source: readFileSync(0, 'utf8'), config })
      console.log(JSON.stringify(problems.map(({ ruleId, message, location }) =>
        [ruleId, message, location[0]?.pointer].join(' '))))`

    expect(runModule(script, document)).toEqual([])
  })

  test('names the version 1.3.0, the public URL, a contact and the licence', () => {
    expect(document.info.version).toBe('1.3.0')
    expect(document.servers).toEqual([expect.objectContaining({ url: about.publicUrl })])
    expect(document.info.contact).toEqual({
      name: 'Support',
      url: `${about.publicUrl}/docs`,
      email: 'support@payouts.test',
    })
    expect(document.info.license.name).toBe('All rights reserved')
  })

  test('has a description for every tag and every operation, and no unused tag', () => {
    const used = new Set(operationsOf(audience).flatMap(({ tags }) => tags))

    expect(new Set(document.tags.map(({ name }: { name: string }) => name))).toEqual(used)
    for (const { description } of document.tags) expect(description).not.toBe('')
    for (const { description } of operationsOf(audience)) expect(description?.length).toBeGreaterThan(20)
  })
})

describe('the OpenAPI documents', () => {
  test('have every endpoint of the specification and the documented additions, and nothing else', () => {
    const described = Object.entries<Record<string, Operation>>(documents.dashboard.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )

    // The document groups the endpoints by path.
    const paths = [...new Set(endpoints.map((endpoint) => endpoint.replace(/^\w+/, '')))]
    const grouped = paths.flatMap((path) => endpoints.filter((endpoint) => endpoint.replace(/^\w+/, '') === path))
    expect(described).toEqual(grouped.map((endpoint) => endpoint.replaceAll(/:(\w+)/g, '{$1}')))
    expect(new Set(toDashboard.map(({ operationId }) => operationId)).size).toBe(described.length)
  })

  test('require a session in the dashboard except for discovery, sign-in, sign-up and public data', () => {
    const open = toDashboard.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId)
    const others = toDashboard.filter(({ security }) => security.length > 0)

    expect(open).toEqual([
      'requestCode',
      'createSession',
      'signUp',
      'getDiscovery',
      'getRoot',
      'getPublicPartner',
      'getPartnerLogo',
      'getInvitation',
    ])
    for (const { security } of others) expect(security).toEqual([{ session: [] }])
    expect(Object.keys(documents.dashboard.components.securitySchemes)).toEqual(['session'])
  })

  test('show a partner the routes for keys and the public ones, without sessions and the errors of pages', () => {
    const shown = operationsOf('partner')
    const expected = routes.filter(({ access, tag }) => access.by === 'key' || tag === 'Public pages')

    expect(shown.map(({ operationId }) => operationId)).toEqual(expected.map(({ operationId }) => operationId))
    for (const { route, security } of shown) expect(security).toEqual(route.access.by === 'key' ? [{ key: [] }] : [])
    expect(Object.keys(partner.components.securitySchemes)).toEqual(['key'])
    const codes = Object.keys(partner.components.examples)
    expect(codes).not.toEqual(expect.arrayContaining(['forbidden_origin']))
    // A live key gets this code from the sandbox routes only.
    const refusing = shown.filter(({ responses }) => responses['403']?.description.includes('api_key_required'))
    expect(refusing.map(({ operationId }) => operationId)).toEqual(['createSandboxTopUp', 'simulatePayout'])
    expect(partner.paths['/v1/balance'].get.responses).not.toHaveProperty('409')
    expect(JSON.stringify(partner)).not.toMatch(/X-Partner-Id|"cookie"/)
  })

  test('have a valid example of an Idempotency-Key', () => {
    const create = operations.find(({ operationId }) => operationId === 'createPayout')
    const header = create?.parameters?.find(({ name }) => name === 'Idempotency-Key')

    expect(header?.example).toMatch(new RegExp(idempotencyKeyPattern))
  })

  test('mark each path parameter as required, and have a schema for every parameter', () => {
    for (const { route, parameters = [] } of operations) {
      const inPath = parameters.filter((each) => each.in === 'path' && each.required).map(({ name }) => name)
      expect(inPath).toEqual([...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]))
      for (const { schema } of parameters) expect(() => faultsOf(schema, '')).not.toThrow()
    }
  })

  test('accept the query parameter environment in every operation', () => {
    const without = operations.filter(
      ({ parameters = [] }) => !parameters.some((each) => each.in === 'query' && each.name === 'environment'),
    )

    expect(without.map(({ operationId }) => operationId)).toEqual([])
  })

  test('allow only sandbox and live as the environment', () => {
    const schemas = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === 'environment').map(({ schema }) => schema),
    )

    expect(schemas).toEqual(operations.map(() => ({ $ref: '#/components/schemas/Environment' })))
    expect(partner.components.schemas.Environment).toMatchObject({ type: 'string', enum: ['sandbox', 'live'] })
  })

  test('name the session cookie as this deployment sets it', () => {
    const local = openApiDocument(routes, { ...about, publicUrl: 'http://localhost:3000' }, 'dashboard')

    expect(documents.dashboard.components.securitySchemes.session.name).toBe('__Host-session')
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
  ])('have a schema %s, and validating %j against it returns %s', (name, body, valid) => {
    expect(faultsOf(documents.dashboard.components.schemas[name], body).length === 0).toBe(valid)
  })

  test('define named schemas and refer to them', () => {
    expect(Object.keys(partner.components.schemas)).toEqual(
      expect.arrayContaining([
        'ErrorBody',
        'Account',
        'Balance',
        'Quote',
        'QuoteRequest',
        'Payout',
        'Invoice',
        'ApiKey',
      ]),
    )
    expect(partner.paths['/v1/payouts/{id}'].get.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Payout',
    })
  })

  test('cannot contain two different schemas with one name', () => {
    const [first, second] = routes
    const as = (route: ListedRoute | undefined, schema: Route['reply']['schema']): ListedRoute[] =>
      route ? [{ ...route, reply: { ...route.reply, schema } }] : []
    const thing = Answer({ name: Text() }, { title: 'Thing' })
    const other = Answer({ size: Text() }, { title: 'Thing' })

    expect(() => openApiDocument([...as(first, thing), ...as(second, thing)], about, 'partner')).not.toThrow()
    expect(() => openApiDocument([...as(first, thing), ...as(second, other)], about, 'partner')).toThrow('Thing')
  })
})

describe.each(operations)('$operationId for the $audience', ({ route, audience, requestBody, responses }) => {
  const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400)

  test('lists every status and error code that the route can answer with, each with an example', () => {
    const own = audience === 'partner' ? errorsForKeys(route) : errorsOf(route)
    const promised = [...own, 'bad_request', 'request_timeout', 'headers_too_large'].toSorted()

    const described = failures.flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json'].examples ?? {}).map((code) => ({ code, status: Number(status) })),
    )

    expect(described.map(({ code }) => code).toSorted()).toEqual(promised)
    for (const { code, status } of described) expect(statusOf(code)).toBe(status)
  })

  test('has examples that match its own schemas', () => {
    const faults = [requestBody, ...Object.values(responses)].flatMap((part) => {
      const media = part?.content?.['application/json']
      return media ? examplesOf(media).flatMap((example) => faultsOf(media.schema, example)) : []
    })

    expect(faults).toEqual([])
  })

  test('explains each error code in the description of its response', () => {
    for (const [, { description, content }] of failures) {
      for (const code of Object.keys(content?.['application/json'].examples ?? {})) {
        expect(description).toContain(`${code}: ${causeOf(code)}`)
      }
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

function causeOf(code: string): string | undefined {
  return Object.entries(errorTable).find(([each]) => each === code)?.[1].cause
}

function examplesOf({ example, examples = {} }: Media): unknown[] {
  const named = Object.keys(examples).map((code) => documents.dashboard.components.examples[code].value)
  return example === undefined ? named : [example, ...named]
}

const compiled = new Map<string, ValidateFunction>()

function faultsOf(schema: unknown, value: unknown): string[] {
  const key = JSON.stringify(schema)
  const { schemas } = documents.dashboard.components
  const validate = compiled.get(key) ?? ajv.compile({ allOf: [schema], components: { schemas } })
  compiled.set(key, validate)
  return validate(value) ? [] : [`${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`]
}

/** The validators are ES modules, which Jest cannot import. */
function runModule(script: string, document: unknown): unknown {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: __dirname,
    input: JSON.stringify(document),
    encoding: 'utf8',
  })
  return JSON.parse(output)
}
