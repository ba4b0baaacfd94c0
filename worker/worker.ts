// A worker for one task queue: every number that decides how much it takes on and how it lets go.

import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import type { Activities } from '../workflows'
import { heartbeats } from './temporal/heartbeat'

export interface WorkerParts {
  readonly connection: NativeConnection
  readonly namespace: string
  readonly taskQueue: string
  /** Without it a worker runs activities only. */
  readonly workflowBundle?: WorkflowBundleOption
  readonly activities: Activities
  readonly load: Load
  /** Around each activity, beside our own. */
  readonly activityInterceptors?: readonly ActivityInterceptorsFactory[]
}

/**
 * `payouts`: many at once, and none may wait for another's bank. `housekeeping`: a few, and nobody waits for them. `mail`: very
 * few, since each makes a PDF in the process that pays.
 */
export type Load = keyof typeof slots

export async function createWorker({ load, activityInterceptors = [], ...parts }: WorkerParts): Promise<Worker> {
  const interceptors = { activity: [heartbeats, ...activityInterceptors] }
  return Worker.create({ ...parts, ...optionsOf(load), interceptors })
}

export function optionsOf(load: Load) {
  return { ...slots[load], ...manners }
}

const slots = {
  payouts: {
    // A local activity holds the slot of its workflow task: with the usual 40, one slow bank would stop every payout. With many
    // more, a worker that comes back to a backlog takes more than it can do within the 5 s of a task, and all of them time out.
    maxConcurrentWorkflowTaskExecutions: 150,
    maxConcurrentLocalActivityExecutions: 150,
    // As many as may run at once. What is not cached is replayed from its short history; what is costs memory all day.
    maxCachedWorkflows: 500,
  },
  housekeeping: {
    maxConcurrentWorkflowTaskExecutions: 10,
    // Each is an invoice, with a connection of the pool that payouts use too; and they all queue for the next number anyway.
    maxConcurrentLocalActivityExecutions: 5,
    maxConcurrentActivityTaskExecutions: 20,
    maxConcurrentWorkflowTaskPolls: 2,
    maxConcurrentActivityTaskPolls: 2,
    maxCachedWorkflows: 20,
  },
  mail: {
    maxConcurrentActivityTaskExecutions: 2,
    maxConcurrentActivityTaskPolls: 1,
    // To make a PDF holds up the whole process for a tenth of a second: on the 1st payouts must notice little of it.
    maxActivitiesPerSecond: 3,
  },
} as const

const manners = {
  // One sandbox for all workflows on one thread: a second thread costs 40 MB, a sandbox for each workflow more.
  reuseV8Context: true,
  workflowThreadPoolSize: 1,
  // For so long a killed worker's cached workflows wait for it before another one takes them over (usually 10 s).
  stickyQueueScheduleToStartTimeout: '1s',
  // Signs of life are sent as they come, and not only just before the server would miss them.
  maxHeartbeatThrottleInterval: '1s',
  // Time for what is under way to finish when asked to stop, and then the end of patience with what does not.
  shutdownGraceTime: '9s',
  shutdownForceTime: '25s',
} as const
