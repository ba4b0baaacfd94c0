// The table of members: the people who sign in for a partner.
import { EntitySchema } from 'typeorm'
import type { MemberRole } from '../../../domain/partners/partner'
import { id, idOf, orNull, text, time } from '../../columns'

export interface MemberRow {
  readonly id: string
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly role: MemberRole
  readonly lastLoginAt: Date | null
  readonly createdAt: Date
}

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
