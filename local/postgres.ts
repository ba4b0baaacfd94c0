// Starts a PostgreSQL of our own on this machine, for `npm start` and for the tests, as root or not.

import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { errorCode } from './error-code'
import { type Server, startGuarded } from './guarded'
import { choosePort } from './ports'
import { findBinaries } from './postgres-binaries'
import { openCluster, serverEnvironment, superuser } from './postgres-cluster'
import { clearPostmaster } from './postmaster'
import { unprivilegedUser } from './system-user'

export interface PostgresOptions {
  /** The folder of the data itself; its parent must exist. */
  readonly dataDir: string
  readonly logFile: string
  readonly preferredPort: number
  readonly password: string
  /** Off is for tests only: it loses acknowledged commits when the machine stops, and is much faster. */
  readonly durable: 'on' | 'off'
  readonly maxConnections: number
}

export interface Postgres extends Server {
  readonly url: string
  readonly port: number
  readonly version: string
}

const database = 'payouts'
const startLimitMs = 120_000
const wrongPassword = '28P01'
// Two causes that another try cures: somebody took the port first, or processes of a killed server are still leaving.
const portTaken = /could not create any TCP/
const stillLeaving = /pre-existing shared memory|"postmaster.pid" already exists/

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const user = unprivilegedUser(options.dataDir)
  const binaries = await findBinaries(user)
  const cluster = await openCluster({ dataDir: options.dataDir, binaries, user, password: options.password })
  await clearPostmaster(cluster)

  let preferred = options.preferredPort
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(preferred)
    const server = await startGuarded({
      name: 'PostgreSQL',
      command: binaries.postgres,
      args: ['-D', cluster, ...settings(options, port)],
      stopSignal: 'INT',
      logFile: options.logFile,
      user,
      env: serverEnvironment,
    })
    const url = `postgresql://${superuser}:${options.password}@127.0.0.1:${port}/${database}`
    const problem = await untilReady(server, url)
    if (problem === null) return { ...server, url, port, version: binaries.version }
    await server.stop()
    const words = server.tail()
    const passes = portTaken.test(words) || stillLeaving.test(words)
    if (attempt === 10 || !passes) throw new Error(`PostgreSQL did not start: ${problem}\n${words}`)
    if (portTaken.test(words)) preferred = 0
    await sleep(500)
  }
}

function settings({ durable, maxConnections }: PostgresOptions, port: number): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port,
    // A socket file would need a short path that this user may write to; nobody needs it.
    unix_socket_directories: '',
    max_connections: maxConnections,
    timezone: 'UTC',
    log_timezone: 'UTC',
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Ready when it answers a query on our database, which is made on the first start. Null, or what went wrong. */
async function untilReady(server: Server, url: string): Promise<string | null> {
  const until = performance.now() + startLimitMs
  let last = 'it gave no answer.'
  while (!server.hasExited() && performance.now() < until) {
    try {
      await makeDatabase(url)
      return null
    } catch (error) {
      last = error instanceof Error ? error.message : String(error)
      // Not at once, because it may be another server's answer: ours then ends, since the port is taken.
      if (errorCode(error) === wrongPassword && !(await endsSoon(server))) return `${last}; was secrets.json replaced?`
    }
    await sleep(25)
  }
  return server.hasExited() ? 'it ended at once.' : last
}

async function endsSoon(server: Server): Promise<boolean> {
  await Promise.race([server.exited, sleep(1000)])
  return server.hasExited()
}

async function makeDatabase(url: string): Promise<void> {
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  const client = new Client({ connectionString: maintenance.href, ssl: false, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${database}`)
  } finally {
    await client.end()
  }
}
