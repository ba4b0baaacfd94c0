// What the steps that mail a partner's admins act upon.

import type { Db } from '../../../db/database'
import type { Keyring } from '../../../db/keyring'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'

export interface NoticeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly keyring: Keyring
  /** Where the dashboard is. */
  readonly publicUrl: string
}
