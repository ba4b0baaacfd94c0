// `archive write` drops a partition only if its rows are in a verified file and nothing needs them, whenever it is
// interrupted.
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { recordActivity } from '../../../db/controls/activity'
import { dropPartition, isRange, listPartitions, type Range } from '../../../db/controls/archives'
import { verifyAudit } from '../../../db/controls/audit/verify'
import { findLedgerDrifts } from '../../../db/controls/proof/ledger'
import type { Db } from '../../../db/database'
import type { StoredPayout } from '../../../db/payouts/payout'
import { writeFile } from '../../../ops/controls/archive'
import { aPartner, aWallet } from '../../support/db/a-partner'
import { aPayout } from '../../support/db/a-payout'
import { asApplication } from '../../support/db/app-role'
import { sealAll } from '../../support/db/seal-all'
import { withoutTriggers } from '../../support/db/without-triggers'
import { openedForEach } from '../../support/opened'
import { openTerminal, type Ran, runWith } from '../../support/terminal'

const terminal = openedForEach(openTerminal, (current) => current.close())
const longAgo = new Date('2020-03-01T10:00:00Z')
const closed = { status: 'cancelled', createdAt: longAgo, closedAt: new Date('2020-03-02T10:00:00Z') } as const
const day = '2021-01-01'
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archives-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('payout_events', () => {
  const file = () => join(folder, 'payout_events-0-200000000.ndjson.gz')

  test('the rows of closed payouts move to a private file, and the record has its SHA-256', async () => {
    const events = [
      await anEvent(await aPayout(terminal.db, closed)),
      await anEvent(await aPayout(terminal.db, closed)),
    ]
    await fill('payout_events')
    const young = await anEvent(await aPayout(terminal.db))

    const { code, out } = await write('payout_events', '--json')

    expect(code).toBe(0)
    const sha256 = createHash('sha256').update(readFileSync(file())).digest('hex')
    expect(JSON.parse(out).data).toEqual([
      { table: 'payout_events', from_id: '0', before_id: '200000000', rows: '2', file: file(), sha256 },
    ])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const lines = gunzipSync(readFileSync(file())).toString().trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...events[0], id: 1, at: '2020-03-01T10:00:00.123456Z' },
      { ...events[1], id: 2, at: '2020-03-01T10:00:00.123456Z' },
    ])
    expect(await terminal.db.dataSource.query('SELECT payout_id FROM payout_events')).toEqual([
      { payout_id: young.payout_id },
    ])
    expect(await terminal.ops('archive', 'verify', '--file', file())).toMatchObject({ code: 0 })
    const { data } = await terminal.json<{ data: unknown[] }>('archive', 'list')
    expect(data[0]).toMatchObject({ table: 'payout_events', state: 'archived', rows: '2', sha256 })
  })

  test('an archived row can be loaded again', async () => {
    const event = await anEvent(await aPayout(terminal.db, closed))
    const before = await terminal.db.dataSource.query('SELECT * FROM payout_events')
    await fill('payout_events')
    await write('payout_events')

    const [line = ''] = gunzipSync(readFileSync(file())).toString().split('\n')
    const loaded = 'SELECT * FROM json_populate_record(NULL::payout_events, $1::json)'

    expect(await terminal.db.dataSource.query(loaded, [line])).toEqual(before)
    expect(before).toMatchObject([event])
  })

  test('the reconciliation misses the timeline of a payout only if it cannot have been archived', async () => {
    const wallet = await aWallet(terminal.db)
    const archived = await aPayout(terminal.db, closed, wallet)
    await anEvent(archived)
    const young = await aPayout(terminal.db, { ...closed, createdAt: new Date('2020-06-01T10:00:00Z') }, wallet)
    const open = await aPayout(terminal.db, { createdAt: longAgo }, wallet)
    const drifts = async () => {
      const { findings } = await terminal.db.transaction((tx) => findLedgerDrifts(tx, wallet.id))
      return findings.filter(({ kind }) => kind === 'payout_row').map(({ subject }) => subject)
    }
    const before = await drifts()
    await fill('payout_events')
    await write('payout_events')

    expect(await terminal.db.dataSource.query('SELECT count(*)::int AS left FROM payout_events')).toEqual([{ left: 0 }])
    expect(await drifts()).toEqual(before)
    expect(new Set(before)).toEqual(new Set([young.id, open.id]))
  })

  test.each<[string, Partial<StoredPayout>, RegExp]>([
    ['is open', { createdAt: longAgo }, /row 2 belongs to a payout that was not closed/],
    ['was closed later', { ...closed, closedAt: new Date('2021-01-01T00:00:00Z') }, /row 2 belongs to a payout/],
    ['needs attention', { ...closed, attention: 'outcome_overdue' }, /row 2 belongs to a payout/],
  ])('nothing is dropped while a payout %s', async (_state, payout, reason) => {
    await anEvent(await aPayout(terminal.db, closed))
    await anEvent(await aPayout(terminal.db, payout))
    await fill('payout_events')

    expectRefused(await write('payout_events'), reason)

    expect(readdirSync(folder)).toEqual([])
    expect(await count('payout_events')).toBe(2)
  })

  test('nothing is dropped while the partition gets rows or has a young one', async () => {
    await anEvent(await aPayout(terminal.db, closed))
    expectRefused(await write('payout_events'), /no partition is full/)
    await anEvent(await aPayout(terminal.db, closed), '2021-01-01T00:00:00Z')
    await fill('payout_events')

    expectRefused(await write('payout_events'), /row 2 is too young/)
    expect(await count('payout_events')).toBe(2)
  })

  test('a day within the last 400 days, a missing folder and the application’s role are refused', async () => {
    await anEvent(await aPayout(terminal.db, closed))
    await fill('payout_events')
    const recent = new Date(Date.now() - 399 * 86_400_000).toISOString().slice(0, 10)
    const options = ['archive', 'write', '--table', 'payout_events', '--to', folder, '--before']

    expectRefused(await terminal.ops(...options, recent), /at least 400 days ago/)
    const elsewhere = ['archive', 'write', '--table', 'payout_events', '--to', join(folder, 'none'), '--before', day]
    expectRefused(await terminal.ops(...elsewhere), /cannot be written \(ENOENT\)/)
    const application = { ...terminal.env, DATABASE_URL: await asApplication(terminal.env.DATABASE_URL) }
    expectRefused(await runWith(application, [...options, day]), /role that owns the database/)
    expect(await count('payout_events')).toBe(1)
  })

  test('a run that was interrupted while it wrote, or before it dropped the partition, is completed by the next', async () => {
    await anEvent(await aPayout(terminal.db, closed))
    await fill('payout_events')
    writeFileSync(`${file()}.part`, 'half')
    const partition = await firstPartition()
    const written = await writeFile(terminal.db, partition, { before: new Date(day), file: file() })
    const kept = readFileSync(file())

    expect(await write('payout_events')).toMatchObject({ code: 0 })

    expect(written).toMatchObject({ rows: 1n })
    expect(readFileSync(file())).toEqual(kept)
    expect(readdirSync(folder)).toEqual(['payout_events-0-200000000.ndjson.gz'])
    expect(await count('payout_events')).toBe(0)
  })

  test('nothing is dropped if a row has changed since the file was written', async () => {
    await anEvent(await aPayout(terminal.db, closed))
    await fill('payout_events')
    const partition = await firstPartition()
    const written = await writeFile(terminal.db, partition, { before: new Date(day), file: file() })
    if (written === 'other_file') throw new Error('there must be no other file')
    await withoutTriggers(terminal.db, `UPDATE payout_events SET detail = 'later'`)

    const about = { before: new Date(day), file: written, at: longAgo, by: 'ops:test' }

    expect(await dropPartition(terminal.db, partition, about)).toBe('differs')
    expect(await count('payout_events')).toBe(1)
  })

  test('a busy table stops it before anything is dropped, and the next run completes it', async () => {
    await anEvent(await aPayout(terminal.db, closed))
    await fill('payout_events')
    const client = new Client({ connectionString: terminal.env.DATABASE_URL })
    await client.connect()
    await client.query('BEGIN')
    // As a payout does, but without a transaction ID, which would delay the sealers of other tests.
    await client.query('LOCK TABLE payouts IN ROW EXCLUSIVE MODE')

    const busy = await write('payout_events')
    await client.query('COMMIT')
    await client.end()

    expectRefused(busy, /too busy/, 1)
    expect(await count('payout_events')).toBe(1)
    expect(await write('payout_events')).toMatchObject({ code: 0 })
    expect(await count('payout_events')).toBe(0)
  })

  test('another file with the same name is not overwritten', async () => {
    await anEvent(await aPayout(terminal.db, closed))
    await fill('payout_events')
    writeFileSync(file(), gzipSync('{"id": 1}\n'))

    expectRefused(await write('payout_events'), /has other content/)

    expect(gunzipSync(readFileSync(file())).toString()).toBe('{"id": 1}\n')
    expect(await count('payout_events')).toBe(1)
  })
})

