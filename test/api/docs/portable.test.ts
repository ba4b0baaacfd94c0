// The OpenAPI documents contain only what code generators in other languages can read, and each part once.
import { describe, expect, test } from '@jest/globals'
import { apiVersion } from '../../../api/docs/discovery'
import { type Audience, openApiDocument } from '../../../api/openapi'
import { routes } from '../../../api/routes'

const about = { title: 'Payouts API', version: apiVersion, publicUrl: 'https://payouts.test', guide: '' }

describe.each<Audience>(['partner', 'dashboard'])('the OpenAPI document for the %s', (audience) => {
  const document = JSON.parse(JSON.stringify(openApiDocument(routes, about, audience)))
  const responses = Object.values<Record<string, { responses: Record<string, Response> }>>(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => Object.entries(operation.responses))

  test('writes each error response once', () => {
    const inline = responses.filter(([status, { $ref }]) => Number(status) >= 400 && $ref === undefined)
    const written = Object.values<Response>(document.components.responses)

    expect(inline).toEqual([])
    expect(new Set(written.map((response) => JSON.stringify(response))).size).toBe(written.length)
    for (const { content } of written) {
      expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ErrorBody' })
    }
  })

  test('has only patterns that the regular expressions of other languages can read', () => {
    const patterns = [...new Set(valuesOf(document, 'pattern'))]

    expect(patterns.length).toBeGreaterThan(15)
    // No properties, escapes with u, look-around, named groups, back references or possessive quantifiers.
    expect(patterns.filter((pattern) => /\\[pPuk1-9]|\(\?(?!:)|[*+?}][+]/.test(pattern))).toEqual([])
    for (const pattern of patterns) expect(() => new RegExp(pattern)).not.toThrow()
    expect(valuesOf(document, 'x-pattern')).toEqual([])
  })

  test('describes PDF and images as binary, and CSV as text', () => {
    const files = responses
      .flatMap(([, { content = {} }]) => Object.entries(content))
      .filter(([type]) => type !== 'application/json')

    expect(new Set(files.map(([type, { schema }]) => JSON.stringify([type, schema])))).toEqual(
      new Set([
        '["text/csv",{"type":"string","contentMediaType":"text/csv"}]',
        '["application/pdf",{"type":"string","format":"binary"}]',
        '["image/*",{"type":"string","format":"binary"}]',
      ]),
    )
  })

  test('has no dangling references and no unused components', () => {
    const refs = valuesOf(document, '$ref')
    const components = Object.entries<object>(document.components).flatMap(([kind, named]) =>
      kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    )

    expect(refs.length).toBeGreaterThan(100)
    expect(refs.filter((ref) => !components.includes(ref))).toEqual([])
    expect(components.filter((component) => !refs.includes(component))).toEqual([])
  })
})

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>
}

/** All strings under the key, at any depth. */
function valuesOf(value: unknown, key: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) =>
    name === key && typeof child === 'string' ? [child] : valuesOf(child, key),
  )
}
