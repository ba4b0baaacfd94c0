// Mails notices to a partner's admins every minute, one mail for each group of related notices.
import { requireCounts } from '../input'
import { regularActivities } from '../proxies'

export interface Noticing {
  readonly pageSize: number
  /** Maximum number of pages per run. The next run does the rest. */
  readonly pages: number
}

export interface NoticesSent {
  /** Notices that were mailed or that no admin wants. Excludes notices that wait for an admin who can receive mail. */
  readonly told: number
  readonly mails: number
  /** Notices that could not be mailed. The log says why, and the next run retries. */
  readonly failed: number
  /** Whether there may be more. */
  readonly more: boolean
}

export interface NoticesActivities {
  /** Finds live wallets whose balance has become low, and returns the number of new ones. */
  checkLowBalances(page: { readonly limit: number }): Promise<number>
  /** Mails the notices of up to `limit` groups, each notice once. */
  sendNotices(page: { readonly limit: number }): Promise<NoticesSent>
}

/** The next run does the rest. */
const { checkLowBalances, sendNotices } = regularActivities<NoticesActivities>('1 minute', {
  first: '1 second',
  attempts: 3,
})

/** Returns the number of mails queued. */
export async function notices(order: Noticing): Promise<number> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 20}')
  const { pageSize, pages } = order
  await checkLowBalances({ limit: pageSize })
  let written = 0
  for (let page = 0; page < pages; page++) {
    const { mails, more } = await sendNotices({ limit: pageSize })
    written += mails
    if (!more) break
  }
  return written
}
