// The activities that workflows call, bound to what they act upon.

import type { Clock } from '../clock'
import type { Db } from '../db/database'
import type { Activities } from '../workflows/activities'
import { pruneActivity } from './prune-activity'

export interface ActivityDeps {
  readonly db: Db
  readonly clock: Clock
  readonly activityRetentionDays: number
}

export function createActivities(deps: ActivityDeps): Activities {
  return {
    pruneActivity: (batch) => pruneActivity(deps, batch),
  }
}
