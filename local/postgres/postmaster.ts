// Handles leftovers of an earlier run in a PostgreSQL data folder: a server that is still stopping, or a stale PID file.

import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLineOf, isAlive } from '../process/identity'

/** Stops a server left over from an earlier run. Its parent has died, so it should stop within 3 s; after that it is signalled. */
export async function clearPostmaster(cluster: string): Promise<void> {
  const { pid } = readPidFile(cluster)
  if (pid === null || !isAlive(pid)) return
  if (!isPostgresOf(pid, cluster)) {
    // PostgreSQL checks only whether the PID is alive, and would refuse to start.
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
export function readPidFile(cluster: string): { readonly pid: number | null; readonly status: string } {
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
