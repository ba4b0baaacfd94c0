// Bills every partner for a month, in batches. One failure does not stop the others.
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  continueAsNew,
  defineQuery,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import { londonMonthOf, type Month, monthInWords, parseMonth, previousMonth } from '../../domain/month'
import { fromPreviousRun } from '../input'
import { invoiceId, partnersNotBilled } from '../names'
import { regularActivities } from '../proxies'
import { type Invoiced, invoice, isAlreadyRunning } from './invoice'

/** An operator may also start a run manually with this input. */
export interface InvoiceRunOrder {
  /** YYYY-MM. The default is the month before the Schedule's time. */
  readonly period?: string
  /** A slug. The default is every partner. */
  readonly partner?: string
  /** Set by the previous run, which this one continues. */
  readonly soFar?: { readonly after: string; readonly sums: RunSums }
  /** Partners per run, which limits the length of the history. Only tests set it. */
  readonly pageSize?: number
}

interface RunSums {
  readonly issued: number
  readonly already: number
  readonly nothing: number
  readonly elsewhere: number
  readonly failed: number
  /** The IDs of the first hundred partners that failed. */
  readonly failedPartners: readonly string[]
}

export interface InvoiceRunResult extends RunSums {
  readonly period: Month
}

export interface BilledPartner {
  readonly partnerId: string
  /** `elsewhere`: another run was billing this partner. Only runs with child workflows report it. */
  readonly outcome: Invoiced['outcome'] | 'failed' | 'elsewhere'
  readonly number: string | null
  readonly totalGbp: string | null
}

export interface BillingPage {
  readonly period: Month
  /** The slug if only one partner is billed, else null. */
  readonly partner: string | null
  /** The last ID of the previous page. */
  readonly after: string | null
  readonly limit: number
}

export interface PartnersToBill {
  readonly partnerIds: readonly string[]
  /** The number of partners that had this month's invoice when the run began. Zero on all pages but the first. */
  readonly billedBefore: number
  /** Null on the last page. */
  readonly next: string | null
}

export interface BatchToBill {
  readonly partnerIds: readonly string[]
  readonly period: Month
}

export interface BilledBatch {
  /** At least one partner. */
  readonly billed: readonly BilledPartner[]
  /** The partners that another call has to bill, after a transient error or because the worker shuts down. */
  readonly postponed: readonly string[]
}

export interface InvoiceRunActivities {
  /** Fails permanently if the month is not over, the partner does not exist, or no seller is configured. */
  partnersToBill(page: BillingPage): Promise<PartnersToBill>
  /**
   * Issues each partner's invoice in a transaction of its own, and starts the workflow that mails it. Idempotent.
   * Throws if no partner could be billed now.
   */
  issueInvoices(batch: BatchToBill): Promise<BilledBatch>
}

/** Retries until the database is available again. */
const { partnersToBill } = proxyActivities<Pick<InvoiceRunActivities, 'partnersToBill'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
})

/** A batch takes about a second. The timeout allows for partners with a hundred thousand charges. */
const { issueInvoices } = regularActivities<Pick<InvoiceRunActivities, 'issueInvoices'>>('1 hour', {
  first: '500 ms',
  longest: '1 minute',
})

export interface RunProgress {
  readonly period: Month
  readonly sums: RunSums
  /** The partners that this run has processed, starting at index `from`. */
  readonly billed: readonly BilledPartner[]
}

const progress = defineQuery<RunProgress, [{ readonly from: number }]>('progress')

/**
 * Each batch is one activity, because workflow tasks and child workflows cost more than the invoices. Each of the
 * concurrent batches uses one connection to the database.
 */
const partnersPerBatch = 20
const concurrentBatches = 4
const partnersPerHistory = 1_000

/** Runs from before this patch have a child workflow per partner. */
const billsInBatches = 'bills-in-batches'
const concurrentChildren = 10

/** The Schedule passes no input. The Web UI can also send `null`. */
export async function invoiceRun(given?: InvoiceRunOrder | null): Promise<InvoiceRunResult> {
  const order = given ?? {}
  const period = periodOf(order)
  const billed: BilledPartner[] = []
  const soFar = fromPreviousRun(order.soFar)
  let sums = soFar?.sums ?? emptySums
  setHandler(progress, ({ from }) => ({ period, sums, billed: billed.slice(from) }))
  const showProgress = () => setCurrentDetails(`${monthInWords(period)}: ${sentenceOf(sums)}`)

  const { partner = null, pageSize: limit = partnersPerHistory } = order
  const page = await partnersToBill({ period, partner, after: soFar?.after ?? null, limit })
  sums = { ...sums, already: sums.already + page.billedBefore }
  const report = (some: readonly BilledPartner[]) => {
    billed.push(...some)
    sums = some.reduce(addOutcome, sums)
    showProgress()
  }
  if (patched(billsInBatches)) {
    const batches = inBatchesOf(partnersPerBatch, page.partnerIds)
    const lanes = inLanes(concurrentBatches, batches, (batch) => billBatch(batch, period, report))
    // If the run is cancelled, every lane finishes its batch before the run ends.
    await Promise.allSettled(lanes)
    await Promise.all(lanes)
  } else {
    await Promise.all(inLanes(concurrentChildren, page.partnerIds, async (id) => report([await bill(id, period)])))
  }
  showProgress()
  if (page.next === null) return ended({ period, ...sums })
  return continueAsNew<typeof invoiceRun>({ ...order, period, soFar: { after: page.next, sums } })
}

