// The API's way to a new partner: its wallet gets test money, and only activities move money, so a workflow opens it.
import { housekeepingQueue, ofSystem, signUpId } from '../../workflows/names'
import type { signUp } from '../../workflows/partners/sign-up'
import { resultWithin, type Waiting } from '../result-within'

export interface PartnerOpener {
  /** The id of the partner that the sign-up has opened, now or before; null when nobody said so in time. */
  open(codeId: string): Promise<string | null>
}

export function createPartnerOpener(waiting: Waiting): PartnerOpener {
  const { temporal, taskQueuePrefix } = waiting
  return {
    open(codeId) {
      const workflowId = signUpId(codeId)
      return resultWithin(waiting, workflowId, () =>
        temporal.workflow.execute<typeof signUp>('signUp', {
          workflowId,
          taskQueue: ofSystem(housekeepingQueue, taskQueuePrefix),
          args: [{ codeId }],
          // Whoever tries again joins the one under way, and after it hears the same partner from a new one.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowExecutionTimeout: '10 minutes',
          staticSummary: 'Opens a partner that has signed up',
        }),
      )
    },
  }
}
