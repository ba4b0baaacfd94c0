// Looks, once a day, at every business that the bank has: no pause and no lost workflow waits for an event that never came.
import { continueAsNew } from '@temporalio/workflow'
import * as activities from '../activities'
import { ofRunBefore, requireCounts } from '../input'

export interface Verifications {
  readonly pageSize: number
  /** After this many it goes on in a fresh history. */
  readonly pages: number
  /** The last partner of the run before. */
  readonly after?: string
  /** How many were started so far. */
  readonly started?: number
}

export async function verifications(order: Verifications): Promise<number> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 200}')
  const { pageSize, pages } = order
  let after = ofRunBefore(order.after) ?? null
  let started = ofRunBefore(order.started) ?? 0
  for (let page = 0; page < pages; page++) {
    const looked = await activities.startVerifications({ after, limit: pageSize })
    started += looked.started
    if (looked.next === null) return started
    after = looked.next
  }
  return continueAsNew<typeof verifications>({ pageSize, pages, started, ...(after === null ? {} : { after }) })
}
