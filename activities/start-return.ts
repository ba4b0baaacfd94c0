// Starts the workflow that asks the bank about a completed payout which may have come back; one that runs and gets on is left alone.
import type { Client } from '@temporalio/client'
import type { payoutReturn } from '../workflows'
import { payoutReturnStart, type ReturnToStart } from '../workflows/payout-return-start'
import type { StartSettings } from '../workflows/payout-start'
import { startUnlessRunning } from './sweep/start-unless-running'

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
