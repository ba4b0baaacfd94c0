// Several processes can migrate concurrently, and each migration runs once. The report is one line.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { migrate, migrationReport } from '../../db/migrate'
import { migrations } from '../../db/migrations'
import { createEmptyDatabase } from '../support/db/empty-database'

let empty: { url: string; drop(): Promise<void> }

beforeAll(async () => {
  empty = await createEmptyDatabase()
})

afterAll(() => empty.drop())

test('five processes that migrate an empty database concurrently run each migration once', async () => {
  const ran = await Promise.all([1, 2, 3, 4, 5].map(() => migrate(empty.url)))

  expect(ran.flat()).toEqual(migrations.map((migration) => migration.name))
  expect(ran.filter((names) => names.length === 0)).toHaveLength(4)
  const client = new Client({ connectionString: empty.url })
  await client.connect()
  const { rows } = await client.query('SELECT name FROM migrations ORDER BY id')
  await client.end()
  expect(rows.map((row) => row.name)).toEqual(migrations.map((migration) => migration.name))
})

test('the report for an up-to-date database is one sentence', async () => {
  const report = await migrationReport(empty.url)

  expect(report.outcome).toBe('migrated')
  expect(report.sentence).toMatch(/^The database \S+ was up to date already\.$/)
})

test('the report for an unreachable database is one line without the password', async () => {
  const report = await migrationReport('postgres://ada:hunter2@127.0.0.1:1/payouts')

  expect(report.outcome).toBe('failed')
  expect(report.sentence).toMatch(/^The database 127\.0\.0\.1:1\/payouts could not be migrated: .*ECONNREFUSED.*\.$/)
  expect(report.sentence).not.toContain('hunter2')
  expect(report.sentence).not.toContain('\n')
})

test('the report names the folder of a socket instead of the host that is not used', async () => {
  const report = await migrationReport('postgres://ada@unused.test/payouts?host=/nowhere')

  expect(report.sentence).toMatch(/^The database \/nowhere\/payouts could not be migrated: .*\.$/)
})

test.each([undefined, '', 'mysql://localhost/payouts', 'postgres://[', 'postgresql'])(
  'DATABASE_URL %p is refused before any connection',
  async (url) => {
    const report = await migrationReport(url)

    expect(report).toEqual({
      outcome: 'failed',
      sentence: 'DATABASE_URL must be set to a URL that starts with postgres:// or postgresql://.',
    })
  },
)
