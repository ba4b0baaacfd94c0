// The connection pool: query results, how transactions end, and recovery when the server is lost.
import { EventEmitter, once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { openDatabase } from '../../db/data-source'
import type { Db, Queryable, Tx } from '../../db/database'
import { aPartner } from '../support/db/a-partner'
import { createDatabase } from '../support/db/database'
import { proxyOf, type TcpProxy } from '../support/db/tcp-proxy'

let database: { url: string; drop(): Promise<void> }
let db: Db
let lostIdle: Error[] = []

beforeAll(async () => {
  database = await createDatabase()
  db = await openDatabase({ url: database.url, poolSize: 3, onError: (error) => lostIdle.push(error) })
})

afterEach(() => {
  lostIdle = []
})

afterAll(async () => {
  await db.close()
  await database.drop()
})

const gone = /ECONNREFUSED|ECONNRESET|terminated/

test('big numbers are returned as bigint, dates as text, and times as Date', async () => {
  const rows = await db.sql`SELECT 9007199254740993::bigint AS big, DATE '2026-10-25' AS day,
    TIMESTAMPTZ '2026-10-25T00:30:00Z' AS time`

  expect(rows).toEqual([{ big: 9007199254740993n, day: '2026-10-25', time: new Date('2026-10-25T00:30:00Z') }])
})

test('times are returned exactly to the millisecond, in any time zone and far from today', async () => {
  const texts = [
    '2026-10-25 00:30:00.289999Z',
    '2026-07-01 12:00:00.5Z',
    '1969-12-31 23:59:59.001Z',
    '12026-01-01 00:00Z',
  ]
  const times = [
    Date.UTC(2026, 9, 25, 0, 30, 0, 289),
    Date.UTC(2026, 6, 1, 12, 0, 0, 500),
    -999,
    Date.UTC(12_026, 0, 1),
  ].map((time) => new Date(time))

  for (const zone of ['UTC', 'Europe/London', 'Asia/Kolkata']) {
    const rows = await db.transaction(async (tx) => {
      await tx.sql`SELECT set_config('TimeZone', ${zone}, true)`
      return tx.sql`SELECT unnest(${texts}::timestamptz[]) AS time`
    })
    expect(rows).toEqual(times.map((time) => ({ time })))
  }
})

test('reads and writes return rows inside and outside a transaction', async () => {
  const { id } = await aPartner(db)

  expect(await rename(db, id, 'One')).toEqual([{ name: 'One' }])
  expect(await db.transaction((tx) => rename(tx, id, 'Two'))).toEqual([{ name: 'Two' }])
  expect(await nameOf(db, id)).toEqual([{ name: 'Two' }])
})

test('a transaction that throws changes nothing and returns its connection to the pool', async () => {
  const { id } = await aPartner(db)
  const refused = new Error('refused')

  // Runs more transactions than the pool has connections, so that leaked connections would block the test.
  for (let time = 0; time < 5; time += 1) {
    const work = async (tx: Tx) => {
      await rename(tx, id, 'Changed')
      throw refused
    }
    await expect(db.transaction(work)).rejects.toBe(refused)
  }

  expect(await nameOf(db, id)).toEqual([{ name: 'Acme Ltd' }])
})

test('a transaction that ignores a failed statement is not reported as committed', async () => {
  const { id } = await aPartner(db)

  const transaction = db.transaction(async (tx) => {
    await rename(tx, id, 'Changed')
    await tx.sql`SELECT 1 / ${0}::integer`.catch(() => undefined)
  })

  await expect(transaction).rejects.toThrow('cannot be committed')
  expect(await nameOf(db, id)).toEqual([{ name: 'Acme Ltd' }])
})

test('the timeouts for statements and idle transactions are set on the server', async () => {
  const limits = await db.sql`SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle`

  expect(limits).toEqual([{ statement: '10s', idle: '10s' }])
})

test('an idle connection that the server drops is reported and replaced', async () => {
  const other = await openDatabase({ url: database.url, poolSize: 1, onError: (error) => lostIdle.push(error) })
  const [row] = await backend(other)

  await terminate(row?.pid)
  await eventually(() => lostIdle.length > 0)

  const [after] = await backend(other)
  expect(after?.pid).not.toBe(row?.pid)
  await other.close()
})

test('a connection lost between two statements of a transaction fails only that transaction', async () => {
  const { id } = await aPartner(db)

  const transaction = db.transaction(async (tx) => {
    await rename(tx, id, 'Changed')
    const [row] = await backend(tx)
    await terminate(row?.pid)
    // The server's closing message arrives between statements. An unhandled error event would end the process.
    await eventually(async () => !(await isAlive(row?.pid)))
    await db.ping()
    await rename(tx, id, 'Changed again')
  })

  await expect(transaction).rejects.toThrow('not queryable')
  expect(await nameOf(db, id)).toEqual([{ name: 'Acme Ltd' }])
})

test('a connection that ends during checkout fails only its own transaction', async () => {
  const proxy = await proxyOf(database.url)
  const other = await openDatabase({ url: proxy.url, poolSize: 2, onError: () => undefined })

  // The outer transaction uses the only open connection, so the inner one needs a new connection.
  await other.transaction(async () => {
    proxy.endNext()
    await expect(other.transaction((tx) => backend(tx))).rejects.toThrow('not queryable')
  })

  expect(await other.transaction((tx) => backend(tx))).toHaveLength(1)
  await other.close()
  await proxy.cut()
})

test('the pool recovers when the database goes down and comes back', async () => {
  const proxy: TcpProxy = await proxyOf(database.url)
  const other = await openDatabase({ url: proxy.url, poolSize: 3, onError: () => undefined })
  await Promise.all([other.ping(), other.ping(), other.ping()])

  await proxy.cut()
  await expect(other.ping()).rejects.toThrow(gone)
  await expect(other.transaction((tx) => backend(tx))).rejects.toThrow(gone)
  await proxy.restore()

  // One more query may fail on a connection whose loss the pool has not detected yet.
  await eventually(() =>
    other.ping().then(
      () => true,
      () => false,
    ),
  )
  expect(await other.transaction((tx) => backend(tx))).toHaveLength(1)
  await other.close()
  await proxy.cut()
})

test('opening a database fails if its server is down', async () => {
  const proxy = await proxyOf(database.url)
  await proxy.cut()

  await expect(openDatabase({ url: proxy.url, poolSize: 1, onError: () => undefined })).rejects.toThrow('ECONNREFUSED')
})

test('closing waits for a running transaction', async () => {
  const { id } = await aPartner(db)
  const other = await openDatabase({ url: database.url, poolSize: 1, onError: () => undefined })
  const gate = new EventEmitter()
  const begun = once(gate, 'begun')
  const opened = once(gate, 'open')
  const transaction = other.transaction(async (tx) => {
    await rename(tx, id, 'Late')
    gate.emit('begun')
    await opened
  })
  await begun

  const closed = other.close()
  gate.emit('open')

  await Promise.all([transaction, closed])
  expect(await nameOf(db, id)).toEqual([{ name: 'Late' }])
})

function backend(on: Queryable): Promise<{ pid: number }[]> {
  return on.sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
}

async function terminate(pid = 0): Promise<void> {
  await db.sql`SELECT pg_terminate_backend(${pid})`
}

async function isAlive(pid = 0): Promise<boolean> {
  return (await db.sql`SELECT pid FROM pg_stat_activity WHERE pid = ${pid}`).length > 0
}

function rename(on: Queryable, id: string, name: string): Promise<unknown[]> {
  return on.sql`UPDATE partners SET name = ${name} WHERE id = ${id} RETURNING name`
}

function nameOf(on: Queryable, id: string): Promise<unknown[]> {
  return on.sql`SELECT name FROM partners WHERE id = ${id}`
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the condition never became true')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
