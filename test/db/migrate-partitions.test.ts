// Migrations 49 to 52 partition tables in use: no row moves, writers continue, and later rows find their partition.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { DataSource } from 'typeorm'
import { pruneActivity } from '../../activities/controls/retention'
import { recordActivity } from '../../db/controls/activity'
import { addPartitions, isRange, listPartitions } from '../../db/controls/archives'
import { verifyAudit } from '../../db/controls/audit/verify'
import type { Db } from '../../db/database'
import { migrate } from '../../db/migrate'
import { migrations } from '../../db/migrations'
import { aPayout } from '../support/db/a-payout'
import { openDb, useDatabase } from '../support/db/database'
import { createEmptyDatabase } from '../support/db/empty-database'
import { sealAll } from '../support/db/seal-all'
import { keptLog } from '../support/kept-logs'

const partitioning = [
  'PartitionBounds1794700800049',
  'PartitionBoundsValid1794700800050',
  'Partitions1794700800051',
  'PartitionLocks1794700800052',
] as const
const at = new Date('2026-11-15T10:00:00Z')
const entry = { at, environment: 'sandbox', status: 200, madeBy: 'key:kp_sandbox_12345678', detail: null } as const
const anInsert = `INSERT INTO payout_events (payout_id, at, kind, status, made_by) VALUES ($1, now(), 'requested', 'pending', 'test') RETURNING id`

let empty: { url: string; drop(): Promise<void> }
let old: DataSource
let db: Db

beforeEach(async () => {
  empty = await createEmptyDatabase()
  const landed = migrations.filter(({ name }) => !partitioning.some((each) => each === name))
  old = new DataSource({ type: 'postgres', url: empty.url, migrations: landed, migrationsTableName: 'migrations' })
  await old.initialize()
  await old.runMigrations({ transaction: 'each' })
  db = await openDb(empty.url, 3)
})
afterEach(async () => {
  await db.close()
  await old.destroy()
  await empty.drop()
})

test('a database in use keeps its rows, its privileges and its audit chain, and its IDs continue', async () => {
  const { id: payoutId, partnerId } = await aPayout(db)
  const changed = { ...entry, partnerId, action: 'key.create', changes: 'something', requestId: null } as const
  await recordActivity(db, [changed, changed, { ...changed, action: 'key.list', changes: 'nothing' }])
  await old.query('GRANT SELECT ON activity TO pg_monitor')
  // A process of the previous release, whose connection has prepared its statements.
  const process = new Client({ connectionString: empty.url })
  await process.connect()
  const insert = () => process.query({ name: 'an insert', text: anInsert, values: [payoutId] })
  const [first, second] = [await insert(), await insert()]
  await old.query('SELECT setval(pg_get_serial_sequence($1, $2), 450000000)', ['payout_events', 'id'])
  const before = await rowsOf(old)

  expect(await migrate(empty.url)).toEqual(partitioning)

  expect(await rowsOf(old)).toEqual(before)
  const third = await insert()
  await recordActivity(db, [changed])
  await process.end()
  expect([first, second, third].map(({ rows }) => rows[0].id)).toEqual(['1', '2', '450000001'])
  expect(await old.query('SELECT max(id) FROM activity')).toEqual([{ max: '4' }])
  expect(await old.query(`SELECT has_table_privilege('pg_monitor', 'activity', 'SELECT') AS has`)).toEqual([
    { has: true },
  ])
  await sealAll(db, at)
  expect(await verifyAudit(db)).toMatchObject({ fault: null, archived: 0 })
  const bounds = (await listPartitions(db)).map(({ name, fromId, beforeId }) => [name, fromId, beforeId])
  expect(bounds).toEqual([
    ['activity_from_0', 0n, 200_000_000n],
    ['activity_from_200000000', 200_000_000n, 300_000_000n],
    ['activity_default', null, null],
    ['payout_events_from_0', 0n, 600_000_000n],
    ['payout_events_from_600000000', 600_000_000n, 700_000_000n],
    ['payout_events_default', null, null],
  ])
})

/** With the transaction that wrote each row, which shows that no row was written again. */
function rowsOf(source: DataSource): Promise<unknown> {
  return source.query(`SELECT xmin, id, to_jsonb(a) AS row FROM activity a
    UNION ALL SELECT xmin, id, to_jsonb(e) FROM payout_events e ORDER BY 3`)
}

test('writers continue if the migration stops before its last step', async () => {
  const { id: payoutId } = await aPayout(db)
  const some = migrations.filter(({ name }) => !/5[12]$/.test(name))
  const stopped = new DataSource({
    type: 'postgres',
    url: empty.url,
    migrations: some,
    migrationsTableName: 'migrations',
  })
  await stopped.initialize()
  await stopped.runMigrations({ transaction: 'each' })
  await stopped.destroy()
  await old.query('SELECT setval(pg_get_serial_sequence($1, $2), 100000000)', ['payout_events', 'id'])
  await old.query(anInsert, [payoutId])

  expect(await migrate(empty.url)).toEqual(['Partitions1794700800051', 'PartitionLocks1794700800052'])

  expect(await old.query(anInsert, [payoutId])).toEqual([{ id: '100000002' }])
})

const fresh = useDatabase(3)

test('a function that already has the limit of migration 52 stays as it is', async () => {
  const text = () => old.query(`SELECT prosrc FROM pg_proc WHERE proname = 'add_partitions'`)
  await migrate(empty.url)
  const before: { prosrc: string }[] = await text()
  await old.query(`DELETE FROM migrations WHERE name = 'PartitionLocks1794700800052'`)

  expect(await migrate(empty.url)).toEqual(['PartitionLocks1794700800052'])

  expect(await text()).toEqual(before)
  expect(before[0]?.prosrc.match(/SET LOCAL lock_timeout = '3s'/g)).toHaveLength(1)
})

