// The pool: what queries return, how transactions end, and how it handles a lost server.
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

test('big numbers are returned as bigint, dates as text, times as Date', async () => {
  const rows = await db.sql`SELECT 9007199254740993::bigint AS big, DATE '2026-10-25' AS day,
    TIMESTAMPTZ '2026-10-25T00:30:00Z' AS time`

  expect(rows).toEqual([{ big: 9007199254740993n, day: '2026-10-25', time: new Date('2026-10-25T00:30:00Z') }])
})

test('every verb returns rows, inside and outside a transaction', async () => {
  const { id } = await aPartner(db)

  expect(await rename(db, id, 'One')).toEqual([{ name: 'One' }])
  expect(await db.transaction((tx) => rename(tx, id, 'Two'))).toEqual([{ name: 'Two' }])
  expect(await nameOf(db, id)).toEqual([{ name: 'Two' }])
})

test('a transaction whose work throws leaves nothing behind and returns its connection', async () => {
  const { id } = await aPartner(db)
  const refused = new Error('refused')

  // Runs more often than the pool has connections, so that a leak would be noticed.
  for (let time = 0; time < 5; time += 1) {
    const work = async (tx: Tx) => {
      await rename(tx, id, 'Changed')
      throw refused
    }
    await expect(db.transaction(work)).rejects.toBe(refused)
  }

  expect(await nameOf(db, id)).toEqual([{ name: 'Acme Ltd' }])
})

test('a transaction that swallowed a failed statement does not report a commit', async () => {
  const { id } = await aPartner(db)

  const transaction = db.transaction(async (tx) => {
    await rename(tx, id, 'Changed')
    await tx.sql`SELECT 1 / ${0}::integer`.catch(() => undefined)
  })

  await expect(transaction).rejects.toThrow('cannot be committed')
  expect(await nameOf(db, id)).toEqual([{ name: 'Acme Ltd' }])
})

test('limits on statements and idle transactions reach the server', async () => {
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

test('a connection that dies between two statements of a transaction fails that transaction and nothing else', async () => {
  const { id } = await aPartner(db)

  const transaction = db.transaction(async (tx) => {
    await rename(tx, id, 'Changed')
    const [row] = await backend(tx)
    await terminate(row?.pid)
    // The server's closing message arrives while no statement runs. An unhandled error event would end the process now.
    await eventually(async () => !(await isAlive(row?.pid)))
    await db.ping()
    await rename(tx, id, 'Changed again')
  })

  await expect(transaction).rejects.toThrow('not queryable')
  expect(await nameOf(db, id)).toEqual([{ name: 'Acme Ltd' }])
})

test('a connection that ends at the moment of checkout fails its transaction and nothing else', async () => {
  const proxy = await proxyOf(database.url)
  const other = await openDatabase({ url: proxy.url, poolSize: 2, onError: () => undefined })

  // Runs while the only connection is busy, so that the second transaction needs a new one.
  await other.transaction(async () => {
    proxy.endNext()
    await expect(other.transaction((tx) => backend(tx))).rejects.toThrow('not queryable')
  })

  expect(await other.transaction((tx) => backend(tx))).toHaveLength(1)
  await other.close()
  await proxy.cut()
})

test('the pool survives a database that goes down and comes back', async () => {
  const proxy: TcpProxy = await proxyOf(database.url)
  const other = await openDatabase({ url: proxy.url, poolSize: 3, onError: () => undefined })
  await Promise.all([other.ping(), other.ping(), other.ping()])

  await proxy.cut()
  await expect(other.ping()).rejects.toThrow(gone)
  await expect(other.transaction((tx) => backend(tx))).rejects.toThrow(gone)
  await proxy.restore()

  // A connection that is already dead, but not yet noticed, may fail one more query.
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

test('opening a missing database fails and leaves nothing open', async () => {
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
  const deadline = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the condition never became true')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
