// What the steps of a verification act upon.

import type { Db } from '../../../db/database'
import type { Rail } from '../../../rail/rail'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'

export interface VerificationDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
  /** The live one. */
  readonly rail: Pick<
    Rail,
    'openCustomer' | 'verification' | 'createWallet' | 'wallets' | 'depositAddress' | 'bankFunding'
  >
  /** Where the bank's pages send people when they are done. */
  readonly redirectUrl: string | null
  /** Who opens the live wallet, as the activity list shows it. */
  readonly madeBy: string
}
