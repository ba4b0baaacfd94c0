// Tells the one refusal of a child that is no trouble: another workflow has started the same one, and it still runs.
import { TemporalFailure } from '@temporalio/workflow'

export function isRunningAlready(error: unknown): boolean {
  return error instanceof TemporalFailure && error.name === 'WorkflowExecutionAlreadyStartedError'
}
