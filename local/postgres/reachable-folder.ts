// A folder of root's that every user may enter: where PostgreSQL runs from when the checkout or DATA_DIR is closed to others.

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Not the temporary folder first: what is kept here must survive a restart of the machine.
const candidates = ['/var/lib/payouts', '/var/tmp/payouts', '/tmp/payouts']

export function reachableFolder(): string {
  const folder = candidates.find(isOurs)
  if (folder) return folder
  throw new Error(`None of ${candidates.join(', ')} can be used; set DATA_DIR to a folder that every user may enter.`)
}

/** A new name in it for the data of one DATA_DIR. */
export function newReachableFolder(): string {
  const folder = reachableFolder()
  sweep(folder)
  return join(folder, `data-${randomBytes(6).toString('hex')}`)
}

export function rememberLink(folder: string, link: string): void {
  writeFileSync(join(folder, linkNote), link)
}

const linkNote = 'linked-from'

/** Removes the data of temporary DATA_DIRs that are gone; any other missing link may only have been moved. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const note = join(folder, name, linkNote)
    const link = existsSync(note) ? readFileSync(note, 'utf8') : null
    if (link?.startsWith(tmpdir()) && !lstatSync(link, { throwIfNoEntry: false })) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

/** In a folder that anybody may write to, somebody else may have made this name first: then it is not trusted. */
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
