// Starts the invoice run of a month, or joins the running one, and reports each partner as it is billed.
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowContinuedAsNewError,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client'
import { ApplicationFailure, rootCause } from '@temporalio/common'
import { deadlineIn } from '../../runtime/temporal/client'
import { startWorkflow } from '../../runtime/temporal/workflows'
import type { invoiceRun } from '../../workflows'
import type { BilledPartner, InvoiceRunResult, RunProgress } from '../../workflows/invoices/run'
import { partnersNotBilled } from '../../workflows/names'
import { type InvoiceRunStart, starts } from '../../workflows/starts'

export interface FollowParts {
  readonly temporal: Client
  readonly queuePrefix: string
  /** Called once for each partner that the run reports as billed. */
  readonly onBilled: (billed: BilledPartner) => Promise<void>
  /**
   * Called when the run's progress cannot be read, because no worker is running or the server does not answer. The run
   * is not affected.
   */
  readonly onSilence: () => void
}

export async function followRun(parts: FollowParts, order: InvoiceRunStart): Promise<InvoiceRunResult> {
  const { temporal } = parts
  const start = () => startWorkflow(temporal, starts.invoiceRun(order, parts))
  const { workflowId, firstExecutionRunId } = await temporal.withDeadline(deadlineIn(answerMs), start)
  for (let runId = firstExecutionRunId; ; ) {
    const ended = await followOne(parts, { workflowId, runId })
    if ('result' in ended) return ended.result
    if ('failure' in ended) throw ended.failure
    runId = ended.continuedAs
  }
}

/** Why the run was refused. Null for any other error. */
export function refusalOf(error: unknown): string | null {
  const isFailure = error instanceof WorkflowFailedError && error.cause !== undefined
  if (!isFailure) return null
  const cause = rootCause(error.cause)
  return cause === undefined ? 'The run was stopped.' : cause
}

/** The server did not answer in time, or could not be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ServiceError || isGrpcServiceError(error)
}

interface OneRun {
  readonly workflowId: string
  readonly runId: string
}

type Ended = { readonly result: InvoiceRunResult } | { readonly failure: unknown } | { readonly continuedAs: string }

/**
 * A long run periodically continues as new. Before following the new run, reads the last partners that the old run
 * billed. Retries a few times if a busy server does not answer.
 */
async function followOne(parts: FollowParts, { workflowId, runId }: OneRun): Promise<Ended> {
  const handle = parts.temporal.workflow.getHandle<typeof invoiceRun>(workflowId, runId, { followRuns: false })
  const end = endOf(handle)
  let ended: Ended | null = null
  for (let told = 0, lastReads = 0; ; ) {
    const billed = await newsOf(parts, handle, told)
    for (const each of billed ?? []) await parts.onBilled(each)
    told += billed?.length ?? 0
    if (ended !== null) lastReads += 1
    if (ended !== null && (billed !== null || lastReads === mostLastReads)) return ended
    const pause = wait(pauseMs, null)
    ended = await (ended === null ? Promise.race([end, pause]) : pause.then(() => end))
  }
}

async function endOf(handle: WorkflowHandle<typeof invoiceRun>): Promise<Ended> {
  try {
    return { result: await handle.result() }
  } catch (error) {
    if (error instanceof WorkflowContinuedAsNewError) return { continuedAs: error.newExecutionRunId }
    const result = resultIn(error)
    return result === null ? { failure: error } : { result }
  }
}

/** A run that could not bill every partner fails, and its failure contains the result. */
export function resultIn(error: unknown): InvoiceRunResult | null {
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure) || cause.type !== partnersNotBilled) return null
  return isResult(cause.details?.[0]) ? cause.details[0] : null
}

function isResult(detail: unknown): detail is InvoiceRunResult {
  return typeof detail === 'object' && detail !== null && 'period' in detail
}

/** Null if the run did not answer the query. */
async function newsOf(
  { temporal, onSilence }: FollowParts,
  handle: WorkflowHandle<typeof invoiceRun>,
  from: number,
): Promise<readonly BilledPartner[] | null> {
  const ask = () => handle.query<RunProgress, [{ from: number }]>('progress', { from })
  try {
    return (await temporal.withDeadline(deadlineIn(answerMs), ask)).billed
  } catch {
    onSilence()
    return null
  }
}

const pauseMs = 300
const answerMs = 5_000
const mostLastReads = 6
