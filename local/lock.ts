// A lock file that names its holder and does not outlive it: a dead holder's lock is taken over, even when its pid is in use again.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { identityOf } from './process-identity'

export type Taken<T> =
  | { readonly outcome: 'taken'; readonly release: () => void }
  | { readonly outcome: 'held'; readonly holder: Locked<T> }

export type Locked<T> = T & { readonly pid: number; readonly identity: string }

export function takeLock<T extends object>(path: string, note: T): Taken<T> {
  const own = `${path}.${process.pid}`
  writeFileSync(own, JSON.stringify({ ...note, pid: process.pid, identity: identityOf(process.pid) }), { mode: 0o600 })
  try {
    for (;;) {
      if (link(own, path)) return { outcome: 'taken', release: () => rmSync(path, { force: true }) }
      const holder = lockHolder<T>(path)
      if (holder) return { outcome: 'held', holder }
      removeStale<T>(path)
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** Who holds the lock now; null when nobody who is alive does. */
export function lockHolder<T extends object>(path: string): Locked<T> | null {
  const locked = read<T>(path)
  return locked && identityOf(locked.pid) === locked.identity ? locked : null
}

/** A link appears at once and with its content, which a file created for writing does not. */
function link(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Moved aside before it is judged again: between reading and removing, another process may have made it its own. */
function removeStale<T extends object>(path: string): void {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (lockHolder<T>(aside)) link(aside, path)
  rmSync(aside, { force: true })
}

function read<T extends object>(path: string): Locked<T> | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
