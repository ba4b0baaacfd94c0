// Starts the workflow of a payout that is not over, and wakes the one that it has.
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { OpenPayout } from '../../db/payouts/open'
import type { payout } from '../../workflows'
import { bankSpokeSignal, payoutReturnId, payoutWorkflowId } from '../../workflows/names'
import { payoutStart, type StartSettings } from '../../workflows/payouts/start'
import { startUnlessRunning } from '../controls/sweep/start-unless-running'
import { startReturn } from './start-return'

export interface PayoutStarting extends StartSettings {
  readonly temporal: Client
}

/** Answers what was there: `RUNNING`, how the last one ended, or `ABSENT`. One that had arrived is looked after by the workflow of its return. */
export function startOpenPayout(deps: PayoutStarting, row: OpenPayout): Promise<string> {
  return row.completedAt === null ? startPayout(deps, row) : startReturn(deps, row)
}

/** Now, and not at its next look by itself. */
export async function wakePayout(deps: PayoutStarting, row: OpenPayout): Promise<'started' | 'woken'> {
  if ((await startOpenPayout(deps, row)) !== 'RUNNING') return 'started'
  const workflowId = row.completedAt === null ? payoutWorkflowId(row) : payoutReturnId(row.payoutId)
  try {
    await deps.temporal.workflow.getHandle(workflowId).signal(bankSpokeSignal)
  } catch (error) {
    // It has ended meanwhile, and so there is nothing to wake it for.
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
  return 'woken'
}

function startPayout({ temporal, ...settings }: PayoutStarting, row: OpenPayout): Promise<string> {
  const options = payoutStart(row, settings)
  return startUnlessRunning(temporal, options.workflowId, (workflowIdConflictPolicy) =>
    temporal.workflow.start<typeof payout>('payout', {
      ...options,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy,
    }),
  )
}
