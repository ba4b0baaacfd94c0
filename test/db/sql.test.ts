// The `sql` tag and repositories: values never become SQL text, equal texts share one statement name, and statements of
// both kinds can share a transaction.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Command, type Db, txThrough } from '../../db/database'
import { member } from '../../db/partners/members'
import { partner } from '../../db/partners/partners'
import { identifier, joined, literal, nameOf, sql } from '../../db/sql'
import { aPartner } from '../support/db/a-partner'
import { createDatabase, openDb } from '../support/db/database'

let database: { url: string; drop(): Promise<void> }
let db: Db

beforeAll(async () => {
  database = await createDatabase()
  // Uses one connection, because prepared statements belong to a connection.
  db = await openDb(database.url, 1)
})

afterAll(async () => {
  await db.close()
  await database.drop()
})

const hostile = [`'; DROP TABLE members; --`, `" OR 1 = 1`, '$1', '\\', '${id}', 'O’Brien', '\u0001']

test.each(hostile)('a value is never read as part of the statement: %s', async (value) => {
  const [row] = await db.sql<{ same: string }>`SELECT ${value}::text AS same`

  expect(row).toEqual({ same: value })
})

test('an external object that resembles a fragment is not used as a fragment', async () => {
  const forged = JSON.parse('{"shape": {"parts": ["1; DROP TABLE members"]}, "values": []}')

  await expect(db.sql`SELECT ${forged}::integer`).rejects.toThrow('invalid input syntax')
})

test('null, arrays and bytes are passed unchanged', async () => {
  const bytes = Buffer.from([0, 255])
  const [row] = await db.sql`SELECT ${null}::text AS nothing, ${['a', `b'"\\`, null]}::text[] AS texts,
    (SELECT sum(n)::bigint FROM unnest(${[1n, 2n]}::bigint[]) n) AS total, ${bytes}::bytea AS bytes, 2 = ANY (${[1, 2]}::integer[]) AS among`

  expect(row).toEqual({ nothing: null, texts: ['a', `b'"\\`, null], total: 3n, bytes, among: true })
})

test('undefined is an error and does not become NULL', async () => {
  const given = JSON.parse('{}')

  expect(() => sql`SELECT ${given.id}`).toThrow('must not be undefined')
})

test('fragments nest, and their values are numbered in the order of the text', () => {
  const bounds = sql`at >= ${1} AND at < ${2}`
  const statement = sql`SELECT ${sql`id, name`} FROM ${identifier('rows')} WHERE ${bounds} AND name = ${'x'}${sql``} LIMIT ${5}`

  expect(statement.shape.asStatement().text).toBe(
    'SELECT id, name FROM "rows" WHERE at >= $1 AND at < $2 AND name = $3 LIMIT $4',
  )
  expect(statement.values).toEqual([1, 2, 'x', 5])
})

test('literal() inserts only a non-negative integer into the statement text', () => {
  const forged = JSON.parse('"1; DROP TABLE members"')

  expect(sql`SELECT ${1} LIMIT ${literal(51)}`.shape.asStatement().text).toBe('SELECT $1 LIMIT 51')
  for (const not of [forged, 1.5, -1, Number.NaN]) expect(() => literal(not)).toThrow('non-negative integer')
})

test('joined() joins conditions, and returns an empty text for an empty list', () => {
  const some = joined([sql`a = ${1}`, sql`true`, sql`b = ${2}`], ' AND ')

  expect([some.shape.asStatement().text, some.values]).toEqual(['a = $1 AND true AND b = $2', [1, 2]])
  expect(joined([], ' AND ').shape.asStatement().text).toBe('')
})

test.each(['members; DROP TABLE members', 'a"b', 'A', ''])('%p is not an identifier', (name) => {
  expect(() => identifier(name)).toThrow('snake_case')
})

test('column names are returned in camelCase, and JSON content is unchanged', async () => {
  const rows = await db.sql`SELECT 1 AS partner_id, 'x' AS account_last4, '{"a_b": 1}'::jsonb AS some_json, 2 AS "keyId"
    UNION ALL SELECT 3, NULL, NULL, 4 ORDER BY 1`

  expect(rows).toEqual([
    { partnerId: 1, accountLast4: 'x', someJson: { a_b: 1 }, keyId: 2 },
    { partnerId: 3, accountLast4: null, someJson: null, keyId: 4 },
  ])
})

