// A migration that waits for a long read, such as pg_dump: other sessions continue, and nothing is half done.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { DataSource, type QueryRunner } from 'typeorm'
import { migrate } from '../../db/migrate'
import { migrations } from '../../db/migrations'
import { createEmptyDatabase } from '../support/db/empty-database'

/** A migration that creates an index, and then needs an exclusive lock on a table. */
const last = 'ProofMore1794700800021'
let empty: { url: string; drop(): Promise<void> }
let before: DataSource
let dump: QueryRunner

beforeEach(async () => {
  empty = await createEmptyDatabase()
  const landed = migrations.filter(({ name }) => name !== last)
  before = new DataSource({ type: 'postgres', url: empty.url, migrations: landed, migrationsTableName: 'migrations' })
  await before.initialize()
  await before.runMigrations({ transaction: 'each' })
  dump = before.createQueryRunner()
  await dump.startTransaction()
  await dump.query('LOCK TABLE drifts IN ACCESS SHARE MODE')
})
afterEach(async () => {
  await dump.release()
  await before.destroy()
  await empty.drop()
})

test('other sessions continue, and so does the migration after the read', async () => {
  const migrating = migrate(empty.url, { lockMs: 500, tries: 1_000, pauseMs: 100 })
  await untilItWaits()
  // This query waits behind the migration, so the migration must withdraw its lock request.
  await before.query('SELECT FROM drifts')
  await dump.commitTransaction()

  expect(await migrating).toEqual([last])
})

test('a migration that gives up prints an error, leaves nothing half done, and can be run again', async () => {
  await expect(migrate(empty.url, { lockMs: 50, tries: 2, pauseMs: 1 })).rejects.toThrow(/pg_dump.*run it again/)
  await dump.commitTransaction()

  expect(await migrate(empty.url)).toEqual([last])
})

async function untilItWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'drifts'::regclass`
  while ((await before.query(waiting)).length === 0);
}
