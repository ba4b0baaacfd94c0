// db/schema.sql matches the migrations.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { describeSchema } from '../../db/schema'
import { useDatabase } from '../support/db/database'

const file = join(__dirname, '..', '..', 'db', 'schema.sql')
const db = useDatabase(2)

test('db/schema.sql is current (if not, run npm run -s schema > db/schema.sql)', async () => {
  expect(await describeSchema(db)).toBe(readFileSync(file, 'utf8'))
})

test.each([
  ['a column', 'ALTER TABLE members ADD nickname text'],
  ['a default', `ALTER TABLE members ALTER name SET DEFAULT 'x'`],
  ['a check constraint', `ALTER TABLE members DROP CONSTRAINT members_role_check`],
  ['an index', 'DROP INDEX members_email_index'],
  ['a trigger', 'DROP TRIGGER planted ON members'],
  ['a function', `CREATE OR REPLACE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`],
])('a change to %s changes the schema dump', async (_what, change) => {
  await db.dataSource.query(`
    CREATE OR REPLACE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE OR REPLACE TRIGGER planted BEFORE UPDATE ON members FOR EACH ROW EXECUTE FUNCTION planted()`)
  const before = await describeSchema(db)

  await db.dataSource.query(change)

  expect(await describeSchema(db)).not.toBe(before)
})
