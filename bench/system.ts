// Starts a complete, separate system for a benchmark, as `npm start` does, in a temporary folder.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
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
  stop(): Promise<void>
}

export async function startSystem(port: number): Promise<System> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payouts-bench-'))
  // PostgreSQL does not run as root, but must be able to read its data folder.
  chmodSync(dataDir, 0o755)
  const env = { ...environment(), DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'info' }
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
    stop: async () => {
      const gone = new Promise((resolve) => started.once('exit', resolve))
      started.kill('SIGINT')
      await gone
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function dist(file: string): string {
  return join(__dirname, '..', file)
}

async function untilReady(started: ChildProcess, file: string): Promise<Record<string, unknown>> {
  while (!existsSync(file)) {
    if (started.exitCode !== null) throw new Error('The system did not start.')
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

interface Child {
  stop(): Promise<void>
}

/** Starts one of our programs as a child of the benchmark. Resolves when it is ready. The child ends with its parent. */
export async function startChild(main: string, env: EnvironmentVariables): Promise<Child> {
  const child = fork(dist(main), { env: { ...environment(), ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ready = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
  if (ready === null) throw new Error(`${main} did not start.`)
  return {
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
