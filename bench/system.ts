// Starts a complete, separate system for a benchmark, as `npm start` does, in a temporary folder.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { choosePort } from '../local/ports'
import { type EnvironmentVariables, environment } from '../runtime/config/config'

export interface System {
  readonly databaseUrl: string
  readonly port: number
  readonly sandboxKey: string
  readonly partnerId: string
  /** The settings of the system's processes, for starting more of them. */
  readonly env: EnvironmentVariables
  readonly temporalAddress: string
  /** The bank's URL without a path. */
  readonly bankUrl: string
  ops(...args: string[]): string
  /** Returns the resident memory of one of our own processes, in bytes. */
  residentBytes(part: 'api' | 'worker'): number
  /** Returns the CPU time of each part so far, in milliseconds. Null where there is no /proc. */
  cpuMs(): CpuTimes | null
  /** Returns how often the worker has called each gRPC method of Temporal so far. */
  temporalCalls(): Promise<ReadonlyMap<string, number>>
  readonly postgresLog: string
  stop(): Promise<void>
}

export async function startSystem(port: number): Promise<System> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payouts-bench-'))
  // PostgreSQL does not run as root, but must be able to read its data folder.
  chmodSync(dataDir, 0o755)
  const metricsPort = await choosePort(0)
  const env = {
    ...environment(),
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'info',
    WORKER_METRICS_PORT: String(metricsPort),
  }
  const started = spawn(process.execPath, [dist('local/start.js')], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const local = await untilReady(started, join(dataDir, 'local.json'))
  const handed = readObject(join(dataDir, 'env.json'))
  return {
    databaseUrl: String(handed['DATABASE_URL']),
    port,
    sandboxKey: String(asObject(local['keys'])['sandbox']),
    partnerId: String(asObject(local['partner'])['id']),
    env: Object.fromEntries(Object.entries(handed).map(([name, value]) => [name, String(value)])),
    temporalAddress: String(local['temporal']),
    bankUrl: String(local['bank']),
    ops: (...args) => execFileSync(process.execPath, [dist('ops/main.js'), ...args], { env, encoding: 'utf8' }),
    residentBytes: (part) => residentBytes(started.pid ?? 0, dist(`${part}/main.js`)),
    cpuMs: () => cpuTimesBelow(started.pid ?? 0),
    temporalCalls: () => temporalCallsAt(metricsPort),
    postgresLog: join(dataDir, 'logs', 'postgres.log'),
    stop: async () => {
      const gone = new Promise((resolve) => started.once('exit', resolve))
      started.kill('SIGINT')
      await gone
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function temporalCallsAt(metricsPort: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const calls = new Map<string, number>()
  for (const [, operation = '', count] of text.matchAll(
    /^temporal_(?:long_)?request_total\{.*operation="(\w+)".*\} (\d+)/gm,
  ))
    calls.set(operation, (calls.get(operation) ?? 0) + Number(count))
  return calls
}

function dist(file: string): string {
  return join(__dirname, '..', file)
}

async function untilReady(started: ChildProcess, file: string): Promise<Record<string, unknown>> {
  while (!existsSync(file)) {
    if (started.exitCode !== null || started.signalCode !== null) throw new Error('The system did not start.')
    await wait(100)
  }
  return readObject(file)
}

function readObject(file: string): Record<string, unknown> {
  return asObject(JSON.parse(readFileSync(file, 'utf8')))
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function residentBytes(parentPid: number, program: string): number {
  const processes = execFileSync('ps', ['-axo', 'ppid=,rss=,args='], { encoding: 'utf8' }).split('\n')
  const line = processes.find((each) => each.trim().startsWith(`${parentPid} `) && each.includes(program))
  return Number(line?.trim().split(/\s+/)[1] ?? 0) * 1024
}

/** The parts of a system, and text that the command line of each contains. */
const programs = {
  API: dist('api/main.js'),
  worker: dist('worker/main.js'),
  Temporal: 'server start-dev',
  PostgreSQL: 'postgres',
  bank: dist('sandbox-bank/main.js'),
} as const

export type CpuTimes = Readonly<Record<keyof typeof programs, number>>

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const tickMs = 10

/** Includes the children that a process has already waited for, such as PostgreSQL's short-lived workers. */
function cpuTimesBelow(rootPid: number): CpuTimes | null {
  if (!existsSync('/proc/self/stat')) return null
  // The command line of guard.sh contains the one of the program that it starts.
  const below = processesBelow(rootPid).filter(({ command }) => !command.startsWith('/bin/sh '))
  const sum = (program: string) =>
    below.reduce((total, { command, ticks }) => total + (command.includes(program) ? ticks * tickMs : 0), 0)
  return {
    API: sum(programs.API),
    worker: sum(programs.worker),
    Temporal: sum(programs.Temporal),
    PostgreSQL: sum(programs.PostgreSQL),
    bank: sum(programs.bank),
  }
}

/**
 * The CPU time of all processes that this one has started, in milliseconds. It leaves out the load generator, which is
 * this process. NaN if the system is not Linux.
 */
export function cpuMsOfChildren(): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  return processesBelow(process.pid).reduce((total, { ticks }) => total + ticks * tickMs, 0)
}

/** The CPU time of one process so far, in milliseconds. NaN if the system is not Linux. */
export function cpuMsOf(pid: number): number {
  return (processOf(pid)[0]?.ticks ?? Number.NaN) * tickMs
}

function processesBelow(rootPid: number): Process[] {
  const processes = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? processOf(Number(pid)) : []))
  const parentOf = new Map(processes.map(({ pid, parentPid }) => [pid, parentPid]))
  const isBelow = (pid: number): boolean => {
    const parent = parentOf.get(pid)
    return parent !== undefined && (parent === rootPid || isBelow(parent))
  }
  return processes.filter(({ pid }) => isBelow(pid))
}

interface Process {
  readonly pid: number
  readonly parentPid: number
  readonly command: string
  readonly ticks: number
}

/** Empty if the process has ended in the meantime. */
function processOf(pid: number): Process[] {
  try {
    // The second field, the name, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/\(.*\)/s, 'name')
      .split(' ')
    const parentPid = Number(fields[3])
    // User and system time of the process, then of its children.
    const ticks = fields.slice(13, 17).reduce((total, each) => total + Number(each), 0)
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid, parentPid, command, ticks }]
  } catch {
    return []
  }
}

/** Creates a second partner with a sandbox key, and raises the rate limits of both partners. */
export function openPartner(system: System, slug: string): { readonly key: string } {
  system.ops('partner', 'create', '--name', slug, '--slug', slug, '--email', `${slug}@payouts.test`)
  for (const partner of [slug, 'demo'])
    system.ops('partner', 'set', '--partner', partner, '--rate-limit-sandbox', '10000')
  const made: { secret: string } = JSON.parse(
    system.ops('key', 'create', '--partner', slug, '--environment', 'sandbox', '--label', 'bench', '--json'),
  )
  return { key: made.secret }
}

export interface Child {
  stop(): Promise<void>
}

export interface ChildProgram extends Child {
  readonly pid: number
}

/**
 * Starts a program as a child process. Resolves when it is ready. The child ends with its parent. A relative path
 * refers to one of our compiled programs.
 */
export async function startChild(
  main: string,
  env: EnvironmentVariables,
  args: readonly string[] = [],
): Promise<ChildProgram> {
  const child = fork(resolve(dist('.'), main), args, {
    env: { ...environment(), ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ready = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
  if (ready === null) throw new Error(`${main} did not start.`)
  return {
    pid: child.pid ?? 0,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
