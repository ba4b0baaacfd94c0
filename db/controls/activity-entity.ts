// The table behind the activity list.
import { EntitySchema } from 'typeorm'
import { boolean, integer, orNull, sequence, text, time, uuid } from '../columns'
import type { ActivityRow } from './activity'

export interface StoredActivity extends Omit<ActivityRow, 'changes'> {
  readonly changes: boolean
}

export const activity = new EntitySchema<StoredActivity>({
  name: 'Activity',
  tableName: 'activity',
  columns: {
    id: sequence,
    partnerId: uuid,
    at: time,
    environment: orNull(text),
    action: text,
    changes: boolean,
    status: orNull(integer),
    madeBy: text,
    detail: orNull(text),
    requestId: orNull(text),
  },
})
