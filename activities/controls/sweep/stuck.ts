// A workflow that runs and never gets on: its history can not be followed any more, so each of its tasks fails, for ever.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client'

/** One such failure passes: a worker that was too slow for its task drops what it had in mind and reads the history again. */
const triesBefore = 2
/** WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR of the server's protocol. */
const historyDisagrees = 24

export async function isStuck(temporal: Client, described: WorkflowExecutionDescription): Promise<boolean> {
  const attempt = described.raw.pendingWorkflowTask?.attempt ?? 1
  if (attempt <= triesBefore) return false
  // Only the first failures of a row are written down, and nothing can come after them but signals.
  const { history } = await temporal.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: temporal.options.namespace,
    execution: { workflowId: described.workflowId, runId: described.runId },
    maximumPageSize: 50,
  })
  const failures = history?.events?.flatMap((event) => event.workflowTaskFailedEventAttributes ?? [])
  return Number(failures?.[0]?.cause) === historyDisagrees
}
