// What the steps of billing act upon.

import type { Db } from '../../db/database'
import type { Seller } from '../../domain/invoices/document'
import type { Mailer } from '../../mail/mailer'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'

export interface InvoiceDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Null where nobody was named; nothing is billed then. */
  readonly seller: Seller | null
  /** Null where no server takes our mails; they wait then. */
  readonly mailer: Mailer | null
}
