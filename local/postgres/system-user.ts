// The unprivileged user for PostgreSQL when root starts it, because it refuses to run as root.

import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** Undefined unless root runs this. Existing data keeps its owner, so that a single `sudo npm start` does no harm. */
export function unprivilegedUser(dataDir: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = existsSync(dataDir) ? statSync(dataDir) : null
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody()
}

/** Every system has this user, and initdb requires an existing user. */
function nobody(): SystemUser {
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') }
}

function idOfNobody(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
}
