// The table of members: the people who sign in for a partner.
import { EntitySchema } from 'typeorm'
import { id, idOf, orNull, text, time } from '../../columns'
import type { MemberRow } from '../members'

export const member = new EntitySchema<MemberRow>({
  name: 'Member',
  tableName: 'members',
  columns: {
    id,
    partnerId: idOf('Partner'),
    email: text,
    name: orNull(text),
    role: text,
    lastLoginAt: orNull(time),
    createdAt: time,
  },
  uniques: [{ name: 'members_email_unique', columns: ['partnerId', 'email'] }],
  indices: [{ name: 'members_email_index', columns: ['email'] }],
  checks: [
    { name: 'members_email_check', expression: 'email = lower(email)' },
    { name: 'members_role_check', expression: `role IN ('admin', 'viewer')` },
  ],
})
