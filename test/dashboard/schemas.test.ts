// The generated types match the current OpenAPI documents. `npm run generate:types` regenerates them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Audience, openApiDocument } from '../../api/openapi'
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

type Schemas = Readonly<Record<string, Schema>>

test.each([
  { file: 'sdk/typescript/src/schemas.ts', document: '/openapi.json', write: writePartnerTypes },
  { file: 'dashboard/api/schemas.ts', document: '/openapi.dashboard.json', write: writeDashboardTypes },
])('the types in $file match $document', ({ file, document, write }) => {
  const text = `// The schemas of ${document} as types. Generated: run \`npm run generate:types\` after a change to the API.\n${write()}`

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
])('a schema becomes the type %s', (type, schema) => {
  expect(typeOf(schema, '')).toBe(type)
})

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
}

/** The query parameters of each operation as a schema. With an API key, `environment` has no effect. */
function queriesOf(paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>): Schemas {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const schemas = operations.map(({ operationId, parameters = [] }): [string, Schema] => {
    const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'environment')
    const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]))
    return [`${typeNameOf(operationId)}Query`, { type: 'object', properties }]
  })
  return Object.fromEntries(schemas.filter(([, { properties = {} }]) => Object.keys(properties).length > 0))
}

type Types = ReadonlyMap<string, string>

function typesFor(audience: Audience): Types {
  const about = { title: '', version: '', publicUrl: 'http://payouts.test', guide: '' }
  // The document as a client receives it.
  const { components, paths } = JSON.parse(JSON.stringify(openApiDocument(routes, about, audience)))
  return typesOf({ ...components.schemas, ...(audience === 'partner' ? queriesOf(paths) : {}) })
}

function writePartnerTypes(): string {
  return `\n${declare(typesFor('partner'))}`
}

/** Takes the types that both documents share from the SDK. */
function writeDashboardTypes(): string {
  const sdk = "'../../sdk/typescript/src/schemas'"
  const [forPartners, forDashboard] = [typesFor('partner'), typesFor('dashboard')]
  const own = new Map([...forDashboard].filter(([name, type]) => forPartners.get(name) !== type))
  const text = declare(own)
  const isUsed = (name: string) => !own.has(name) && new RegExp(`\\b${name}\\b`).test([...own.values()].join('\n'))
  const used = [...forDashboard.keys()].filter(isUsed).toSorted()
  const imports = `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from ${sdk}\n\nexport type * from ${sdk}\n`
  return `${imports}\n${text}`
}

function declare(types: Types): string {
  const sorted = [...types].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([name, type]) => `export type ${name} = ${type}\n`).join('\n')
}

/** Writes a repeated object only once: a schema as the base of a larger schema, a field as a separate type. */
function typesOf(schemas: Schemas): Types {
  const parts = Object.entries(schemas).map(([name, schema]) => ({ name, ...splitOff(schema, schemas) }))
  const names = repeatedFields(parts.map(({ own }) => own))
  const types = parts.map(({ name, base, own }) => [name, base + typeOf(own, '', names)] as const)
  return new Map([...types, ...[...names].map(([type, name]) => [name, type] as const)])
}

/** Two schemas may share a few fields by chance, so a base has at least this many. */
const baseFields = 5

/** If a schema has all fields of another schema, splits it into that base and its own fields. */
function splitOff(schema: Schema, schemas: Schemas): { base: string; own: Schema } {
  const fields = fieldsOf(schema)
  const found = Object.entries(schemas).find(([, other]) => {
    const shared = fieldsOf(other)
    const isSmaller = shared.size >= baseFields && shared.size < fields.size
    return isSmaller && [...shared].every(([name, type]) => fields.get(name) === type)
  })
  if (found === undefined) return { base: '', own: schema }
  const [name, { properties = {} }] = found
  const own = Object.entries(schema.properties ?? {}).filter(([field]) => !(field in properties))
  return { base: `${name} & `, own: { ...schema, properties: Object.fromEntries(own) } }
}

function fieldsOf({ properties = {}, required = [] }: Schema): Map<string, string> {
  const fields = Object.entries(properties)
  return new Map(fields.map(([name, field]) => [name, `${required.includes(name)} ${typeOf(field, '')}`]))
}

/** The object types that occur in several fields of the same name, each with the type name derived from that name. */
function repeatedFields(schemas: readonly Schema[]): Map<string, string> {
  const seen = new Map<string, string>()
  const repeated = new Map<string, string>()
  const visit = ({ properties = {} }: Schema): void => {
    for (const [name, field] of Object.entries(properties).filter(([, { type }]) => type === 'object')) {
      const type = typeOf(field, '')
      if (seen.get(type) === name) repeated.set(type, typeNameOf(name))
      seen.set(type, name)
      visit(field)
    }
  }
  for (const schema of schemas) visit(schema)
  return repeated
}

function typeNameOf(field: string): string {
  return field.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

type Names = ReadonlyMap<string, string>
const noNames: Names = new Map()

function typeOf(schema: Schema, indent: string, names: Names = noNames): string {
  const { $ref, type, items = {} } = schema
  const options = schema.anyOf ?? schema.oneOf
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (options !== undefined) return options.map((option) => typeOf(option, indent, names)).join(' | ')
  if (type === 'array') {
    const item = typeOf(items, indent, names)
    return isUnion(items) ? `readonly (${item})[]` : `readonly ${item}[]`
  }
  if (type === 'object') return names.get(objectOf(schema, '', noNames)) ?? objectOf(schema, indent, names)
  return type === 'integer' ? 'number' : (type ?? 'unknown')
}

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string, names: Names): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent, names) : 'unknown'
    return `Readonly<Record<string, ${value}>>`
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${indent}  readonly ${name}${mark}: ${typeOf(field, `${indent}  `, names)}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function isUnion(schema: Schema): boolean {
  return (schema.enum ?? schema.anyOf ?? schema.oneOf) !== undefined
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
