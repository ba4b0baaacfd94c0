// The workflow client: every start, signal, update and termination outside a workflow, as workflows/starts.ts
// describes them. `createWorkflows` is for a process whose callers wait, so it sets deadlines. The other functions
// leave the deadline to their caller.
import { randomUUID } from 'node:crypto'
import {
  type Client,
  WithStartWorkflowOperation,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { PayoutStatus, Verdict } from '../../domain/payouts/payout'
import {
  bankSpokeSignal,
  cancelUpdate,
  caseResolvedSignal,
  createUpdate,
  type PayoutKey,
  payoutCaseId,
  payoutWorkflowId,
} from '../../workflows/names'
import {
  type CaseStart,
  type PayoutStart,
  type PollSettings,
  type QueueSettings,
  type ResultOf,
  type ReturnStart,
  type Start,
  starts,
  type WorkflowName,
} from '../../workflows/starts'
import type { Clock } from '../clock'
import type { Config, PayoutConfig } from '../config/config'
import type { Log } from '../log'
import { askWithin } from './client'

export interface Workflows {
  /**
   * Starts the payout or joins it. Null if no verdict arrived in time. This proves nothing, because the payout may be
   * in progress.
   */
  startPayout(payout: PayoutStart): Promise<Verdict | null>
  /** `decided`: the row shows whether the payout is cancelled. `undecided`: the outcome is not known yet. */
  cancelPayout(payout: PayoutStart): Promise<'decided' | 'undecided'>
  /** Forwards a bank event about the payout. Throws if Temporal does not answer. */
  signalPayout(payout: PayoutKey): Promise<'told' | 'no_workflow'>
  /**
   * Forwards a bank event about a completed payout, which may have been returned. Throws if Temporal does not answer.
   */
  signalReturn(payout: ReturnStart): Promise<'told'>
  /** Never throws: the case is stored, and the sweep reports a late case that has no workflow. */
  startCase(opened: CaseStart): Promise<void>
  /** Null if no result came in time. The money may still be added. */
  topUp(order: Parameters<typeof starts.topUp>[0]): Promise<ResultOf<'topUp'> | null>
  /** The ID of the partner that the sign-up opened, now or earlier. Null if no result came in time. */
  signUp(codeId: string): Promise<ResultOf<'signUp'> | null>
  /** Throws if Temporal does not answer. */
  wakeVerification(partnerId: string): Promise<void>
  /** Forwards a bank event about the wallet. Throws if Temporal does not answer. */
  readWallet(walletId: string): Promise<void>
  /** Ends all current and future waits for payouts when the process shuts down. The API then answers from the row. */
  readonly stopWaiting: () => void
}

interface WorkflowsOptions {
  readonly temporal: Client
  readonly config: Pick<Config, 'taskQueuePrefix' | 'verificationPollMs'> & {
    readonly payouts: Pick<PayoutConfig, 'answerTimeoutMs' | 'pollMs'>
  }
  readonly log: Log
}

/** The bank or an admin waits for the answer. Either can repeat the request. */
const signalWithinMs = 2_000
const startCaseWithinMs = 2_000

export function createWorkflows(options: WorkflowsOptions): Workflows {
  const { temporal, config, log } = options
  const queue = { queuePrefix: config.taskQueuePrefix }
  const { pollMs } = config.payouts
  const { startPayout, cancelPayout, stopWaiting } = createPayoutRequests(options)
  const signal = <T>(ask: () => Promise<T>) => askWithin(temporal, signalWithinMs, ask)
  return {
    startPayout,
    cancelPayout,
    stopWaiting,
    signalPayout: (payout) => signal(() => wakeWorkflow(temporal, payoutWorkflowId(payout))),
    async signalReturn(payout) {
      await signal(() => startOrWake(temporal, starts.payoutReturn(payout, { ...queue, pollMs })))
      return 'told'
    },
    wakeVerification(partnerId) {
      const start = starts.verification(partnerId, { ...queue, pollMs: config.verificationPollMs })
      return signal(() => startOrWake(temporal, start))
    },
    readWallet: (walletId) => signal(() => startOrWake(temporal, starts.walletReading(walletId, queue))),
    async startCase(opened) {
      try {
        await askWithin(temporal, startCaseWithinMs, () => startWorkflow(temporal, starts.payoutCase(opened, queue)))
      } catch (error) {
        log.warn({ err: error, case_id: opened.id }, 'cannot start the workflow of a case')
      }
    },
    topUp: (order) => resultWithin(options, starts.topUp(order, queue)),
    signUp: (codeId) => resultWithin(options, starts.signUp(codeId, queue)),
  }
}

function createPayoutRequests(
  options: WorkflowsOptions,
): Pick<Workflows, 'startPayout' | 'cancelPayout' | 'stopWaiting'> {
  const { temporal, config, log } = options
  const settings = { queuePrefix: config.taskQueuePrefix, pollMs: config.payouts.pollMs }
  const waits = createWaits()
  const asked = new Map<string, Promise<Verdict | null>>()

  async function ask(payout: PayoutStart): Promise<Verdict | null> {
    try {
      return await askWithin(temporal, config.payouts.answerTimeoutMs, () =>
        temporal.workflow.executeUpdateWithStart<PayoutWorkflow, Verdict, []>(createUpdate, {
          updateId: createUpdate,
          startWorkflowOperation: operationOf(starts.payout(payout, settings)),
        }),
      )
    } catch (error) {
      // The deadline passed, the server became unreachable or the update was aborted. None of these proves whether the
      // money was sent.
      log.warn({ err: error, payout_id: payout.payoutId }, 'no verdict before the deadline; answering pending')
      return null
    }
  }

  /** Requests of this process that wait for the same verdict share one call. */
  function askOnce(payout: PayoutStart): Promise<Verdict | null> {
    const workflowId = payoutWorkflowId(payout)
    const verdict = asked.get(workflowId) ?? ask(payout).finally(() => asked.delete(workflowId))
    asked.set(workflowId, verdict)
    return verdict
  }

  async function cancel(payout: PayoutStart): Promise<'decided' | 'undecided'> {
    try {
      await askWithin(temporal, config.payouts.answerTimeoutMs, () =>
        temporal.workflow.executeUpdateWithStart<PayoutWorkflow, void, []>(cancelUpdate, {
          // Each request is decided separately, because a payout that was being sent at the last request may be unsent
          // again.
          updateId: `${cancelUpdate}/${randomUUID()}`,
          // If the workflow of a payout was lost, a new run receives the cancel before it sends anything.
          startWorkflowOperation: operationOf(starts.resumedPayout(payout, settings)),
        }),
      )
      return 'decided'
    } catch (error) {
      log.warn({ err: error, payout_id: payout.payoutId }, 'cancel not decided before the deadline')
      return 'undecided'
    }
  }

  return {
    startPayout: (payout) => waits.until<Verdict | null>(() => askOnce(payout), null),
    cancelPayout: (payout) => waits.until<'decided' | 'undecided'>(() => cancel(payout), 'undecided'),
    stopWaiting: waits.stop,
  }
}

type PayoutWorkflow = (...args: Start<'payout'>['args']) => Promise<ResultOf<'payout'>>

function operationOf({ workflowType, ...options }: Start<'payout'>): WithStartWorkflowOperation<PayoutWorkflow> {
  return new WithStartWorkflowOperation<PayoutWorkflow>(workflowType, {
    ...options,
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
}

/** Null if no result arrived in time. This proves nothing, because the workflow continues without the caller. */
async function resultWithin<Name extends WorkflowName>(
  { temporal, config, log }: WorkflowsOptions,
  { workflowType, ...options }: Start<Name>,
): Promise<ResultOf<Name> | null> {
  try {
    return await askWithin(temporal, config.payouts.answerTimeoutMs, () =>
      temporal.workflow.execute<Workflow>(workflowType, options),
    )
  } catch (error) {
    log.warn({ err: error, workflow_id: options.workflowId }, 'no workflow result before the deadline')
    return null
  }
}

interface Waits {
  /** Starts the work. Returns `otherwise` if waiting is stopped before the work ends. The work itself continues. */
  until<T>(begin: () => Promise<T>, otherwise: T): Promise<T>
  readonly stop: () => void
}

function createWaits(): Waits {
  const waiting = new Set<() => void>()
  let isStopped = false
  return {
    until<T>(begin: () => Promise<T>, otherwise: T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const giveUp = () => resolve(otherwise)
        waiting.add(giveUp)
        if (isStopped) giveUp()
        begin()
          .then(resolve, reject)
          .finally(() => waiting.delete(giveUp))
      })
    },
    stop() {
      isStopped = true
      for (const giveUp of waiting) giveUp()
    },
  }
}

type Starting<Settings> = Settings & { readonly temporal: Client }

interface OpenPayoutStart extends PayoutStart {
  readonly completedAt: Date | null
  readonly status: PayoutStatus
}

/** Returns the ID of the first run, even if the call joined a running workflow. */
export async function startWorkflow(
  temporal: Client,
  { workflowType, ...options }: Start,
): Promise<{ readonly workflowId: string; readonly firstExecutionRunId: string }> {
  return temporal.workflow.start(workflowType, options)
}

/** Starts the workflow or wakes the running one, which then polls the bank immediately. */
export async function startOrWake(temporal: Client, { workflowType, ...options }: Start): Promise<void> {
  await temporal.workflow.signalWithStart(workflowType, { ...options, signal: bankSpokeSignal, signalArgs: [] })
}

/** `no_workflow`: no workflow with this ID is running. */
export async function wakeWorkflow(temporal: Client, workflowId: string): Promise<'told' | 'no_workflow'> {
  return (
    (await unlessNotFound(async () => {
      await temporal.workflow.getHandle(workflowId).signal(bankSpokeSignal)
      return 'told' as const
    })) ?? 'no_workflow'
  )
}

/** Wakes the case's workflow, which ends because the row marks the case as resolved. */
export async function signalCaseResolved(temporal: Client, caseId: string): Promise<void> {
  await temporal.workflow.getHandle(payoutCaseId(caseId)).signal(caseResolvedSignal)
}

/**
 * Wakes a workflow with nothing left to do, so that it ends. Terminates a stuck one, which cannot handle the signal.
 */
export async function endStray(temporal: Client, workflowId: string): Promise<void> {
  await unlessNotFound(async () => {
    const handle = temporal.workflow.getHandle(workflowId)
    if (await isStuck(temporal, await handle.describe())) await handle.terminate('its payout is over')
    else await handle.signal(bankSpokeSignal)
  })
}

/**
 * Returns the status that it found: `RUNNING`, `STUCK`, the end status of the last run, or `ABSENT`. A stuck run is
 * replaced, which loses nothing, because the new run resumes from the row. Uses start and never update-with-start,
 * which would return an old answer and start nothing.
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

/** Returns the same result as `startUnlessRunning`. */
export function startOpenPayout(
  { temporal, ...settings }: Starting<PollSettings>,
  row: OpenPayoutStart,
): Promise<string> {
  return startUnlessRunning(temporal, startOfOpen(row, settings))
}

/**
 * Starts the payout's workflow or wakes it, so that the payout does not wait for its next poll. `record` runs before
 * either, and nothing is started or woken if it throws.
 */
export async function wakePayout(
  { temporal, ...settings }: Starting<PollSettings>,
  row: OpenPayoutStart,
  record: (how: 'started' | 'woken') => Promise<void> = async () => {},
): Promise<'started' | 'woken'> {
  const start = startOfOpen(row, settings)
  const was = await statusOf(temporal, start.workflowId)
  const how = was === 'RUNNING' ? 'woken' : 'started'
  await record(how)
  // A workflow that has ended in the meantime needs no signal.
  if (how === 'woken') await wakeWorkflow(temporal, start.workflowId)
  else await startInsteadOf(temporal, start, was)
  return how
}

/**
 * Starts the workflow that polls the bank about a completed payout. Returns the same result as `startUnlessRunning`.
 */
export function startReturn({ temporal, ...settings }: Starting<PollSettings>, payout: ReturnStart): Promise<string> {
  return startUnlessRunning(temporal, starts.payoutReturn(payout, settings))
}

/** For repeated reports of one event: starts nothing if a run began after the event and less than an hour ago. */
export async function startReturnHourly(
  { clock, ...starting }: Starting<PollSettings> & { readonly clock: Clock },
  payout: ReturnStart,
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

function startOfOpen(row: OpenPayoutStart, settings: PollSettings): Start {
  // An open payout with the status completed has not been charged yet. Any other open payout that was completed is
  // being returned.
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

/** A slow worker may fail a task once and then succeed with the next attempt. A third attempt means more than that. */
const attemptsAllowed = 2
/** WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR in the server's protocol. */
const nonDeterministic = 24
/** The SDK reports some histories that it cannot replay as an unhandled failure with this message. */
const fatalMessage = 'Fatal error in workflow machines'

/** Whether the workflow is running but never progresses: its history cannot be replayed, so each of its tasks fails. */
async function isStuck(temporal: Client, described: WorkflowExecutionDescription): Promise<boolean> {
  const attempt = described.raw.pendingWorkflowTask?.attempt ?? 1
  if (attempt <= attemptsAllowed) return false
  // The history records only the first of several consecutive failures. Only signals can appear after it.
  const { history } = await temporal.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: temporal.options.namespace,
    execution: { workflowId: described.workflowId, runId: described.runId },
    maximumPageSize: 50,
  })
  const [latest] = history?.events?.flatMap((event) => event.workflowTaskFailedEventAttributes ?? []) ?? []
  return Number(latest?.cause) === nonDeterministic || latest?.failure?.message?.startsWith(fatalMessage) === true
}

async function unlessNotFound<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}
