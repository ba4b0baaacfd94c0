// Waits for a workflow's result as long as a caller does: whatever became of it, it goes on without them.
import type { Client } from '@temporalio/client'
import type { Log } from '../runtime/log'
import { askWithin } from '../runtime/temporal/client'

export interface Waiting {
  readonly temporal: Client
  readonly taskQueuePrefix: string
  readonly withinMs: number
  readonly log: Log
}

/** Null when no result came in time: that proves nothing, it may still be under way. */
export async function resultWithin<Result>(
  { temporal, withinMs, log }: Waiting,
  workflowId: string,
  execute: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await askWithin(temporal, withinMs, execute)
  } catch (error) {
    log.warn({ err: error, workflow_id: workflowId }, 'a workflow has no result yet')
    return null
  }
}