test('a statement text has one short name and is prepared once per connection, whatever its values', async () => {
  const ask = (n: number) => db.sql`SELECT ${n}::integer AS asked_for`
  await ask(1)
  await ask(2)

  const text = 'SELECT $1::integer AS asked_for'
  const prepared = await db.sql`SELECT name FROM pg_prepared_statements WHERE statement = ${text}`

  expect(prepared).toEqual([{ name: nameOf(text) }])
  expect(Buffer.byteLength(nameOf(text))).toBeLessThanOrEqual(63)
  expect(nameOf(`${text} `)).not.toBe(nameOf(text))
})

test('a statement that is planned for each call is not prepared', async () => {
  const rows = await db.run(sql`SELECT ${7}::integer AS planned_anew`, { plan: 'each time' })

  const prepared =
    await db.sql`SELECT name FROM pg_prepared_statements WHERE statement LIKE '%planned_anew%' AND name = ''`
  expect([rows, prepared]).toEqual([[{ plannedAnew: 7 }], []])
})

test('a repository and plain statements read and write the same rows', async () => {
  const { id: partnerId } = await aPartner(db)
  const row = { ...aMember(partnerId), lastLoginAt: new Date('2026-11-15T09:30:00.123Z') }

  await db.transaction((tx) => tx.repo(member).insert(row))

  const [bySql] = await db.sql`SELECT * FROM members WHERE id = ${row.id}`
  expect(await db.repo(member).findOneBy({ id: row.id })).toEqual(bySql)
  expect(bySql).toEqual(row)
})

test('statements and repositories share one transaction', async () => {
  const { id } = await aPartner(db)
  const refused = new Error('refused')

  const work = db.transaction(async (tx) => {
    await tx.repo(member).insert(aMember(id))
    await tx.sql`UPDATE partners SET name = 'Changed' WHERE id = ${id}`
    expect(await tx.repo(partner).existsBy({ id, name: 'Changed' })).toBe(true)
    expect(await tx.sql`SELECT FROM members WHERE partner_id = ${id}`).toHaveLength(1)
    throw refused
  })

  await expect(work).rejects.toBe(refused)
  expect(await db.repo(member).countBy({ partnerId: id })).toBe(0)
  expect(await db.repo(partner).existsBy({ id, name: 'Changed' })).toBe(false)
})

test('a failed repository write throws the server’s error, without the values', async () => {
  const row = aMember('01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55')

  const failed = db.transaction((tx) => tx.repo(member).insert(row))

  await expect(failed).rejects.toMatchObject({ code: '23503', name: 'error' })
  await expect(failed).rejects.not.toHaveProperty('parameters')
})

test('a repository outside a transaction can only read', async () => {
  const { id } = await aPartner(db)
  // The type has no `insert`, but at run time the repository is TypeORM's own.
  const repo = Object.assign(db.repo(member))

  await expect(repo.insert(aMember(id))).rejects.toThrow('only in a transaction')
})

test.each([{ id: JSON.parse('{}').id }, { id: JSON.parse('null') }, {}])(
  'a repository refuses to delete by %p',
  async (criteria) => {
    const remove = db.transaction((tx) => tx.repo(member).delete(criteria))

    await expect(remove).rejects.toThrow(/value encountered|Empty criteria/)
  },
)

test('txThrough() also sends the statements of repositories through the given function', async () => {
  const commands: Command[] = []
  const { id } = await aPartner(db)

  await db.transaction(async (tx) => {
    const listened = txThrough(tx.dataSource, (command) => (commands.push(command), tx.send(command)))
    await listened.sql`SELECT 1`
    await listened.repo(member).insert(aMember(id))
  })

  expect(commands.map(({ text }) => text.split(' ')[0])).toEqual(['SELECT', 'INSERT'])
})

function aMember(partnerId: string) {
  const id = `01999f2b-6c1e-7d3a-9b60-${Math.random().toString(16).slice(2, 14).padEnd(12, '0')}`
  const createdAt = new Date('2026-11-15T09:00:00Z')
  return { id, partnerId, email: `${id}@example.com`, name: null, role: 'admin', lastLoginAt: null, createdAt } as const
}