test('rows go to the partition of their ID, and to the default one if it does not exist', async () => {
  const { id: payoutId } = await aPayout(fresh)
  const deps = {
    db: fresh,
    clock: { now: () => at },
    log: keptLog(),
    activityRetentionDays: 7,
    activityReadRetentionDays: 7,
  }
  const prune = () => pruneActivity(deps, { limit: 10 })
  const places: string[] = []
  const insert = async () => {
    const [{ id }] = await fresh.dataSource.query(anInsert, [payoutId])
    const [{ place }] = await fresh.dataSource.query(
      'SELECT tableoid::regclass::text AS place FROM payout_events WHERE id = $1',
      [id],
    )
    places.push(place)
  }

  await insert()
  await prune()
  await continueAt('payout_events', 200_000_005)
  await insert()
  // Nothing created partitions for a long time.
  await continueAt('payout_events', 10_000_000_005)
  await insert()
  await prune()
  await insert()
  await continueAt('payout_events', 10_200_000_005)
  await insert()

  expect(places).toEqual([
    'payout_events_from_0',
    'payout_events_from_200000000',
    'payout_events_default',
    'payout_events_default',
    'payout_events_from_10200000000',
  ])
  const events = await fresh.dataSource.query('SELECT count(*)::int AS count FROM payout_events WHERE payout_id = $1', [
    payoutId,
  ])
  expect(events).toEqual([{ count: 5 }])
})

test('partitions grow with the table, so that it never has many', async () => {
  await continueAt('activity', 30_000_000_000)

  expect(await addPartitions(fresh)).toBeGreaterThan(0)
  expect(await addPartitions(fresh)).toBe(0)
  const bounds = (await listPartitions(fresh))
    .filter(({ table }) => table === 'activity')
    .map(({ beforeId }) => beforeId)
  expect(bounds.slice(-3)).toEqual([33_200_000_000n, 36_200_000_000n, null])
})

test('no partition waits long for a lock that a payout holds', async () => {
  await continueAt('payout_events', 20_000_000_000)
  const client = new Client({ connectionString: fresh.url })
  await client.connect()
  await client.query('BEGIN')
  // As a payout does, but without a transaction ID, which would delay the sealers of other tests.
  await client.query('LOCK TABLE payouts IN ROW EXCLUSIVE MODE')

  const added = await addPartitions(fresh)
  await client.query('COMMIT')
  await client.end()

  expect(added).toBe('blocked')
  expect(await addPartitions(fresh)).toBeGreaterThan(0)
})

test('a row in the range of the next partition delays only that partition', async () => {
  const { partnerId } = await aPayout(fresh)
  await continueAt('activity', 100_000_000_000)
  await insertActivity(`SELECT 100300000000, '${partnerId}', now(), 'key.create', true, 'test', NULL`)

  expect(await addPartitions(fresh)).toBe('blocked')

  expect((await listPartitions(fresh)).map(({ name }) => name)).not.toContain('activity_from_100200000000')
})

test('no partition is attached while the default one is large, which is logged, and pruning continues', async () => {
  const { partnerId } = await aPayout(fresh)
  await continueAt('activity', 200_000_000_000)
  const wide = `SELECT 150000000000 + n, '${partnerId}', now(), 'key.create', true, 'test', repeat(md5(n::text), 40)`
  await insertActivity(`${wide} FROM generate_series(1, 8000) n`)
  const read = { ...entry, partnerId, action: 'key.list', changes: 'nothing', requestId: null } as const
  await recordActivity(fresh, [{ ...read, at: new Date('2026-01-01T00:00:00Z') }])
  const lines: string[] = []
  const log = keptLog({ level: 'warn', write: (line) => lines.push(line) })
  const deps = { db: fresh, log, clock: { now: () => at }, activityRetentionDays: 7, activityReadRetentionDays: 7 }

  expect(await pruneActivity(deps, { limit: 10 })).toBe(1)

  expect(lines.join('')).toContain('no new partition could be created')
})

async function insertActivity(rows: string): Promise<void> {
  await fresh.dataSource.query(
    `INSERT INTO activity (id, partner_id, at, action, changes, made_by, detail) OVERRIDING SYSTEM VALUE ${rows}`,
  )
}

test('every partition of the timelines is append only and lists changes for the reconciliation', async () => {
  const { id: payoutId } = await aPayout(fresh)
  const partitions = (await listPartitions(fresh)).filter(({ table }) => table === 'payout_events')
  expect(partitions.length).toBeGreaterThan(3)

  for (const { fromId } of partitions.filter(isRange)) {
    await fresh.dataSource.query('DELETE FROM proof_changes')
    await continueAt('payout_events', Number(fromId) + 10)
    await fresh.dataSource.query(anInsert, [payoutId])
    expect(await fresh.dataSource.query('SELECT payout_id FROM proof_changes')).toEqual([{ payout_id: payoutId }])
  }
  for (const { name } of partitions) {
    for (const change of [`DELETE FROM ${name}`, `UPDATE ${name} SET detail = 'x'`, `TRUNCATE ${name}`]) {
      await expect(fresh.dataSource.query(change)).rejects.toMatchObject({ driverError: { code: '23001' } })
    }
  }
})

async function continueAt(table: string, id: number): Promise<void> {
  await fresh.dataSource.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [table, 'id', id])
}
