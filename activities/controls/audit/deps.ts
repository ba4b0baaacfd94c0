// What the steps of the audit chain act upon.

import type { Db } from '../../../db/database'
import type { Keyring } from '../../../db/keyring'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'

export interface AuditDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly keyring: Keyring
  /** Who is mailed about a fault; null where nobody is. */
  readonly opsEmail: string | null
}
