// What a partner's admins are to be mailed about: written with what it tells, told once.
import type { Environment } from '../domain/environment'
import type { NoticeKind } from '../domain/notice'
import type { Queryable, Statement } from './database'

export interface NewNotice {
  readonly partnerId: string
  readonly environment: Environment
  readonly kind: NoticeKind
  /** A payout, a movement, a case, or a word such as the new status: never anything personal. */
  readonly about: string
  readonly at: Date
}

/** In the transaction of what it tells. Nobody is mailed about test money: one of the sandbox is not kept. */
export async function addNotice(tx: Queryable, { partnerId, environment, kind, about, at }: NewNotice): Promise<void> {
  if (environment === 'live') await tx.query(insert, [partnerId, environment, kind, about, at])
}

const insert: Statement = {
  name: 'notice-insert',
  text: 'INSERT INTO notices (partner_id, environment, kind, about, at) VALUES ($1, $2, $3, $4, $5)',
}
