// A worker's options for one task queue: concurrency, caching and shutdown.

import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import type { Activities } from '../workflows'
import { heartbeats } from './temporal/activity-interceptors'

/** A build in the worker deployment, as Temporal identifies it. */
interface Version {
  readonly deploymentName: string
  readonly buildId: string
}

interface WorkerParts {
  readonly connection: NativeConnection
  readonly namespace: string
  readonly taskQueue: string
  /** Without a bundle the worker runs activities only. */
  readonly workflowBundle?: WorkflowBundleOption
  readonly activities: Activities
  readonly load: Load
  /** Null for a worker without a version. */
  readonly version?: Version | null
  /** Additional activity interceptors. */
  readonly activityInterceptors?: readonly ActivityInterceptorsFactory[]
}

/**
 * `payouts`: many tasks, so that one slow bank call does not block other payouts. `housekeeping`: a few background
 * tasks. `mail`: very few, because each renders a PDF in the process that also runs payouts.
 */
type Load = keyof typeof slots

export async function createWorker(options: WorkerParts): Promise<Worker> {
  const { load, version = null, activityInterceptors = [], ...parts } = options
  const interceptors = { activity: [heartbeats, ...activityInterceptors] }
  return Worker.create({ ...parts, ...optionsOf(load), ...versioningOf(version), interceptors })
}

/**
 * Running workflows move to the current build with their next task, so that an old build does not have to run for days.
 */
function versioningOf(version: Version | null): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === null) return {}
  return {
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  }
}

export function optionsOf(load: Load) {
  return { ...slots[load], ...commonOptions }
}

const slots = {
  payouts: {
    // A local activity occupies the slot of its workflow task. With the default of 40 slots, one slow bank would stop
    // every payout. With many more, a worker that restarts with a backlog takes more tasks than it can finish within 5
    // s, and all of them time out.
    maxConcurrentWorkflowTaskExecutions: 150,
    maxConcurrentLocalActivityExecutions: 150,
    // Enough for the workflows that run at the same time. Others are replayed from their short history, which saves
    // memory.
    maxCachedWorkflows: 500,
  },
  housekeeping: {
    maxConcurrentWorkflowTaskExecutions: 10,
    // Invoice runs of earlier versions issue each invoice in one of these, on a connection shared with payouts.
    maxConcurrentLocalActivityExecutions: 5,
    maxConcurrentActivityTaskExecutions: 20,
    maxConcurrentWorkflowTaskPolls: 2,
    maxConcurrentActivityTaskPolls: 2,
    maxCachedWorkflows: 20,
  },
  mail: {
    maxConcurrentActivityTaskExecutions: 2,
    maxConcurrentActivityTaskPolls: 1,
    // Rendering a PDF blocks the process for about 30 ms. The limit keeps payouts fast on the 1st of the month.
    maxActivitiesPerSecond: 3,
  },
} as const

const commonOptions = {
  // One sandbox for all workflows, on one thread: a second thread costs 40 MB, and a sandbox per workflow costs more.
  reuseV8Context: true,
  workflowThreadPoolSize: 1,
  // How long the cached workflows of a killed worker wait before another worker resumes them (default 10 s).
  stickyQueueScheduleToStartTimeout: '1s',
  // Sends heartbeats every second instead of just before the timeout.
  maxHeartbeatThrottleInterval: '1s',
  // A shutdown cancels running activities after the grace time, and no longer waits for them after the force time.
  shutdownGraceTime: '9s',
  shutdownForceTime: '25s',
} as const
