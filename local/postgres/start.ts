// Starts a PostgreSQL server on this machine, for `npm start` and for tests. Also works as root.
import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { errorCode } from '../files'
import { choosePort } from '../ports'
import { type Server, startGuarded } from '../process/guarded'
import { commandLineOf, isAlive } from '../process/identity'
import { findBinaries } from './binaries'
import { openCluster, serverEnvironment, superuser } from './cluster'
import { unprivilegedUser } from './reachable-folder'

export interface PostgresOptions {
  /** The data folder. Its parent must exist. */
  readonly dataDir: string
  readonly logFile: string
  /** Called for each attempt to start the server, as soon as its process exists and before it is ready. */
  readonly onSpawn?: (server: Server) => void
  readonly preferredPort: number
  readonly password: string
  /** Further settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface Postgres extends Server {
  readonly url: string
  readonly port: number
  readonly version: string
}

const database = 'payouts'
const startLimitMs = 120_000
const wrongPassword = '28P01'
// A start can fail for two transient reasons: another process took the port first, or a killed server's processes are
// still stopping.
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
      args: ['-D', cluster, ...flags(options, port)],
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

function flags({ settings }: PostgresOptions, port: number): string[] {
  const all = {
    // A socket file is not needed, and would require a short, writable path.
    unix_socket_directories: '',
    max_connections: 100,
    ...settings,
    listen_addresses: '127.0.0.1',
    port,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Without this setting, a constraint violation writes all values of the row to the log.
    log_error_verbosity: 'terse',
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
  const client = new Client({ connectionString: maintenance.href, ssl: false, connectionTimeoutMillis: startLimitMs })
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

/**
 * Stops a server left over from an earlier run. Its parent has died, so it should stop within 3 s. After that, it
 * receives a signal.
 */
async function clearPostmaster(cluster: string): Promise<void> {
  const { pid } = readPidFile(cluster)
  if (pid === null || !isAlive(pid)) return
  if (!isPostgresOf(pid, cluster)) {
    // The PID now belongs to another process. PostgreSQL checks only whether the PID is alive, so it would refuse to
    // start.
    rmSync(join(cluster, 'postmaster.pid'), { force: true })
    return
  }
  if (await isGone(pid, 3000)) return
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    signalTo(pid, signal)
    if (await isGone(pid, 10_000)) return
  }
  throw new Error(`PostgreSQL of an earlier run (process ${pid}) does not stop; end it and try again.`)
}

/** PostgreSQL's PID file: line 1 is the PID, line 8 the startup status. */
function readPidFile(cluster: string): { readonly pid: number | null; readonly status: string } {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]) || null, status: lines[7]?.trim() ?? '' }
  } catch {
    return { pid: null, status: '' }
  }
}

function isPostgresOf(pid: number, cluster: string): boolean {
  const command = commandLineOf(pid)
  return basename(command.split(' ')[0] ?? '').startsWith('postgres') && command.includes(cluster)
}

async function isGone(pid: number, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs
  while (performance.now() < until) {
    if (!isAlive(pid)) return true
    await sleep(50)
  }
  return !isAlive(pid)
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}
