// What an earlier run may have left in a PostgreSQL data folder: a server that is still stopping, or a pid that now belongs to another.

import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLineOf, isAlive } from '../process/identity'

/** The caller owns the folder, so a server found in it has lost its parent: it gets a moment to go by itself, then it is stopped. */
export async function clearPostmaster(cluster: string): Promise<void> {
  const { pid } = readPidFile(cluster)
  if (pid === null || !isAlive(pid)) return
  if (!isPostgresOf(pid, cluster)) {
    // PostgreSQL itself only asks whether the pid is alive and would refuse to start.
    rmSync(join(cluster, 'postmaster.pid'), { force: true })
    return
  }
  if (await isGone(pid, 3000)) return
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    signalTo(pid, signal)
    if (await isGone(pid, 10_000)) return
  }
  throw new Error(`A PostgreSQL of an earlier run (process ${pid}) does not stop; end it and try again.`)
}

/** PostgreSQL's own note about itself: the pid in its first line, the state of the start in its eighth. */
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
    // It has gone in the meantime.
  }
}
