// The table of what a partner's admins are to be mailed about.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../../domain/environment'
import type { NoticeKind } from '../../../domain/partners/partner'
import { idOf, orNull, sequence, text, time, uuid } from '../../columns'

export interface StoredNotice {
  readonly id: bigint
  readonly partnerId: string
  readonly environment: Environment
  readonly kind: NoticeKind
  readonly about: string
  readonly at: Date
  readonly toldAt: Date | null
  readonly payerId: string | null
}

export const notice = new EntitySchema<StoredNotice>({
  name: 'Notice',
  tableName: 'notices',
  columns: {
    id: sequence,
    partnerId: idOf('Partner'),
    environment: text,
    kind: text,
    about: text,
    at: time,
    toldAt: orNull(time),
    payerId: orNull(uuid),
  },
})
