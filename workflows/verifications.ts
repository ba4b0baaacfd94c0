// Looks, once a day, at every business that the bank has: no pause and no lost workflow waits for an event that never came.
import { continueAsNew } from '@temporalio/workflow'
import * as activities from './activities'

export interface Verifications {
  readonly pageSize: number
  /** After this many it goes on in a fresh history. */
  readonly pages: number
  /** The last partner of the run before. */
  readonly after?: string
  /** How many were started so far. */
  readonly started?: number
}

export async function verifications({ pageSize, pages, ...from }: Verifications): Promise<number> {
  let { after = null, started = 0 }: { after?: string | null; started?: number } = from
  for (let page = 0; page < pages; page++) {
    const looked = await activities.startVerifications({ after, limit: pageSize })
    started += looked.started
    if (looked.next === null) return started
    after = looked.next
  }
  return continueAsNew<typeof verifications>({ pageSize, pages, started, ...(after === null ? {} : { after }) })
}
