// The application's database role cannot disable the ledger's triggers. Every story runs with this role, which proves
// that its privileges suffice.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { asApplication, asReader } from '../support/db/app-role'
import { createDatabase, type TestDatabase } from '../support/db/database'

let database: TestDatabase
let application: Client

beforeAll(async () => {
  database = await createDatabase()
  application = new Client({ connectionString: await asApplication(database.url) })
  await application.connect()
})
afterAll(async () => {
  await application.end()
  await database.drop()
})

test.each([
  'ALTER TABLE ledger_entries DISABLE TRIGGER ALL',
  'SET session_replication_role = replica',
  'TRUNCATE ledger_entries',
  'DROP TABLE audit_chain',
  'CREATE TABLE mine (id int)',
  'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  'ALTER ROLE payouts_app SUPERUSER',
  'DROP TABLE payout_events_from_0',
  'ALTER TABLE activity DETACH PARTITION activity_from_0',
  `INSERT INTO archives VALUES (gen_random_uuid(), 'activity', 0, 9, 9, now(), sha256('x'), now(), 'ops:mallory')`,
  `CREATE TEMPORARY TABLE pg_class AS SELECT oid, 'payouts_app'::regrole::oid AS relowner FROM pg_catalog.pg_class;
    INSERT INTO archives VALUES (gen_random_uuid(), 'activity', 0, 9, 9, now(), sha256('x'), now(), 'ops:mallory')`,
])('the application’s role cannot run: %s', async (sql) => {
  await expect(application.query(sql)).rejects.toMatchObject({ code: '42501' })
})

test('the application’s role can create the partitions that are due', async () => {
  const owner = new Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(`SELECT setval(pg_get_serial_sequence('activity', 'id'), 250000000)`)
  await owner.end()

  expect((await application.query('SELECT add_partitions() AS added')).rows).toEqual([{ added: 1 }])
  expect((await application.query('SELECT FROM activity_from_400000000')).rows).toEqual([])
})

test('a role that only reads cannot create partitions, which locks payouts, and can list them', async () => {
  const reader = new Client({ connectionString: await asReader(database.url) })
  await reader.connect()
  const refused = await reader.query('SELECT add_partitions()').catch((error: unknown) => error)
  const listed = await reader.query(
    `SELECT pg_sequence_last_value(pg_get_serial_sequence('activity', 'id')::regclass) AS id`,
  )
  await reader.end()

  expect(refused).toMatchObject({ code: '42501' })
  expect(listed.rows).toHaveLength(1)
})

test('the application’s role can read and write a table that a later migration creates', async () => {
  const owner = new Client({ connectionString: database.url })
  await owner.connect()
  await owner.query('CREATE TABLE of_a_later_migration (id bigserial, note text)')
  await owner.end()

  await application.query(`INSERT INTO of_a_later_migration (note) VALUES ('here')`)

  expect((await application.query('SELECT id, note FROM of_a_later_migration')).rows).toEqual([
    { id: '1', note: 'here' },
  ])
  expect((await application.query('SELECT count(*)::int FROM migrations')).rows[0].count).toBeGreaterThan(10)
})
