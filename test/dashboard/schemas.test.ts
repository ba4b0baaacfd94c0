// dashboard/api/schemas.ts matches the current OpenAPI document. `npm run generate:types` regenerates it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { openApiDocument } from '../../api/openapi'
import { routes } from '../../api/routes'
import { read, root } from '../support/source-imports'

interface Schema {
  readonly $ref?: string
  readonly const?: string | number | boolean
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly type?: string
  readonly format?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

const file = 'dashboard/api/schemas.ts'

test('the types of the dashboard are those of the OpenAPI document', () => {
  const { components } = openApiDocument(routes, {
    title: '',
    version: '',
    publicUrl: 'http://payouts.test',
    guide: '',
  })
  // As the browser receives it.
  const text = writeTypes(JSON.parse(JSON.stringify(components['schemas'])))

  if (process.env['GENERATE_TYPES'] === '1') writeFileSync(join(root, file), text)
  expect(read(file)).toBe(text)
})

test.each<[string, Schema]>([
  ['string', { type: 'string', format: 'uuid' }],
  ['number', { type: 'integer' }],
  ['unknown', {}],
  ["'a' | 'b'", { type: 'string', enum: ['a', 'b'] }],
  ['1', { const: 1 }],
  ['string | null', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ["readonly ('a' | 'b')[]", { type: 'array', items: { enum: ['a', 'b'] } }],
  ['readonly Payout[]', { type: 'array', items: { $ref: '#/components/schemas/Payout' } }],
  ['Readonly<Record<string, number>>', { type: 'object', additionalProperties: { type: 'number' } }],
  [
    '{\n  readonly id: string\n  readonly note?: string\n}',
    { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: { type: 'string' } } },
  ],
])('%s', (type, schema) => {
  expect(typeOf(schema, '')).toBe(type)
})

function writeTypes(schemas: Readonly<Record<string, Schema>>): string {
  const types = Object.entries(schemas)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')}\n`)
  return `// The schemas of /openapi.json as types. Generated: run \`npm run generate:types\` after a change of the API.\n\n${types.join('\n')}`
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, type, items = {} } = schema
  const options = schema.anyOf ?? schema.oneOf
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (options !== undefined) return options.map((option) => typeOf(option, indent)).join(' | ')
  if (type === 'array')
    return isUnion(items) ? `readonly (${typeOf(items, indent)})[]` : `readonly ${typeOf(items, indent)}[]`
  if (type === 'object') return objectOf(schema, indent)
  return type === 'integer' ? 'number' : (type ?? 'unknown')
}

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
    return `Readonly<Record<string, ${value}>>`
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${indent}  readonly ${name}${mark}: ${typeOf(field, `${indent}  `)}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function isUnion(schema: Schema): boolean {
  return (schema.enum ?? schema.anyOf ?? schema.oneOf) !== undefined
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
