// Mails, every minute, what a partner's admins want to know: one mail of all that belongs together.
import * as activities from '../activities'
import { requireCounts } from '../input'

export interface Noticing {
  readonly pageSize: number
  /** What is left after so many pages is for the next run. */
  readonly pages: number
}

/** Answers how many mails were written. */
export async function notices(order: Noticing): Promise<number> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 20}')
  const { pageSize, pages } = order
  await activities.checkLowBalances({ limit: pageSize })
  let written = 0
  for (let page = 0; page < pages; page++) {
    const { mails, more } = await activities.sendNotices({ limit: pageSize })
    written += mails
    if (!more) break
  }
  return written
}