describe('activity', () => {
  const file = () => join(folder, 'activity-0-200000000.ndjson.gz')

  test('the audit chain holds without the archived rows, and proves the file', async () => {
    await someChanges(3)
    await sealAll(terminal.db, longAgo)
    const { links_that_hold, head } = await verified()
    await fill('activity')

    expect(await write('activity')).toMatchObject({ code: 0 })

    expect(await count('activity')).toBe(0)
    expect(await verified()).toMatchObject({ links_that_hold, head, what: null, archived_rows: '3' })
    expect(await terminal.ops('archive', 'verify', '--file', file())).toMatchObject({
      code: 0,
      out: 'The file is the archive of 3 rows of activity.\n',
    })
  })

  test('a changed file is found, even if its record was changed as well', async () => {
    await someChanges(2)
    await sealAll(terminal.db, longAgo)
    await fill('activity')
    await write('activity')
    const text = gunzipSync(readFileSync(file())).toString().replace('key.create', 'key.revoke')
    writeFileSync(file(), gzipSync(text))
    const changed = await terminal.ops('archive', 'verify', '--file', file())
    const sha256 = createHash('sha256').update(readFileSync(file())).digest()
    await withoutTriggers(terminal.db, 'UPDATE archives SET sha256 = $1', [sha256])

    const both = await terminal.ops('archive', 'verify', '--file', file())

    expect(changed).toMatchObject({ code: 1, out: expect.stringMatching(/^No archive has the SHA-256/) })
    expect(both).toMatchObject({ code: 1, out: expect.stringMatching(/^Row 1 was changed after it was sealed/) })
  })

  test('a row outside the archived range is still missed', async () => {
    await someChanges(1)
    await sealAll(terminal.db, longAgo)
    await fill('activity')
    await someChanges(1)
    await sealAll(terminal.db, longAgo)
    await write('activity')

    await terminal.db.dataSource.query('DELETE FROM activity WHERE id > 200000000')

    const { code, out } = await terminal.ops('audit', 'verify', '--json')
    expect([code, JSON.parse(out)]).toMatchObject([1, { what: 'row_missing', table: 'activity' }])
  })

  test('a row that is archived during a verification is not reported as missing', async () => {
    await someChanges(3)
    await sealAll(terminal.db, longAgo)
    await fill('activity')
    // The first transaction of the verification reads the list of archives, the second one reads links.
    let written: Ran | null = null
    let transactions = 0
    const transaction: Db['transaction'] = async (...work) => {
      transactions += 1
      if (transactions === 2) written = await write('activity')
      return terminal.db.transaction(...work)
    }

    const verified = await verifyAudit({ ...terminal.db, transaction })

    expect(written).toMatchObject({ code: 0 })
    expect(verified).toMatchObject({ fault: null, archived: 3 })
  })

  test('a false record of an archive does not hide a removed row', async () => {
    await someChanges(2)
    await sealAll(terminal.db, longAgo)
    await terminal.db.dataSource.query('DELETE FROM activity WHERE id = 1')
    await terminal.db.dataSource.query(
      `INSERT INTO archives VALUES (gen_random_uuid(), 'activity', 1, 2, 1, now(), sha256('x'), now(), 'ops:mallory')`,
    )

    const { code, out } = await terminal.ops('audit', 'verify', '--json')

    expect([code, JSON.parse(out)]).toMatchObject([1, { what: 'row_missing', table: 'activity' }])
  })

  test.each<[string, string, RegExp]>([
    ['not sealed', '', /row 3 is not in the audit chain/],
    ['a read', 'UPDATE activity SET changes = false WHERE id = 3', /row 3 is about a read/],
    ['changed', `UPDATE activity SET detail = 'forged' WHERE id = 2`, /row 2 was changed after it was sealed/],
    ['removed', 'DELETE FROM activity WHERE id IN (2, 3)', /row 2 is in the audit chain and not in the table/],
  ])('nothing is dropped while a row is %s', async (_state, change, reason) => {
    await someChanges(2)
    await sealAll(terminal.db, longAgo)
    await someChanges(1)
    if (change !== '') await terminal.db.dataSource.query(change)
    await fill('activity')
    const before = await count('activity')

    expectRefused(await write('activity'), reason)

    expect(await count('activity')).toBe(before)
    expect(await terminal.db.dataSource.query('SELECT FROM archives')).toEqual([])
  })
})

