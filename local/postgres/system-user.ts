// The unprivileged user in whose name root runs PostgreSQL, which refuses to run as root.

import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** Undefined for everybody but root. Existing data keeps its owner, so that `sudo npm start` once does no harm. */
export function unprivilegedUser(dataDir: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = existsSync(dataDir) ? statSync(dataDir) : null
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody()
}

/** Has an entry in every system's user list, which initdb insists on. */
function nobody(): SystemUser {
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') }
}

function idOfNobody(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
}
