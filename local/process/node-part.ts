// Runs one of our own programs as a part of the system. It reports when it is ready, and stops when this process ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvironmentVariables } from '../../runtime/config/config'
import { projectDir } from '../files'
import { openLog, tailOf } from './guarded'
import type { Part } from './parts'

export interface NodePartOptions {
  readonly name: string
  /** Path of the compiled program, relative to the project folder. */
  readonly main: string
  readonly args?: readonly string[]
  /** Options of Node.js. */
  readonly nodeOptions?: readonly string[]
  readonly env: EnvironmentVariables
  readonly logFile: string
  /** Called as soon as the process exists, before it is ready. */
  readonly onSpawn: (part: Part) => void
  /** Called when the part has ended, to start it again. Without this callback, the system stops when the part ends. */
  readonly onRestart?: (start: () => Promise<void>) => Promise<void>
}

const readyLimitMs = 120_000

export function startNodePart(options: NodePartOptions): Promise<void> {
  return run(options, openLog(options.logFile))
}

/** A restarted part appends to its log, so that the log still shows why the previous process ended. */
async function run(options: NodePartOptions, log: number): Promise<void> {
  const { name, main, args = [], nodeOptions = [], env, logFile, onSpawn, onRestart } = options
  // A separate process group protects the part from Ctrl-C. The IPC channel closes when this process dies. `leash.js`
  // then kills the part if it does not stop in time.
  const leash = join(projectDir(), 'dist', 'local', 'process', 'leash.js')
  const child = spawn(process.execPath, [...nodeOptions, '--require', leash, join(projectDir(), main), ...args], {
    env: { MALLOC_ARENA_MAX: '2', ...env },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve(null))
  })
  const tail = () => tailOf(logFile)
  const stop = (limitMs = 10_000) => stopChild(child, exited, limitMs)
  const restart = onRestart ? () => onRestart(() => run(options, openSync(logFile, 'a', 0o600))) : null
  onSpawn({ name, logFile, pid: child.pid ?? 0, exited, tail, stop, restart })
  if (!(await isReady(child))) {
    await stop()
    throw new Error(`${name} did not become ready. Its output:\n${tail()}`)
  }
}

function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => resolve(false), readyLimitMs)
    const settle = (ready: boolean) => {
      clearTimeout(limit)
      resolve(ready)
    }
    child.once('message', () => settle(true))
    child.once('exit', () => settle(false))
    child.once('error', () => settle(false))
  })
}

async function stopChild(child: ChildProcess, exited: Promise<unknown>, limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  child.kill('SIGTERM')
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
  await exited
  clearTimeout(limit)
}
