// A folder of root's that every user may enter: where PostgreSQL runs from when the checkout or DATA_DIR is closed to others.

import { chmodSync, lstatSync, mkdirSync } from 'node:fs'

// Not the temporary folder first: what is kept here must survive a restart of the machine.
const candidates = ['/var/lib/payouts', '/var/tmp/payouts', '/tmp/payouts']

export function reachableFolder(): string {
  const folder = candidates.find(isOurs)
  if (folder) return folder
  throw new Error(`None of ${candidates.join(', ')} can be used; set DATA_DIR to a folder that every user may enter.`)
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