/** Older runs complete even if a partner could not be billed. */
const failsVisibly = 'fails-visibly'

/**
 * A run that could not bill a partner fails, so that the Web UI shows it as failed. The failure's details contain the
 * result.
 */
function ended(result: InvoiceRunResult): InvoiceRunResult {
  if (result.failed === 0 || !patched(failsVisibly)) return result
  const message = `${result.failed} ${result.failed === 1 ? 'partner was' : 'partners were'} not billed: ${sentenceOf(result)}`
  throw ApplicationFailure.nonRetryable(message, partnersNotBilled, result)
}

/** Uses the Schedule's time, not the current time: after downtime the run may start in a later month. */
function periodOf({ period }: InvoiceRunOrder): Month {
  const scheduled = workflowInfo().typedSearchAttributes.get({ name: 'TemporalScheduledStartTime', type: 'DATETIME' })
  const month = period === undefined ? scheduled && previousMonth(londonMonthOf(scheduled)) : parseMonth(period)
  if (month) return month
  throw ApplicationFailure.nonRetryable(
    'Specify the month to bill, such as {"period": "2026-10"}; add "partner": "<slug>" to bill only one partner.',
    'PeriodUnknown',
  )
}

/**
 * A cancelled run finishes its current batches, so that it starts the email of every invoice that it issued. Each call
 * bills at least one partner, so the loop ends.
 */
async function billBatch(
  batch: readonly string[],
  period: Month,
  report: (billed: readonly BilledPartner[]) => void,
): Promise<void> {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The run was cancelled.')
  for (let partnerIds = batch; partnerIds.length > 0; ) {
    const { billed, postponed } = await CancellationScope.nonCancellable(() => issueInvoices({ partnerIds, period }))
    report(billed)
    partnerIds = postponed
  }
}

function inBatchesOf<T>(size: number, all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size))
}

/** A child outlives a cancelled run: its work is one transaction, and a later run finds it done. */
async function bill(partnerId: string, period: Month): Promise<BilledPartner> {
  try {
    const invoiced = await executeChild(invoice, {
      workflowId: invoiceId(partnerId, period),
      args: [{ partnerId, period }],
      staticSummary: `Invoice for ${monthInWords(period)}`,
      // How long the children of a killed worker wait before another worker resumes them.
      workflowTaskTimeout: '5 seconds',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      // The invoice row shows whether anything is left to do.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    })
    return { partnerId, ...invoiced }
  } catch (error) {
    if (isAlreadyRunning(error)) return { partnerId, outcome: 'elsewhere', number: null, totalGbp: null }
    if (isCancellation(error) || !(error instanceof ChildWorkflowFailure)) throw error
    return { partnerId, outcome: 'failed', number: null, totalGbp: null }
  }
}

/** Each lane takes the next of all when it has finished one. */
function inLanes<T>(count: number, all: readonly T[], work: (each: T) => Promise<void>): Promise<void>[] {
  const waiting = all.values()
  const lane = async () => {
    for (const each of waiting) await work(each)
  }
  return Array.from({ length: count }, lane)
}

const emptySums: RunSums = { issued: 0, already: 0, nothing: 0, elsewhere: 0, failed: 0, failedPartners: [] }

const namedFailures = 100

function addOutcome(sums: RunSums, { outcome, partnerId }: BilledPartner): RunSums {
  const counted = { ...sums, [outcome]: sums[outcome] + 1 }
  if (outcome !== 'failed' || sums.failedPartners.length >= namedFailures) return counted
  return { ...counted, failedPartners: [...sums.failedPartners, partnerId] }
}

/**
 * For example "3 issued, 1 with nothing to bill, 0 failed." Issued and failed always appear. Other counts appear unless
 * they are zero.
 */
function sentenceOf({ issued, already, nothing, elsewhere, failed }: RunSums): string {
  const parts = [
    `${issued} issued`,
    ...(already > 0 ? [`${already} billed before`] : []),
    ...(nothing > 0 ? [`${nothing} with nothing to bill`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} being billed by another run`] : []),
    `${failed} failed`,
  ]
  return `${parts.join(', ')}.`
}
