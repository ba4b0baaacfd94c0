// Finds, every minute, what no workflow looks after, and sees that one does; and what takes too long, and sees that people know.
import { ActivityFailure, continueAsNew, isCancellation } from '@temporalio/workflow'
import * as activities from './activities'
import { ofRunBefore, requireCounts } from './input'
import type { Page, Swept, SweptPage } from './sweep-steps'

export interface Sweep {
  readonly pageSize: number
  /** A page adds six events to the history; after this many the sweep goes on in a fresh one. */
  readonly pages: number
  /** Where the run before has stopped, and what it had done; a new sweep begins at the beginning. */
  readonly from?: Place
}

export interface Place {
  readonly stage: Stage
  readonly after: Page['after']
  readonly swept: Swept
}

type Stage = (typeof stages)[number]

const stages = ['payouts', 'sandboxes', 'strays', 'overdue'] as const
const stepOf = {
  payouts: activities.sweepPayouts,
  sandboxes: activities.sweepSandboxes,
  strays: activities.sweepStrays,
  overdue: activities.reportOverdue,
} as const
const nothing: Swept = { looked: 0, started: 0, connecting: 0, woken: 0, overdue: 0, failed: 0 }

export async function sweep(order: Sweep): Promise<Swept> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 100}')
  const { pageSize, pages } = order
  let place = ofRunBefore(order.from) ?? beginning
  for (let page = 0; page < pages; page++) {
    const { stage, after, swept } = place
    const { next = null, ...counts } = await take(stage, { after, limit: pageSize })
    const sum = add(swept, counts)
    const following = next === null ? stages[stages.indexOf(stage) + 1] : stage
    if (following === undefined) return sum
    place = { stage: following, after: next, swept: sum }
  }
  return continueAsNew<typeof sweep>({ pageSize, pages, from: place })
}

const beginning: Place = { stage: 'payouts', after: null, swept: nothing }

/** A stage that can not go on does not keep the sweep from the next one. */
async function take(stage: Stage, page: Page): Promise<SweptPage> {
  try {
    return await stepOf[stage](page)
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return { next: null, failed: 1 }
  }
}

function add(sum: Swept, counts: Partial<Swept>): Swept {
  return {
    looked: sum.looked + (counts.looked ?? 0),
    started: sum.started + (counts.started ?? 0),
    connecting: sum.connecting + (counts.connecting ?? 0),
    woken: sum.woken + (counts.woken ?? 0),
    overdue: sum.overdue + (counts.overdue ?? 0),
    failed: sum.failed + (counts.failed ?? 0),
  }
}
