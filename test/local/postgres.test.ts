// Our own PostgreSQL server starts for root and for other users, keeps its data, uses another port if necessary, and
// never outlives its parent.
import { spawn } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { projectDir } from '../../local/files'
import { choosePort } from '../../local/ports'
import { removeCluster } from '../../local/postgres/cluster'
import { type Postgres, type PostgresOptions, startPostgres } from '../../local/postgres/start'
import { isAlive } from '../../local/process/identity'
import { until } from '../support/until'

let folder = ''
let dataDir = ''
let running: Postgres[] = []

// mkdtemp creates a folder that other users cannot enter, so when root runs these tests, they all cover that case.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-postgres-'))
  dataDir = join(folder, 'postgres')
})

afterEach(async () => {
  for (const server of running) await server.stop()
  running = []
})

afterAll(() => {
  removeCluster(dataDir)
  rmSync(folder, { recursive: true, force: true })
})

test('data survives a restart', async () => {
  const first = await start()
  await query(first, 'create table kept as select 42 as answer')
  await first.stop()
  const second = await start()

  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('the data folder is a link only if root runs the server, because PostgreSQL’s user cannot enter the folder above it', async () => {
  const server = await start()

  expect(lstatSync(dataDir).isSymbolicLink()).toBe(process.getuid?.() === 0)
  expect(await query(server, 'show data_directory')).toEqual([{ data_directory: realpathSync(dataDir) }])
})

test('a server uses another port if its port is taken', async () => {
  const other = createServer()
  const taken = await choosePort(0)
  await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve))
  const server = await start({ preferredPort: taken })
  other.close()

  expect(server.port).not.toBe(taken)
  expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a server listens on this machine only and requires a password', async () => {
  const server = await start()
  const wrong = new URL(server.url)
  wrong.password = 'wrong'

  await expect(query({ url: wrong.href }, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  expect(await query(server, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
})

test('a row that violates a constraint is not logged', async () => {
  const server = await start()
  await query(server, 'create table refusing (name text, amount bigint constraint amount_check check (amount > 0))')
  const refused = query(server, 'insert into refusing values ($1, 0)', ['log-canary'])

  await expect(refused).rejects.toMatchObject({ code: '23514', detail: expect.stringContaining('log-canary') })
  await until('the refusal is in the log', () => server.output().includes('amount_check'))
  expect(readFileSync(options().logFile, 'utf8')).not.toContain('log-canary')
})

test('a server starts even if its PID file names another live process', async () => {
  const first = await start()
  await first.stop()
  writeFileSync(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n0\n5432\n\n127.0.0.1\n0\nready\n`)
  const second = await start()

  expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a server that runs as in `npm start` is durable, is detected when killed, and can be started again', async () => {
  const first = await start({ settings: {} })
  const durable = `name IN ('fsync', 'full_page_writes', 'synchronous_commit')`
  const settings = await query(first, `select distinct setting from pg_settings where ${durable}`)
  await query(first, 'create table kept_on as select 42 as answer')
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const second = await start()

  expect(settings).toEqual([{ setting: 'on' }])
  expect(first.hasExited()).toBe(true)
  expect(await query(second, 'select answer from kept_on')).toEqual([{ answer: 42 }])
})

test('a server stops when its parent is killed', async () => {
  const note = join(folder, 'pid')
  const program = `
    const { startPostgres } = require(${JSON.stringify(join(projectDir(), 'dist/local/postgres/start.js'))})
    startPostgres(${JSON.stringify(options())}).then(({ pid }) => require('node:fs').writeFileSync(${JSON.stringify(note)}, String(pid)))`
  const parent = spawn(process.execPath, ['-e', program], { stdio: 'inherit' })
  const readPid = () => (existsSync(note) ? Number(readFileSync(note, 'utf8')) || null : null)
  const pid = await until('the server is running', readPid).finally(() => parent.kill('SIGKILL'))

  await until('the server is gone', () => !isAlive(pid))
  expect(isAlive(pid)).toBe(false)
})

test('as root, the data of a deleted temporary folder is removed when another server creates its own data', async () => {
  const gone = join(folder, 'gone', 'postgres')
  mkdirSync(dirname(gone))
  await (await start({ dataDir: gone })).stop()
  const kept = realpathSync(gone)
  rmSync(dirname(gone), { recursive: true })
  const other = join(folder, 'other')
  await (await start({ dataDir: other })).stop()
  removeCluster(other)

  expect(existsSync(kept)).toBe(false)
  expect(existsSync(dataDir)).toBe(true)
})

test('a folder with other files is refused and left unchanged', async () => {
  const letters = join(folder, 'letters')
  mkdirSync(letters)
  writeFileSync(join(letters, 'letter.txt'), 'Dear Ada')

  await expect(start({ dataDir: letters })).rejects.toThrow(/contains files that are not PostgreSQL's/)
  expect(readFileSync(join(letters, 'letter.txt'), 'utf8')).toBe('Dear Ada')
})

function options() {
  const logFile = join(folder, 'postgres.log')
  return { dataDir, logFile, preferredPort: 0, password: 'not-a-secret', settings: { fsync: 'off' } }
}

async function start(changes: Partial<PostgresOptions> = {}): Promise<Postgres> {
  const server = await startPostgres({ ...options(), ...changes })
  running.push(server)
  return server
}

async function query({ url }: { url: string }, sql: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
