// Starts the workflow that asks the bank about a completed payout which may have come back; one that runs already goes on.
import type { Client } from '@temporalio/client'
import type { payoutReturn } from '../workflows'
import { payoutReturnStart, type ReturnToStart } from '../workflows/payout-return-start'
import type { StartSettings } from '../workflows/payout-start'

export async function startReturn(
  { temporal, ...settings }: StartSettings & { readonly temporal: Client },
  payout: ReturnToStart,
): Promise<void> {
  await temporal.workflow.start<typeof payoutReturn>('payoutReturn', {
    ...payoutReturnStart(payout, settings),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
}
