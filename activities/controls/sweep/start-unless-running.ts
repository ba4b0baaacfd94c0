// Starts a workflow under its id unless one runs there that gets on.
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { isStuck } from './stuck'

type ConflictPolicy = 'TERMINATE_EXISTING' | 'USE_EXISTING'

/** Answers what was there. Plain start, never update-with-start: that would hand out an old answer and start nothing. */
export async function startUnlessRunning(
  temporal: Client,
  workflowId: string,
  start: (workflowIdConflictPolicy: ConflictPolicy) => Promise<unknown>,
): Promise<string> {
  const was = await statusOf(temporal, workflowId)
  if (was !== 'RUNNING') await start(was === 'STUCK' ? 'TERMINATE_EXISTING' : 'USE_EXISTING')
  return was
}

/** Of a stuck one nothing is lost: the row knows where the payout stands, and a new run goes on from there. */
async function statusOf(temporal: Client, workflowId: string): Promise<string> {
  try {
    const described = await temporal.workflow.getHandle(workflowId).describe()
    const { name } = described.status
    return name === 'RUNNING' && (await isStuck(temporal, described)) ? 'STUCK' : name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'ABSENT'
    throw error
  }
}
