// Starts a PostgreSQL of our own on this machine, for `npm start` and for the tests, as root or not.

import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { errorCode } from '../error-code'
import { choosePort } from '../ports'
import { type Server, startGuarded } from '../process/guarded'
import { findBinaries } from './binaries'
import { openCluster, serverEnvironment, superuser } from './cluster'
import { clearPostmaster, readPidFile } from './postmaster'
import { unprivilegedUser } from './system-user'

export interface PostgresOptions {
  /** The folder of the data itself; its parent must exist. */
  readonly dataDir: string
  readonly logFile: string
  /** Called as soon as there is a process, long before it is ready; again when it had to be started again. */
  readonly onSpawn?: (server: Server) => void
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
      onSpawn: options.onSpawn,
      user,
      env: serverEnvironment,
    })
    if (await isReady(server, cluster)) {
      const url = `postgresql://${superuser}:${options.password}@127.0.0.1:${port}/${database}`
      await makeDatabase(url).catch((error: unknown) => giveUp(server, error))
      return { ...server, url, port, version: binaries.version }
    }
    await server.stop()
    const words = server.output()
    const passes = portTaken.test(words) || stillLeaving.test(words)
    if (attempt === 10 || !passes) throw new Error(`PostgreSQL did not start. It said:\n${server.tail()}`)
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
    // Otherwise a row that a constraint refuses is written to the log with all its values.
    log_error_verbosity: 'terse',
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Read from its own file, since an answer on the port may be another server's that took it first. */
async function isReady(server: Server, cluster: string): Promise<boolean> {
  const until = performance.now() + startLimitMs
  while (!server.hasExited() && performance.now() < until) {
    const { pid, status } = readPidFile(cluster)
    if (pid === server.pid && status === 'ready') return true
    await sleep(20)
  }
  return false
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

async function giveUp(server: Server, error: unknown): Promise<never> {
  await server.stop()
  const hint = errorCode(error) === wrongPassword ? '; was secrets.json replaced?' : ''
  throw new Error(`PostgreSQL started but refused us: ${error instanceof Error ? error.message : String(error)}${hint}`)
}
