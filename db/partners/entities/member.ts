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
})
