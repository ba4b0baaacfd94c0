// Records a change by ops in the activity list, in the same transaction.
import { type ActivityEntry, recordActivity } from '../../db/controls/activity'
import type { Tx } from '../../db/database'
import type { Ops } from '../connect'

export type Change = Pick<ActivityEntry, 'partnerId' | 'at' | 'environment' | 'action' | 'detail'>

export async function recordChange({ madeBy }: Ops, tx: Tx, change: Change): Promise<void> {
  await recordActivity(tx, [{ ...change, madeBy, changes: 'something', status: null, requestId: null }])
}
