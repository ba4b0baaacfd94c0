// Bills every partner for a month: one child for each, a few at a time, and one partner's failure is not the others'.
import {
  ApplicationFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  continueAsNew,
  defineQuery,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import { londonMonthOf, type Month, monthInWords, parseMonth, previousMonth } from '../../domain/month'
import * as activities from '../activities'
import { isRunningAlready } from '../already-running'
import { ofRunBefore } from '../input'
import { invoiceId } from '../names'
import { invoice } from './invoice'
import { addOutcome, type BilledPartner, emptySums, type RunSums, sentenceOf } from './sums'

/** What a person gives who starts it by hand. */
export interface InvoiceRunOrder {
  /** YYYY-MM; without it the month before the Schedule's time. */
  readonly period?: string
  /** A slug; everybody without it. */
  readonly partner?: string
  /** Of the runs that this one continues. */
  readonly soFar?: { readonly after: string; readonly sums: RunSums }
  /** How many partners one history has room for; only tests change it. */
  readonly pageSize?: number
}

export interface InvoiceRunResult extends RunSums {
  readonly period: Month
}

export interface RunProgress {
  readonly period: Month
  readonly sums: RunSums
  /** Those of this history, from the one that was asked for on. */
  readonly billed: readonly BilledPartner[]
}

export const progress = defineQuery<RunProgress, [{ readonly from: number }]>('progress')

/** Most of a child's time is the way to the server and back; how many are in the database at once is the worker's to say. */
const atOnce = 10
const partnersPerHistory = 200

/** By the Schedule it is given nothing; in the Web UI also `null` can be written. */
export async function invoiceRun(given?: InvoiceRunOrder | null): Promise<InvoiceRunResult> {
  const order = given ?? {}
  const period = periodOf(order)
  const billed: BilledPartner[] = []
  const soFar = ofRunBefore(order.soFar)
  let sums = soFar?.sums ?? emptySums
  setHandler(progress, ({ from }) => ({ period, sums, billed: billed.slice(from) }))
  const say = () => setCurrentDetails(`${monthInWords(period)}: ${sentenceOf(sums)}`)

  const { partner = null, pageSize: limit = partnersPerHistory } = order
  const page = await activities.partnersToBill({ period, partner, after: soFar?.after ?? null, limit })
  sums = { ...sums, already: sums.already + page.billedBefore }
  await inLanes(atOnce, page.partnerIds, async (partnerId) => {
    const one = await bill(partnerId, period)
    billed.push(one)
    sums = addOutcome(sums, one)
    say()
  })
  say()
  if (page.next === null) return { period, ...sums }
  return continueAsNew<typeof invoiceRun>({ ...order, period, soFar: { after: page.next, sums } })
}

/** The Schedule's own time and not the present one: after downtime it may be a later month by now. */
function periodOf({ period }: InvoiceRunOrder): Month {
  const scheduled = workflowInfo().typedSearchAttributes.get({ name: 'TemporalScheduledStartTime', type: 'DATETIME' })
  const month = period === undefined ? scheduled && previousMonth(londonMonthOf(scheduled)) : parseMonth(period)
  if (month) return month
  throw ApplicationFailure.nonRetryable(
    'Say which month to bill, as {"period": "2026-10"}; add "partner": "<slug>" to bill only one.',
    'PeriodUnknown',
  )
}

/** A child goes on whatever becomes of the run: what it does is whole, and a later run finds it done. */
async function bill(partnerId: string, period: Month): Promise<BilledPartner> {
  try {
    const invoiced = await executeChild(invoice, {
      workflowId: invoiceId(partnerId, period),
      args: [{ partnerId, period }],
      staticSummary: `Invoice for ${monthInWords(period)}`,
      // For so long the children of a killed worker wait before another one takes them over.
      workflowTaskTimeout: '5 seconds',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      // The row decides whether there is anything left to do.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    })
    return { partnerId, ...invoiced }
  } catch (error) {
    if (isRunningAlready(error)) return { partnerId, outcome: 'elsewhere', number: null, totalGbp: null }
    if (isCancellation(error) || !(error instanceof ChildWorkflowFailure)) throw error
    return { partnerId, outcome: 'failed', number: null, totalGbp: null }
  }
}

async function inLanes<T>(lanes: number, all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const waiting = all.values()
  const lane = async () => {
    for (const each of waiting) await work(each)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
