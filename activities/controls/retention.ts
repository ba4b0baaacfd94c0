// Deletes data whose retention period has ended, one batch at a time.

import { pruneActivity as prune } from '../../db/controls/activity'
import { addPartitions } from '../../db/controls/archives'
import { eraseRecipients as eraseDetails, eraseBankEvents as eraseEvents } from '../../db/controls/retention'
import type { ActivityDeps } from '../bind'

type RetentionDeps = Pick<ActivityDeps, 'db' | 'clock' | 'retention'>
type PruneDeps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'activityRetentionDays' | 'activityReadRetentionDays'>

export async function eraseRecipients({ db, clock, retention }: RetentionDeps, { limit }: Batch): Promise<number> {
  return eraseDetails(db, { before: daysAgo(clock, retention.recipientDays), limit })
}

export async function eraseBankEvents({ db, clock, retention }: RetentionDeps, { limit }: Batch): Promise<number> {
  return eraseEvents(db, { before: daysAgo(clock, retention.bankEventDays), limit })
}

/**
 * Deletes activity entries about requests that changed nothing. Reads and refused writes have separate retention
 * periods. The last batch also creates the partitions that the growing tables need next.
 */
export async function pruneActivity(
  { db, clock, log, activityRetentionDays, activityReadRetentionDays }: PruneDeps,
  { limit }: Batch,
): Promise<number> {
  const before = daysAgo(clock, activityRetentionDays)
  const readsBefore = daysAgo(clock, activityReadRetentionDays)
  const pruned = await prune(db, { before, readsBefore, limit })
  if (pruned < limit && (await addPartitions(db)) === 'blocked')
    log.warn('no new partition could be created; see `ops archive list`')
  return pruned
}

interface Batch {
  readonly limit: number
}

function daysAgo(clock: ActivityDeps['clock'], days: number): Date {
  return new Date(clock.now().getTime() - days * dayMs)
}

const dayMs = 24 * 60 * 60 * 1000
