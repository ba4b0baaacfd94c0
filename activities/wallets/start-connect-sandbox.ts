// Starts connecting a partner's sandbox, once however often it is asked for.
import type { Client } from '@temporalio/client'
import type { connectSandbox } from '../../workflows'
import { connectSandboxId, housekeepingQueue, ofSystem } from '../../workflows/names'

export async function startConnectSandbox(
  { temporal, queuePrefix }: { readonly temporal: Client; readonly queuePrefix: string },
  partnerId: string,
): Promise<void> {
  await temporal.workflow.start<typeof connectSandbox>('connectSandbox', {
    workflowId: connectSandboxId(partnerId),
    taskQueue: ofSystem(housekeepingQueue, queuePrefix),
    args: [{ partnerId, pauseMs: [200, 1_000, 5_000, 30_000, 300_000] }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: 'Connects a sandbox to its bank',
  })
}
