// Starts and wakes workflows as workflows/starts.ts describes them, for requests, sweeps and operators. No call here sets a deadline.
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { bankSpokeSignal } from '../../workflows/names'
import {
  type PayoutToStart,
  type PollSettings,
  type QueueSettings,
  type ReturnToStart,
  type Start,
  starts,
} from '../../workflows/starts'
import type { Clock } from '../clock'

type Starting<Settings> = Settings & { readonly temporal: Client }

interface OpenPayoutToStart extends PayoutToStart {
  readonly completedAt: Date | null
  readonly status: PayoutStatus
}

/** Returns the id of the first run, also when that is the run it joined. */
export async function startWorkflow(
  temporal: Client,
  { workflowType, ...options }: Start,
): Promise<{ readonly workflowId: string; readonly firstExecutionRunId: string }> {
  return temporal.workflow.start(workflowType, options)
}

/** Starts the workflow or wakes the running one, which then asks the bank at once. */
export async function startOrWake(temporal: Client, { workflowType, ...options }: Start): Promise<void> {
  await temporal.workflow.signalWithStart(workflowType, { ...options, signal: bankSpokeSignal, signalArgs: [] })
}

/** `no_workflow` when none runs under the id. */
export async function wakeWorkflow(temporal: Client, workflowId: string): Promise<'told' | 'no_workflow'> {
  return (
    (await unlessNotFound(async () => {
      await temporal.workflow.getHandle(workflowId).signal(bankSpokeSignal)
      return 'told' as const
    })) ?? 'no_workflow'
  )
}

/** Wakes a workflow with nothing left to do, so that it ends. Terminates a stuck one, which cannot receive the signal. */
export async function endStray(temporal: Client, workflowId: string): Promise<void> {
  await unlessNotFound(async () => {
    const handle = temporal.workflow.getHandle(workflowId)
    if (await isStuck(temporal, await handle.describe())) await handle.terminate('its payout is over')
    else await handle.signal(bankSpokeSignal)
  })
}

/**
 * Returns the status that it found: `RUNNING`, `STUCK`, the end of the last run, or `ABSENT`. A stuck run is replaced, which loses
 * nothing: the new run resumes from the row. Uses start and never update-with-start, which would return an old answer and start nothing.
 */
export async function startUnlessRunning(temporal: Client, start: Start): Promise<string> {
  const was = await statusOf(temporal, start.workflowId)
  if (was !== 'RUNNING') await startInsteadOf(temporal, start, was)
  return was
}

async function startInsteadOf(temporal: Client, start: Start, was: string): Promise<void> {
  const workflowIdConflictPolicy = was === 'STUCK' ? 'TERMINATE_EXISTING' : 'USE_EXISTING'
  await startWorkflow(temporal, { ...start, workflowIdConflictPolicy })
}

/** Returns what `startUnlessRunning` returns. */
export function startOpenPayout(
  { temporal, ...settings }: Starting<PollSettings>,
  row: OpenPayoutToStart,
): Promise<string> {
  return startUnlessRunning(temporal, startOfOpen(row, settings))
}

/**
 * Starts the payout's workflow or wakes it, so that the payout does not wait for its next poll. `record` runs before either, and
 * nothing is started or woken if it throws.
 */
export async function wakePayout(
  { temporal, ...settings }: Starting<PollSettings>,
  row: OpenPayoutToStart,
  record: (how: 'started' | 'woken') => Promise<void> = async () => {},
): Promise<'started' | 'woken'> {
  const start = startOfOpen(row, settings)
  const was = await statusOf(temporal, start.workflowId)
  const how = was === 'RUNNING' ? 'woken' : 'started'
  await record(how)
  // A workflow that has ended in between needs no signal.
  if (how === 'woken') await wakeWorkflow(temporal, start.workflowId)
  else await startInsteadOf(temporal, start, was)
  return how
}

/** Starts the workflow that asks the bank about a completed payout. Returns what `startUnlessRunning` returns. */
export function startReturn({ temporal, ...settings }: Starting<PollSettings>, payout: ReturnToStart): Promise<string> {
  return startUnlessRunning(temporal, starts.payoutReturn(payout, settings))
}

/** For repeated reports of one event: starts nothing if a run began after the event and less than an hour ago. */
export async function startReturnHourly(
  { clock, ...starting }: Starting<PollSettings> & { readonly clock: Clock },
  payout: ReturnToStart,
  happenedAt: Date,
): Promise<void> {
  const { workflowId } = starts.payoutReturn(payout, starting)
  const described = await unlessNotFound(() => starting.temporal.workflow.getHandle(workflowId).describe())
  const startedAt = described?.startTime ?? null
  const isLate = startedAt === null || startedAt <= happenedAt
  if (isLate || clock.now().getTime() - startedAt.getTime() >= hourMs) await startReturn(starting, payout)
}

const hourMs = 60 * 60 * 1000

export async function startConnectSandbox(
  { temporal, ...settings }: Starting<QueueSettings>,
  partnerId: string,
): Promise<void> {
  await startWorkflow(temporal, starts.connectSandbox(partnerId, settings))
}

function startOfOpen(row: OpenPayoutToStart, settings: PollSettings): Start {
  // A completed payout that is open has yet to be charged. Any other that was completed is on its way back.
  const isReturning = row.completedAt !== null && row.status !== 'completed'
  return isReturning ? starts.payoutReturn(row, settings) : starts.resumedPayout(row, settings)
}

async function statusOf(temporal: Client, workflowId: string): Promise<string> {
  const found = await unlessNotFound(async () => {
    const described = await temporal.workflow.getHandle(workflowId).describe()
    const { name } = described.status
    return name === 'RUNNING' && (await isStuck(temporal, described)) ? 'STUCK' : name
  })
  return found ?? 'ABSENT'
}

/** A worker that was too slow for its task may fail it once. It then reads the history again. */
const failuresAllowed = 2
/** WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR in the server's protocol. */
const nonDeterministic = 24

/** Whether the workflow runs but never progresses: its history cannot be replayed, so each of its tasks fails. */
async function isStuck(temporal: Client, described: WorkflowExecutionDescription): Promise<boolean> {
  const attempt = described.raw.pendingWorkflowTask?.attempt ?? 1
  if (attempt <= failuresAllowed) return false
  // Of consecutive failures, the history records only the first ones. Only signals can follow them.
  const { history } = await temporal.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: temporal.options.namespace,
    execution: { workflowId: described.workflowId, runId: described.runId },
    maximumPageSize: 50,
  })
  const failures = history?.events?.flatMap((event) => event.workflowTaskFailedEventAttributes ?? [])
  return Number(failures?.[0]?.cause) === nonDeterministic
}

async function unlessNotFound<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}
