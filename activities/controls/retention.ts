// The steps that erase what was kept long enough, bound to what they act upon.

import { eraseBankEvents, eraseRecipients, type RetentionDays } from '../../db/controls/retention'
import type { Db } from '../../db/database'
import type { Clock } from '../../runtime/clock'
import type { RetentionSteps } from '../../workflows/controls/retention-steps'

export interface RetentionDeps {
  readonly db: Db
  readonly clock: Clock
  readonly retention: RetentionDays
}

const dayMs = 24 * 60 * 60 * 1000

export function createRetentionSteps({ db, clock, retention }: RetentionDeps): RetentionSteps {
  const ago = (days: number) => new Date(clock.now().getTime() - days * dayMs)
  return {
    eraseRecipients: ({ limit }) => eraseRecipients(db, { before: ago(retention.recipientDays), limit }),
    eraseBankEvents: ({ limit }) => eraseBankEvents(db, { before: ago(retention.bankEventDays), limit }),
  }
}
