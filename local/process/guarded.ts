// Runs an external program that never outlives this process: when the process ends, a pipe closes and guard.sh stops
// the program.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, projectDir } from '../files'

interface ServerCommand {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly stopSignal: 'INT' | 'TERM'
  readonly logFile: string
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly env?: NodeJS.ProcessEnv
  /** Called as soon as the process exists, before it is ready. */
  readonly onSpawn?: ((server: Server) => void) | undefined
}

export interface Server {
  readonly pid: number
  /** Resolves to the exit status when the server has ended, or to null if it was killed. */
  readonly exited: Promise<number | null>
  readonly hasExited: () => boolean
  /** `output` returns up to 64 kB from the end of the log; `tail` returns its last lines. */
  readonly output: () => string
  readonly tail: () => string
  readonly stop: (limitMs?: number) => Promise<void>
}

export async function startGuarded(server: ServerCommand): Promise<Server> {
  const guard = spawnGuard(server)
  const exited = new Promise<number | null>((resolve) => guard.once('close', resolve))
  const pid = await pidOf(guard, server.name)

  const spawned: Server = {
    pid,
    exited,
    hasExited: () => guard.exitCode !== null || guard.signalCode !== null,
    output: () => lastBytes(server.logFile, 65_536),
    tail: () => tailOf(server.logFile),
    stop: (limitMs = 10_000) => stop(guard, exited, pid, limitMs),
  }
  server.onSpawn?.(spawned)
  return spawned
}

/**
 * The program runs in its own process group, so that Ctrl-C does not stop it before the processes that depend on it.
 */
function spawnGuard({ command, args, stopSignal, logFile, user, env }: ServerCommand): ChildProcess {
  // The script is passed as text, because the user that runs it might be unable to read this checkout.
  const guard = readFileSync(join(projectDir(), 'local', 'process', 'guard.sh'), 'utf8')
  const log = openLog(logFile)
  try {
    return spawn('/bin/sh', ['-c', guard, 'guard', stopSignal, command, ...args], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', log],
      ...user,
      ...(env ? { env } : {}),
    })
  } finally {
    closeSync(log)
  }
}

function pidOf(guard: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    guard.stdout?.once('data', (line: Buffer) => resolve(Number(line.toString())))
    guard.once('error', reject)
    guard.once('close', () => reject(new Error(`${name} could not be started.`)))
  })
}

async function stop(guard: ChildProcess, exited: Promise<unknown>, pid: number, limitMs: number): Promise<void> {
  guard.stdin?.destroy()
  const timer = setTimeout(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }, limitMs)
  await exited
  clearTimeout(timer)
}

/**
 * Renames the previous run's log and opens an empty one for appending. The caller closes the descriptor once the
 * program has inherited it.
 */
export function openLog(logFile: string): number {
  try {
    renameSync(logFile, `${logFile}.previous`)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return openSync(logFile, 'a', 0o600)
}

export function tailOf(logFile: string, lines = 15): string {
  return lastBytes(logFile, 16_384).trimEnd().split('\n').slice(-lines).join('\n')
}

function lastBytes(logFile: string, count: number): string {
  try {
    const file = openSync(logFile, 'r')
    try {
      const buffer = Buffer.alloc(count)
      const start = Math.max(0, fstatSync(file).size - count)
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, count, start))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}
