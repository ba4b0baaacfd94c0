// Starts the workflow that asks the bank about a completed payout which may have come back; one that runs and gets on is left alone.
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Clock } from '../../runtime/clock'
import type { payoutReturn } from '../../workflows'
import { payoutReturnId } from '../../workflows/names'
import { payoutReturnStart, type ReturnToStart } from '../../workflows/payouts/return-start'
import type { StartSettings } from '../../workflows/payouts/start'
import { startUnlessRunning } from '../controls/sweep/start-unless-running'

/** Answers what was there under its id: `RUNNING`, how the last one ended, or `ABSENT`. */
export function startReturn(
  { temporal, ...settings }: StartSettings & { readonly temporal: Client },
  payout: ReturnToStart,
): Promise<string> {
  const options = payoutReturnStart(payout, settings)
  return startUnlessRunning(temporal, options.workflowId, (workflowIdConflictPolicy) =>
    temporal.workflow.start<typeof payoutReturn>('payoutReturn', { ...options, workflowIdConflictPolicy }),
  )
}

const seldomMs = 60 * 60 * 1000

/** For who hears of the same thing again and again: the last run has asked the bank since it happened, and not an hour ago. */
export async function startReturnSeldom(
  deps: StartSettings & { readonly temporal: Client; readonly clock: Clock },
  payout: ReturnToStart,
  happenedAt: Date,
): Promise<void> {
  const begunAt = await lastBegun(deps.temporal, payoutReturnId(payout.payoutId))
  const isLate = begunAt === null || begunAt <= happenedAt
  if (isLate || deps.clock.now().getTime() - begunAt.getTime() >= seldomMs) await startReturn(deps, payout)
}

/** Null when none was ever begun, or so long ago that nobody knows. */
async function lastBegun(temporal: Client, workflowId: string): Promise<Date | null> {
  try {
    return (await temporal.workflow.getHandle(workflowId).describe()).startTime
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}
