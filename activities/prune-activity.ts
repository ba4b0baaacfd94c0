// Removes one batch of activity entries that changed nothing and are older than they have to be kept.

import type { Clock } from '../clock'
import { pruneActivity as removeReads } from '../db/activity'
import type { Db } from '../db/database'

const dayMs = 24 * 60 * 60 * 1000

export async function pruneActivity(
  { db, clock, activityRetentionDays }: { db: Db; clock: Clock; activityRetentionDays: number },
  { limit }: { limit: number },
): Promise<number> {
  const before = new Date(clock.now().getTime() - activityRetentionDays * dayMs)
  return removeReads(db, { before, limit })
}
