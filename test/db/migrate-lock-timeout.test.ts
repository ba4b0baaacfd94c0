// While a migration waits for a long read, such as pg_dump, other sessions continue. No migration is partly applied. A
// concurrent index build waits as long as it takes.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DataSource, type QueryRunner } from 'typeorm'
import { migrate } from '../../db/migrate'
import { migrations } from '../../db/migrations'
import { createEmptyDatabase } from '../support/db/empty-database'

/** This migration creates an index, and then needs an exclusive lock on a table. */
const inTransaction = 'ProofMore1794700800021'
/** This migration builds an index without a transaction. */
const concurrent = 'BankEventsByPayout1794700800048'
let empty: { url: string; drop(): Promise<void> }
let before: DataSource
let other: QueryRunner

async function start(withoutMigration: string): Promise<void> {
  empty = await createEmptyDatabase()
  const landed = migrations.filter(({ name }) => name !== withoutMigration)
  before = new DataSource({ type: 'postgres', url: empty.url, migrations: landed, migrationsTableName: 'migrations' })
  await before.initialize()
  await before.runMigrations({ transaction: 'each' })
  other = before.createQueryRunner()
  await other.startTransaction()
}
afterEach(async () => {
  await other.release()
  await before.destroy()
  await empty.drop()
})

describe('a migration in a transaction', () => {
  beforeEach(async () => {
    await start(inTransaction)
    await other.query('LOCK TABLE drifts IN ACCESS SHARE MODE')
  })

  test('other sessions continue while it waits for a lock, and it runs once the lock is free', async () => {
    const migrating = migrate(empty.url, { lockMs: 500, tries: 1_000, pauseMs: 100 })
    await untilItWaits(`relation = 'drifts'::regclass`)
    // This query waits behind the migration, so the migration must withdraw its lock request.
    await before.query('SELECT FROM drifts')
    await other.commitTransaction()

    expect(await migrating).toEqual([inTransaction])
  })

  test('it throws an error when it gives up, and can be run again', async () => {
    await expect(migrate(empty.url, { lockMs: 50, tries: 2, pauseMs: 1 })).rejects.toThrow(/pg_dump.*run it again/)
    await other.commitTransaction()

    expect(await migrate(empty.url)).toEqual([inTransaction])
  })
})

describe('a migration that builds an index on a large table', () => {
  beforeEach(async () => {
    await start(concurrent)
    await other.query(anEvent('1'))
  })

  test('other sessions write to the table while it builds', async () => {
    const migrating = migrate(empty.url, { lockMs: 60_000, tries: 1, pauseMs: 1 })
    await untilItWaits(`locktype = 'virtualxid'`)
    await before.query(anEvent('2'))
    await other.commitTransaction()

    expect(await migrating).toEqual([concurrent])
    expect(await validIndexes()).toBe(1)
  })

  test('it waits for a transaction that runs longer than the lock timeout', async () => {
    const migrating = migrate(empty.url, { lockMs: 50, tries: 1, pauseMs: 1 })
    const longWait = untilItWaits(`locktype = 'virtualxid' AND waitstart < clock_timestamp() - interval '100 ms'`)
    await Promise.race([longWait, migrating])
    await other.commitTransaction()

    expect(await migrating).toEqual([concurrent])
    expect(await validIndexes()).toBe(1)
  })

  test('it restores the lock timeout for later migrations', async () => {
    await other.commitTransaction()
    const limited = new DataSource({ type: 'postgres', url: empty.url, extra: { max: 1, lock_timeout: 1_234 } })
    await limited.initialize()
    const runner = limited.createQueryRunner()
    for (const Migration of migrations.filter(({ name }) => name === concurrent)) await new Migration().up(runner)
    const timeout = await runner.query('SHOW lock_timeout')
    await runner.release()
    await limited.destroy()

    expect(timeout).toEqual([{ lock_timeout: '1234ms' }])
    expect(await validIndexes()).toBe(1)
  })

  test('an interrupted build throws an error, and the next run replaces what is left', async () => {
    const migrating = migrate(empty.url)
    const terminated = untilItWaits(`locktype = 'virtualxid'`).then(() =>
      before.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND locktype = 'virtualxid'`),
    )
    await expect(migrating).rejects.toThrow(/terminat/)
    await terminated
    await other.commitTransaction()

    expect(await migrate(empty.url)).toEqual([concurrent])
    expect(await validIndexes()).toBe(1)
  })
})

function anEvent(id: string): string {
  return `INSERT INTO bank_events (id, environment, event_id, category, received_at)
    VALUES (gen_random_uuid(), 'live', '${id}', 'transfer', now())`
}

async function validIndexes(): Promise<number> {
  const valid = await before.query(
    `SELECT FROM pg_index WHERE indexrelid = 'bank_events_payout_index'::regclass AND indisvalid`,
  )
  return valid.length
}

async function untilItWaits(lock: string): Promise<void> {
  while ((await before.query(`SELECT FROM pg_locks WHERE NOT granted AND ${lock}`)).length === 0);
}
