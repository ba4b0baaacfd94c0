// What the steps of a payout act upon.

import type { Db } from '../../db/database'
import type { Keyring } from '../../db/keyring'
import type { RailName } from '../../domain/environment'
import type { Rail } from '../../rail/rail'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'

export interface PayoutDeps {
  readonly db: Db
  readonly clock: Clock
  readonly keyring: Keyring
  readonly rails: Readonly<Record<RailName, Rail>>
  readonly log: Log
  readonly patience: Patience
}

export interface Patience {
  /** How long the identical call is repeated under one bank key: less than the bank remembers it for. */
  readonly repeatForMs: number
  /** How long after the first call a listing without the transfer proves that there is none. */
  readonly quietMs: number
  /** Until then a call to the bank may begin before anybody is answered. */
  readonly answerWithinMs: number
  /** What each of these calls may take, and so the end of the last one. */
  readonly answerCallMs: number
}
