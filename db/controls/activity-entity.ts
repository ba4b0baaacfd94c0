// The table behind the activity list.
import { EntitySchema } from 'typeorm'
import { boolean, integer, orNull, sequence, text, time, uuid } from '../columns'
import { type ActivityRow, isSecurityEvent } from './activity'

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
  indices: [
    { name: 'activity_partner_index', columns: ['partnerId', 'at', 'id'] },
    { name: 'activity_changes_index', columns: ['partnerId', 'at', 'id'], where: 'changes' },
    { name: 'activity_security_index', columns: ['partnerId', 'at', 'id'], where: isSecurityEvent },
    { name: 'activity_sandbox_index', columns: ['partnerId', 'at', 'id'], where: `environment = 'sandbox'` },
    {
      name: 'activity_sandbox_changes_index',
      columns: ['partnerId', 'at', 'id'],
      where: `environment = 'sandbox' AND changes`,
    },
    { name: 'activity_read_index', columns: ['at'], where: 'NOT changes' },
  ],
  checks: [{ name: 'activity_environment_check', expression: `environment IN ('sandbox', 'live')` }],
})
