// A production Temporal server with its own PostgreSQL, in place of the development server. It is built with Go and
// cached in .cache.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time'
import { choosePort } from '../../local/ports'
import type { Postgres } from '../../local/postgres/start'
import { type Server, startGuarded } from '../../local/process/guarded'
import { servesNamespace } from '../../local/temporal/start'
import { environment } from '../../runtime/config/config'
import { until } from '../support/until'

export interface ProductionTemporal {
  readonly address: string
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export const version = '1.32.1'
const cache = join(__dirname, '../../.cache/temporal-server', version)
const run = promisify(execFile)
const startLimitMs = 120_000

/** The folder must exist, and only this test may use it. */
export async function startProductionTemporal(folder: string, postgres: Postgres): Promise<ProductionTemporal> {
  const { server, sqlTool } = await programs()
  await prepareDatabases(sqlTool, postgres)
  const services = await chooseServices()
  const address = `127.0.0.1:${services[0]?.grpcPort}`
  const configFile = join(folder, 'temporal-server.json')
  // YAML readers accept JSON.
  writeFileSync(configFile, JSON.stringify(configuration(postgres, services, address)))
  let running = await start()

  async function start(): Promise<Server> {
    const args = ['--config-file', configFile, '--allow-no-auth', 'start']
    const logFile = join(folder, 'temporal-server.log')
    const begun = await startGuarded({ name: 'Temporal', command: server, args, stopSignal: 'TERM', logFile })
    await until('the Temporal server answers', () => begun.hasExited() || answers(address), startLimitMs)
    if (begun.hasExited()) throw new Error(`The Temporal server did not start:\n${begun.tail()}`)
    return begun
  }

  await makeNamespace(address)
  return {
    address,
    async kill() {
      process.kill(running.pid, 'SIGKILL')
      await running.exited
    },
    async start() {
      running = await start()
      await until('the namespace is served', () => servesNamespace(address, 'default'), startLimitMs)
    },
    stop: () => running.stop(),
  }
}

async function programs(): Promise<{ server: string; sqlTool: string }> {
  const [server, sqlTool] = [join(cache, 'temporal-server'), join(cache, 'temporal-sql-tool')]
  if (existsSync(server) && existsSync(sqlTool)) return { server, sqlTool }
  mkdirSync(cache, { recursive: true })
  process.stderr.write(`Building Temporal ${version} with Go; this takes some minutes, once.\n`)
  const modules = ['cmd/server', 'cmd/tools/sql'].map((path) => `go.temporal.io/server/${path}@v${version}`)
  const env = { ...environment(), GOBIN: cache, GOFLAGS: '', CGO_ENABLED: '0' }
  await run('go', ['install', ...modules], { env, cwd: cache, maxBuffer: 1e8 })
  renameSync(join(cache, 'server'), server)
  renameSync(join(cache, 'sql'), sqlTool)
  return { server, sqlTool }
}

async function prepareDatabases(sqlTool: string, { port, url }: Postgres): Promise<void> {
  const { username, password } = new URL(url)
  const to = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '-u', username]
  for (const [database, schema] of [
    ['temporal', 'temporal'],
    ['temporal_visibility', 'visibility'],
  ] as const) {
    const tool = (...args: readonly string[]) =>
      run(sqlTool, [...to, '--db', database, ...args], { env: { ...environment(), SQL_PASSWORD: password } })
    await tool('create')
    await tool('setup-schema', '-v', '0.0')
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`)
  }
}

interface Service {
  readonly name: string
  readonly grpcPort: number
  readonly membershipPort: number
}

function chooseServices(): Promise<Service[]> {
  // Temporal stores a cluster member's port as a smallint. The chosen ports are low enough.
  const aPort = () => choosePort(0)
  const names = ['frontend', 'history', 'matching', 'worker']
  return Promise.all(names.map(async (name) => ({ name, grpcPort: await aPort(), membershipPort: await aPort() })))
}

function configuration({ port, url }: Postgres, services: readonly Service[], address: string): object {
  const { username: user, password } = new URL(url)
  const store = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      password,
      maxConns: 20,
      maxIdleConns: 20,
      maxConnLifetime: '1h',
    },
  })
  const rpcOf = ({ name, ...ports }: Service) => [name, { rpc: { ...ports, bindOnLocalHost: true } }]
  const initial = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend' }
  return {
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services.map(rpcOf)),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: { ...initial, rpcAddress: address } },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: join(__dirname, '../../deploy/temporal.yaml'), pollInterval: '10s' },
  }
}

async function answers(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => null)
  await connection?.close()
  return connection !== null
}

async function makeNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address })
  try {
    const workflowExecutionRetentionPeriod = msToTs('1 day')
    await connection.workflowService.registerNamespace({ namespace: 'default', workflowExecutionRetentionPeriod })
  } finally {
    await connection.close()
  }
  await until('the namespace is served', () => servesNamespace(address, 'default'), startLimitMs)
}
