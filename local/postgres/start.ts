// Starts a PostgreSQL server on this machine, for `npm start` and for tests, as root or not.

import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { errorCode } from '../files'
import { choosePort } from '../ports'
import { type Server, startGuarded } from '../process/guarded'
import { findBinaries } from './binaries'
import { openCluster, serverEnvironment, superuser } from './cluster'
import { clearPostmaster, readPidFile } from './postmaster'
import { unprivilegedUser } from './reachable-folder'

export interface PostgresOptions {
  /** The data folder. Its parent must exist. */
  readonly dataDir: string
  readonly logFile: string
  /** Called as soon as the process exists, before it is ready, and again after a restart. */
  readonly onSpawn?: (server: Server) => void
  readonly preferredPort: number
  readonly password: string
  /** `off` is for tests only: much faster, but a crash of the machine loses acknowledged commits. */
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
// Two transient causes: another process took the port first, or processes of a killed server are still stopping.
const portTaken = /could not create any TCP/
const stillStopping = /pre-existing shared memory|"postmaster.pid" already exists/

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
    const output = server.output()
    const isTransient = portTaken.test(output) || stillStopping.test(output)
    if (attempt === 10 || !isTransient) throw new Error(`PostgreSQL did not start. Its output:\n${server.tail()}`)
    if (portTaken.test(output)) preferred = 0
    await sleep(500)
  }
}

function settings({ durable, maxConnections }: PostgresOptions, port: number): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port,
    // A socket file would need a short, writable path, and is not needed.
    unix_socket_directories: '',
    max_connections: maxConnections,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Otherwise a constraint violation writes all values of the row to the log.
    log_error_verbosity: 'terse',
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
    // Autovacuum visits every database in turn. Tests create hundreds of short-lived databases that need no vacuum.
    autovacuum: durable,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Reads the server's own PID file, because another server may have taken the port first. */
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
  throw new Error(
    `PostgreSQL started but refused the connection: ${error instanceof Error ? error.message : String(error)}${hint}`,
  )
}
