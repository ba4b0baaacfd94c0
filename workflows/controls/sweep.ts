// The sweep starts a workflow for each open payout that has none, and reports overdue work to the operators.
import { ActivityFailure, continueAsNew, isCancellation, patched } from '@temporalio/workflow'
import { fromPreviousRun, requireCounts } from '../input'
import { regularActivities } from '../proxies'

export interface SweepOrder {
  readonly pageSize: number
  /** A page adds six events to the history. After this many pages the sweep continues as a new run. */
  readonly pages: number
  /** Where the previous run stopped, and its counts. Absent in a new sweep. */
  readonly from?: Place | Progress
}

/** The position of a run from an earlier release, which processed the stages one after the other. */
interface Place {
  readonly stage: Stage
  readonly after: Page['after']
  readonly swept: Swept
}

interface Progress {
  /** The unfinished stages, with the cursor of each. */
  readonly left: Left
  readonly swept: Swept
}

export interface Swept {
  /** Open payouts that were checked. `started` counts those that had no workflow and got a new one. */
  readonly looked: number
  readonly started: number
  /** Simulated sandboxes that this sweep started to connect to the sandbox bank. */
  readonly connecting: number
  /** Workflows that were woken because their payout is final. */
  readonly woken: number
  /** Payouts that this sweep reported to the operators. */
  readonly overdue: number
  /** Rows that could not be handled. The log contains the reason, and the next sweep retries. */
  readonly failed: number
}

export interface Page {
  /** The activity's own cursor. Null for the first page, which starts where the last sweep stopped. */
  readonly after: string | null
  readonly limit: number
}

/** `next` is null on the last page. Workers from the first release omit it. */
export interface SweptPage extends Partial<Swept> {
  readonly next?: Page['after']
}

/** A row that fails does not stop the others on its page. */
export interface SweepActivities {
  /** Starts a workflow for each open payout on the page that has no workflow. */
  sweepPayouts(page: Page): Promise<SweptPage>
  /**
   * Starts connecting each sandbox on the page that is still simulated. The first page also repairs our webhooks at the
   * banks.
   */
  sweepSandboxes(page: Page): Promise<SweptPage>
  /** Wakes workflows whose payout is final, and reports those whose payout does not exist. */
  sweepStrays(page: Page): Promise<SweptPage>
  /** Reports each overdue payout, case and verification once. */
  reportOverdue(page: Page): Promise<SweptPage>
}

/** Few retries, because the next sweep covers the same payouts again. A page takes at most 30 seconds. */
const { sweepPayouts, sweepSandboxes, sweepStrays, reportOverdue } = regularActivities<SweepActivities>('40 seconds', {
  first: '1 second',
  attempts: 3,
})

type Stage = (typeof stages)[number]
type Left = Readonly<Partial<Record<Stage, Page['after']>>>

const stages = ['payouts', 'sandboxes', 'strays', 'overdue'] as const
const activityOf = {
  payouts: sweepPayouts,
  sandboxes: sweepSandboxes,
  strays: sweepStrays,
  overdue: reportOverdue,
} as const
const nothing: Swept = { looked: 0, started: 0, connecting: 0, woken: 0, overdue: 0, failed: 0 }

export async function sweep(order: SweepOrder): Promise<Swept> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 100}')
  const from = fromPreviousRun(order.from)
  if (from !== undefined && 'stage' in from) return oneAfterTheOther(order, from)
  return patched('stages-take-turns') ? inTurns(order, from ?? start) : oneAfterTheOther(order, beginning)
}

/**
 * Each stage processes one page per round, so that a backlog in one stage does not delay the others. A sweep that
 * times out loses nothing: the first page of each stage continues where the last sweep stopped.
 */
async function inTurns({ pageSize, pages }: SweepOrder, from: Progress): Promise<Swept> {
  let { left, swept } = from
  for (let page = 0; page < pages; ) {
    const still: Partial<Record<Stage, Page['after']>> = {}
    for (const stage of stages) {
      const after = left[stage]
      if (after === undefined) continue
      const { next = null, ...counts } = await take(stage, { after, limit: pageSize })
      page += 1
      swept = add(swept, counts)
      if (next !== null) still[stage] = next
    }
    left = still
    if (Object.keys(left).length === 0) return swept
  }
  return continueAsNew<typeof sweep>({ pageSize, pages, from: { left, swept } })
}

const start: Progress = { left: { payouts: null, sandboxes: null, strays: null, overdue: null }, swept: nothing }

async function oneAfterTheOther({ pageSize, pages }: SweepOrder, from: Place): Promise<Swept> {
  let place = from
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

/** A stage that fails stops for this sweep. The other stages continue. */
async function take(stage: Stage, page: Page): Promise<SweptPage> {
  try {
    return await activityOf[stage](page)
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
