// `npm start` in a story: a process with its own DATA_DIR and port, its output, and the processes that it started.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from '../../../local/files'
import { isAlive } from '../../../local/process/identity'
import { environment } from '../../../runtime/config/config'
import { keepFiles } from '../kept-logs'
import { until } from '../until'
import { childEnv } from './child-env'

export interface Local {
  readonly api: string
  readonly docs: string
  readonly dashboard: string
  readonly temporal: string
  readonly temporal_ui?: string
  readonly partner?: { readonly id: string; readonly slug: string; readonly email: string }
  readonly bank?: string
  readonly mail?: { readonly smtp: string; readonly inbox: string }
  readonly keys?: { readonly sandbox: string; readonly live?: string }
}

export interface StartedSystem {
  readonly pid: number
  readonly output: () => string
  /** Waits until the system reports that everything is ready. */
  readonly ready: () => Promise<Local>
  /** Waits until the system has printed the text. Throws if the system ends first. */
  readonly prints: (text: string) => Promise<void>
  /** Returns the processes that the system started, as recorded in its parts.json. */
  readonly parts: () => { readonly name: string; readonly pid: number }[]
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Promise<number | null>
}

/** Longer than a start on a busy machine takes. */
const startLimitMs = 600_000

/** Starts the program directly, or with the shell command `through` if it is given. */
export function start(dataDir: string, env: Record<string, string>, through?: string): StartedSystem {
  const program = [process.execPath, join(projectDir(), 'dist/local/start.js')]
  const [command = '', ...args] = through ? ['/bin/sh', '-c', through, ...program] : program
  const child = spawn(command, args, {
    cwd: dataDir,
    env: { ...environment(), ...childEnv(), ...env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.once('exit', () => keepFiles(join(dataDir, 'logs'), ['api.log', 'worker.log', 'mail-inbox.log']))
  const file = join(dataDir, 'local.json')
  const prints = async (text: string) => {
    const hasPrinted = () => {
      if (output().includes(text)) return true
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended before it printed "${text}":\n${output()}`)
      return false
    }
    await until(`npm start printed "${text}"`, hasPrinted, startLimitMs)
  }
  return {
    pid: child.pid ?? 0,
    output,
    exited,
    signal: (signal) => child.kill(signal),
    prints,
    ready: async () => {
      // A killed run does not remove its file, so the file alone does not prove that this run is ready.
      await prints('Payouts is running')
      await until('local.json is there', () => existsSync(file))
      return JSON.parse(readFileSync(file, 'utf8'))
    },
    parts: () => JSON.parse(readFileSync(join(dataDir, 'parts.json'), 'utf8')),
  }
}

/**
 * Returns the system's processes that are still running: the recorded ones and, on Linux, any process whose command or
 * environment mentions its DATA_DIR.
 */
export function runningProcessesOf(dataDir: string, noted: readonly { readonly pid: number }[]): number[] {
  const pids = noted.map(({ pid }) => pid).filter(isAlive)
  return [...new Set([...pids, ...(process.platform === 'linux' ? mentioning(dataDir) : [])])]
}

function mentioning(dataDir: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return pids.filter((pid) => isAlive(Number(pid)) && about(pid).includes(dataDir)).map(Number)
}

function about(pid: string): string {
  const read = (name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8')
    } catch {
      return ''
    }
  }
  return `${read('cmdline')} ${read('environ')}`
}

function collect(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return () => output
}
