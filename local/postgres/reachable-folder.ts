// For a start as root: chooses the unprivileged user that runs PostgreSQL, and a folder that this user may enter.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The temporary folder comes last, because the data must survive a restart of the machine.
const candidates = ['/var/lib/payouts', '/var/tmp/payouts', '/tmp/payouts']

/** Used when other users cannot read the checkout or DATA_DIR. */
export function reachableFolder(): string {
  const folder = candidates.find(isOurs)
  if (folder) return folder
  throw new Error(`None of ${candidates.join(', ')} can be used; set DATA_DIR to a folder that every user may enter.`)
}

/** A new path in the reachable folder, for the data of one DATA_DIR. */
export function newReachableFolder(): string {
  const folder = reachableFolder()
  sweep(folder)
  return join(folder, `data-${randomBytes(6).toString('hex')}`)
}

export function rememberLink(folder: string, link: string): void {
  writeFileSync(join(folder, linkNote), link)
}

const linkNote = 'linked-from'

/**
 * Removes the data of deleted temporary DATA_DIRs. Keeps all other data, because its DATA_DIR may only have been moved.
 */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const note = join(folder, name, linkNote)
    const link = existsSync(note) ? readFileSync(note, 'utf8') : null
    if (link?.startsWith(tmpdir()) && !lstatSync(link, { throwIfNoEntry: false })) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

/** Rejects a folder that another user created first in a world-writable place. */
function isOurs(folder: string): boolean {
  try {
    if (mkdirSync(folder, { recursive: true })) chmodSync(folder, 0o755)
    const stat = lstatSync(folder)
    return (
      stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0 && (stat.mode & 0o001) === 1
    )
  } catch {
    return false
  }
}

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/**
 * The user that runs PostgreSQL, which refuses to run as root. Undefined unless this process is root. Existing data
 * keeps its owner, so that a single `sudo npm start` does no harm.
 */
export function unprivilegedUser(dataDir: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = existsSync(dataDir) ? statSync(dataDir) : null
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody()
}

/** The user `nobody` exists on every machine. initdb requires an existing user. */
function nobody(): SystemUser {
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') }
}

function idOfNobody(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
}
