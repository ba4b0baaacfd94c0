// A lock file that identifies its holder. The lock of a dead process can be taken over, even if its PID was reused.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode } from './files'
import { identityOf } from './process/identity'

/** The process that holds a lock, and the URL that it serves. The error message of a second start shows both. */
interface Holder {
  readonly pid: number
  readonly identity: string | null
  readonly api: string
}

type Taken =
  | { readonly outcome: 'taken'; readonly release: () => void }
  | { readonly outcome: 'held'; readonly holder: Holder }

export function takeLock(path: string, note: { readonly api: string }): Taken {
  const own = `${path}.${process.pid}`
  const holder: Holder = { pid: process.pid, identity: identityOf(process.pid), api: note.api }
  writeFileSync(own, JSON.stringify(holder), { mode: 0o600 })
  try {
    for (;;) {
      if (link(own, path)) return { outcome: 'taken', release: () => rmSync(path, { force: true }) }
      const other = lockHolder(path)
      if (other) return { outcome: 'held', holder: other }
      removeStale(path)
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** The current holder, or null if no live process holds the lock. */
export function lockHolder(path: string): Holder | null {
  const holder = read(path)
  return holder && identityOf(holder.pid) === holder.identity ? holder : null
}

/** A hard link appears atomically with its content; a file opened for writing does not. */
function link(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Moves the file aside and checks it again, because another process may have taken the lock since the first check. */
function removeStale(path: string): void {
  const moved = `${path}.stale.${process.pid}`
  try {
    renameSync(path, moved)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  if (lockHolder(moved)) link(moved, path)
  rmSync(moved, { force: true })
}

function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
