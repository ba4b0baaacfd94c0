// Emails notices to partners' admins every minute, one email for each group of related notices.
import { requireCounts } from '../input'
import { regularActivities } from '../proxies'

export interface Noticing {
  readonly pageSize: number
  /** Maximum number of pages per run. The next run handles the remaining pages. */
  readonly pages: number
}

export interface NoticesSent {
  /**
   * Notices that were mailed or discarded, for example because the partner muted them. Excludes notices that still
   * wait.
   */
  readonly told: number
  readonly mails: number
  /** Groups whose notices could not be mailed. The log contains the reason, and the next run retries. */
  readonly failed: number
  /** Whether there may be more notices to send. */
  readonly more: boolean
}

export interface NoticesActivities {
  /** Adds a notice for each live wallet whose balance has newly become low, and returns their number. */
  checkLowBalances(page: { readonly limit: number }): Promise<number>
  /** Queues emails for up to `limit` groups of notices. Reports each notice once. */
  sendNotices(page: { readonly limit: number }): Promise<NoticesSent>
}

/** If all three attempts fail, the next run handles the remaining notices. */
const { checkLowBalances, sendNotices } = regularActivities<NoticesActivities>('1 minute', {
  first: '1 second',
  attempts: 3,
})

/** Returns the number of emails queued. */
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
