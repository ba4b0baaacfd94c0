// The API's way to a new partner: its wallet gets test money, and only activities move money, so a workflow opens it.
import type { Client } from '@temporalio/client'
import type { Log } from '../log'
import { askWithin } from '../temporal'
import { housekeepingQueue, ofSystem, signUpId } from '../workflows/names'
import type { signUp } from '../workflows/sign-up'

export interface PartnerOpener {
  /** The id of the partner that the sign-up has opened, now or before; null when nobody said so in time. */
  open(codeId: string): Promise<string | null>
}

export function createPartnerOpener({
  temporal,
  taskQueuePrefix,
  withinMs,
  log,
}: {
  readonly temporal: Client
  readonly taskQueuePrefix: string
  readonly withinMs: number
  readonly log: Log
}): PartnerOpener {
  return {
    async open(codeId) {
      try {
        return await askWithin(temporal, withinMs, () =>
          temporal.workflow.execute<typeof signUp>('signUp', {
            workflowId: signUpId(codeId),
            taskQueue: ofSystem(housekeepingQueue, taskQueuePrefix),
            args: [{ codeId }],
            // Whoever tries again joins the one under way, and after it hears the same partner from a new one.
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowExecutionTimeout: '10 minutes',
            staticSummary: 'Opens a partner that has signed up',
          }),
        )
      } catch (error) {
        log.warn({ err: error, code_id: codeId }, 'a sign-up was not finished in time')
        return null
      }
    },
  }
}