async function anEvent({ id, status }: StoredPayout, at = '2020-03-01T10:00:00.123456Z') {
  const event = { payout_id: id, kind: 'requested', status, made_by: 'key:kp_1', detail: 'ä\u2028"' }
  await terminal.db.dataSource.query(
    'INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail) VALUES ($1, $2, $3, $4, $5, $6)',
    [id, at, event.kind, event.status, event.made_by, event.detail],
  )
  return event
}

async function someChanges(count: number): Promise<void> {
  const { id: partnerId } = await aPartner(terminal.db)
  const entry = { partnerId, at: longAgo, environment: 'sandbox', action: 'key.create', changes: 'something' } as const
  const rest = { status: 201, madeBy: 'ada@acme.test', detail: 'ä\u2028"', requestId: null } as const
  await recordActivity(
    terminal.db,
    Array.from({ length: count }, () => ({ ...entry, ...rest })),
  )
}

async function firstPartition(): Promise<Range> {
  const partition = (await listPartitions(terminal.db)).filter(isRange).find(({ table }) => table === 'payout_events')
  if (partition === undefined) throw new Error('there must be a partition')
  return partition
}

/** Later rows go to the next partition. */
async function fill(table: string): Promise<void> {
  await terminal.db.dataSource.query('SELECT setval(pg_get_serial_sequence($1, $2), 1)', [table, 'id'])
  await terminal.db.dataSource.query('SELECT add_partitions()')
  await terminal.db.dataSource.query('SELECT setval(pg_get_serial_sequence($1, $2), 200000000)', [table, 'id'])
}

function write(table: string, ...options: string[]): Promise<Ran> {
  return terminal.ops('archive', 'write', '--table', table, '--before', day, '--to', folder, ...options)
}

function verified(): Promise<Record<string, unknown>> {
  return terminal.json('audit', 'verify')
}

async function count(table: string): Promise<number> {
  const [row] = await terminal.db.dataSource.query(`SELECT count(*)::int AS count FROM ${table}`)
  return row.count
}

function expectRefused({ code, err }: Ran, message: RegExp, expected = 2): void {
  expect(err).toMatch(message)
  expect(code).toBe(expected)
}
