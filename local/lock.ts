// A lock file that names its holder and does not outlive it: a dead holder's lock is taken over, even when its pid is in use again.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode } from './error-code'
import { identityOf } from './process/identity'

/** Who holds a lock, and the address it serves, so that whoever is refused can be told where to look. */
export interface Holder {
  readonly pid: number
  readonly identity: string | null
  readonly api: string
}

export type Taken =
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

/** Who holds the lock now; null when nobody who is alive does. */
export function lockHolder(path: string): Holder | null {
  const holder = read(path)
  return holder && identityOf(holder.pid) === holder.identity ? holder : null
}

/** A link appears at once and with its content, which a file created for writing does not. */
function link(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Moved aside before it is judged again: between reading and removing, another process may have made it its own. */
function removeStale(path: string): void {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  if (lockHolder(aside)) link(aside, path)
  rmSync(aside, { force: true })
}

function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
