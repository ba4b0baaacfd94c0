// The pool: what queries return, how transactions end, and how it handles a lost server.
import { EventEmitter, once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { openDatabase } from '../../db/data-source'
import type { Db, Tx } from '../../db/database'
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

const backend = { name: 'test-backend', text: 'SELECT pg_backend_pid() AS pid' }
const terminate = { name: 'test-terminate', text: 'SELECT pg_terminate_backend($1)' }
const alive = { name: 'test-alive', text: 'SELECT pid FROM pg_stat_activity WHERE pid = $1' }
const rename = { name: 'test-rename', text: 'UPDATE partners SET name = $2 WHERE id = $1 RETURNING name' }
const nameOf = { name: 'test-name', text: 'SELECT name FROM partners WHERE id = $1' }
const gone = /ECONNREFUSED|ECONNRESET|terminated/
const fail = { name: 'test-fail', text: 'SELECT 1 / $1::integer' }

test('big numbers are returned as bigint, dates as text, times as Date', async () => {
  const text = `SELECT 9007199254740993::bigint AS big, DATE '2026-10-25' AS day, TIMESTAMPTZ '2026-10-25T00:30:00Z' AS time`

  const rows = await db.query({ name: 'test-types', text }, [])

  expect(rows).toEqual([{ big: 9007199254740993n, day: '2026-10-25', time: new Date('2026-10-25T00:30:00Z') }])
})

test('every verb returns rows, in and out of a transaction', async () => {
  const { id } = await aPartner(db)

  expect(await db.query(rename, [id, 'One'])).toEqual([{ name: 'One' }])
  expect(await db.transaction((tx) => tx.query(rename, [id, 'Two']))).toEqual([{ name: 'Two' }])
  expect(await db.query(nameOf, [id])).toEqual([{ name: 'Two' }])
})

test('a transaction whose work throws leaves nothing behind and returns its connection', async () => {
  const { id } = await aPartner(db)
  const refused = new Error('refused')

  // More often than the pool has connections, so that a leaked one would be noticed.
  for (let time = 0; time < 5; time += 1) {
    const work = async (tx: Tx) => {
      await tx.query(rename, [id, 'Changed'])
      throw refused
    }
    await expect(db.transaction(work)).rejects.toBe(refused)
  }

  expect(await db.query(nameOf, [id])).toEqual([{ name: 'Acme Ltd' }])
})

test('a transaction that swallowed a failed statement does not report a commit', async () => {
  const { id } = await aPartner(db)

  const transaction = db.transaction(async (tx) => {
    await tx.query(rename, [id, 'Changed'])
    await tx.query(fail, [0]).catch(() => undefined)
  })

  await expect(transaction).rejects.toThrow('cannot be committed')
  expect(await db.query(nameOf, [id])).toEqual([{ name: 'Acme Ltd' }])
})

test('limits on statements and idle transactions reach the server', async () => {
  const text = `SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle`

  expect(await db.query({ name: 'test-limits', text }, [])).toEqual([{ statement: '10s', idle: '10s' }])
})

test('an idle connection that the server drops is reported and replaced', async () => {
  const other = await openDatabase({ url: database.url, poolSize: 1, onError: (error) => lostIdle.push(error) })
  const [row] = await other.query<{ pid: number }>(backend, [])

  await db.query(terminate, [row?.pid])
  await eventually(() => lostIdle.length > 0)

  const [after] = await other.query<{ pid: number }>(backend, [])
  expect(after?.pid).not.toBe(row?.pid)
  await other.close()
})

test('a connection that dies between two statements of a transaction fails that transaction and nothing else', async () => {
  const { id } = await aPartner(db)

  const transaction = db.transaction(async (tx) => {
    await tx.query(rename, [id, 'Changed'])
    const [row] = await tx.query<{ pid: number }>(backend, [])
    await db.query(terminate, [row?.pid])
    // The server's closing message arrives while no statement runs. An unhandled error event would end the process now.
    await eventually(async () => (await db.query(alive, [row?.pid])).length === 0)
    await db.ping()
    await tx.query(rename, [id, 'Changed again'])
  })

  await expect(transaction).rejects.toThrow('not queryable')
  expect(await db.query(nameOf, [id])).toEqual([{ name: 'Acme Ltd' }])
})

test('a connection that ends at the moment of checkout fails its transaction and nothing else', async () => {
  const proxy = await proxyOf(database.url)
  const other = await openDatabase({ url: proxy.url, poolSize: 2, onError: () => undefined })

  // While the only connection is busy, so that the second transaction needs a new one.
  await other.transaction(async () => {
    proxy.farewellNext()
    await expect(other.transaction((tx) => tx.query(backend, []))).rejects.toThrow('not queryable')
  })

  expect(await other.transaction((tx) => tx.query(backend, []))).toHaveLength(1)
  await other.close()
  await proxy.cut()
})

test('the pool survives a database that goes down and comes back', async () => {
  const proxy: TcpProxy = await proxyOf(database.url)
  const other = await openDatabase({ url: proxy.url, poolSize: 3, onError: () => undefined })
  await Promise.all([other.ping(), other.ping(), other.ping()])

  await proxy.cut()
  await expect(other.ping()).rejects.toThrow(gone)
  await expect(other.transaction((tx) => tx.query(backend, []))).rejects.toThrow(gone)
  await proxy.restore()

  // A connection whose end was not noticed yet may cost one more query.
  await eventually(() =>
    other.ping().then(
      () => true,
      () => false,
    ),
  )
  expect(await other.transaction((tx) => tx.query(backend, []))).toHaveLength(1)
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
    await tx.query(rename, [id, 'Late'])
    gate.emit('begun')
    await opened
  })
  await begun

  const closed = other.close()
  gate.emit('open')

  await Promise.all([transaction, closed])
  expect(await db.query(nameOf, [id])).toEqual([{ name: 'Late' }])
})

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('this never came true')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
