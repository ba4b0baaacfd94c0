// Starts the verification of each business at the bank once a day, in case an event or workflow was lost.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import { fromPreviousRun, requireCounts } from '../input'

export interface Verifications {
  readonly pageSize: number
  /** After this many pages the workflow continues as a new run. */
  readonly pages: number
  /** The last partner of the run before. */
  readonly after?: string
  /** How many were started so far. */
  readonly started?: number
}

export interface VerificationsPage {
  /** The last partner of the page before. Null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface VerificationsActivities {
  /** Starts each verification of the page that is not running. `next` is null on the last page. */
  startVerifications(page: VerificationsPage): Promise<{ readonly started: number; readonly next: string | null }>
}

/** The next day does the rest. A page takes at most half a minute. */
const { startVerifications } = proxyActivities<VerificationsActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes', maximumAttempts: 20 },
})

export async function verifications(order: Verifications): Promise<number> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 200}')
  const { pageSize, pages } = order
  let after = fromPreviousRun(order.after) ?? null
  let started = fromPreviousRun(order.started) ?? 0
  for (let page = 0; page < pages; page++) {
    const looked = await startVerifications({ after, limit: pageSize })
    started += looked.started
    if (looked.next === null) return started
    after = looked.next
  }
  return continueAsNew<typeof verifications>({ pageSize, pages, started, ...(after === null ? {} : { after }) })
}
