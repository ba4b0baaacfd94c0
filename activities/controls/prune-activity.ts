// Removes one batch of old activity entries that changed nothing: reads after days, refused writes after the full time.

import { pruneActivity as removeOld } from '../../db/controls/activity'
import type { Db } from '../../db/database'
import type { Clock } from '../../runtime/clock'

const dayMs = 24 * 60 * 60 * 1000

export async function pruneActivity(
  { db, clock, activityRetentionDays, activityReadRetentionDays }: PruneDeps,
  { limit }: { limit: number },
): Promise<number> {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs)
  return removeOld(db, {
    before: daysAgo(activityRetentionDays),
    readsBefore: daysAgo(activityReadRetentionDays),
    limit,
  })
}

interface PruneDeps {
  readonly db: Db
  readonly clock: Clock
  readonly activityRetentionDays: number
  readonly activityReadRetentionDays: number
}
