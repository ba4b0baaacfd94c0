// Runs one of our own programs as a part of the system: it says when it is ready, and stops by itself when we are gone.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvironmentVariables } from '../../runtime/config/config'
import { projectDir } from '../project-dir'
import { openLog, tailOf } from './log-file'
import type { Part } from './part'

export interface NodePartOptions {
  readonly name: string
  /** The compiled program, from the project's folder. */
  readonly main: string
  readonly args?: readonly string[]
  readonly env: EnvironmentVariables
  readonly logFile: string
  /** Called as soon as there is a process, long before it is ready. */
  readonly onSpawn: (part: Part) => void
}

const readyLimitMs = 60_000

export async function startNodePart({ name, main, args = [], env, logFile, onSpawn }: NodePartOptions): Promise<void> {
  const log = openLog(logFile)
  // A process group of its own keeps Ctrl-C in a terminal away from it; the channel tells it when this process has died.
  const leash = join(projectDir(), 'dist', 'local', 'process', 'leash.js')
  const child = spawn(process.execPath, ['--require', leash, join(projectDir(), main), ...args], {
    env,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const tail = () => tailOf(logFile)
  const stop = (limitMs = 10_000) => stopChild(child, exited, limitMs)
  onSpawn({ name, logFile, pid: child.pid ?? 0, exited, tail, stop })
  if (!(await isReady(child))) {
    await stop()
    throw new Error(`${name} did not become ready. It said:\n${tail()}`)
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
