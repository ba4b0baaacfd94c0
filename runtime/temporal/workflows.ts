// The API's client of workflows: starts, joins, signals and cancels within a deadline, because a caller waits for the answer.
import { randomUUID } from 'node:crypto'
import { type Client, WithStartWorkflowOperation } from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { Verdict } from '../../domain/payouts/payout'
import { cancelUpdate, createUpdate, type PayoutKey, payoutWorkflowId } from '../../workflows/names'
import {
  type CaseToStart,
  type PayoutToStart,
  type ResultOf,
  type ReturnToStart,
  type Start,
  starts,
  type WorkflowName,
} from '../../workflows/starts'
import type { Config, PayoutConfig } from '../config/config'
import type { Log } from '../log'
import { askWithin } from './client'
import { startOrWake, startWorkflow, wakeWorkflow } from './start-workflow'

export interface Workflows {
  /** Starts the payout or joins it. Null when no verdict came in time: that proves nothing, and the payout may be under way. */
  startPayout(payout: PayoutToStart): Promise<Verdict | null>
  /** `decided`: the row says whether it is cancelled. `undecided` proves nothing. */
  cancelPayout(payout: PayoutToStart): Promise<'decided' | 'undecided'>
  /** The bank reported on the payout. Throws when Temporal does not answer. */
  signalPayout(payout: PayoutKey): Promise<'told' | 'no_workflow'>
  /** The bank reported on a completed payout, which may come back. Throws when Temporal does not answer. */
  signalReturn(payout: ReturnToStart): Promise<'told'>
  /** Never throws: the case is in its row, and the sweep reports a late case that has no workflow. */
  startCase(opened: CaseToStart): Promise<void>
  /** Null when no result came in time: the money may still be added. */
  topUp(order: Parameters<typeof starts.topUp>[0]): Promise<ResultOf<'topUp'> | null>
  /** The id of the partner that the sign-up has opened, now or before. Null when no result came in time. */
  signUp(codeId: string): Promise<ResultOf<'signUp'> | null>
  /** Throws when Temporal does not answer. */
  wakeVerification(partnerId: string): Promise<void>
  /** The bank reported on the wallet. Throws when Temporal does not answer. */
  readWallet(walletId: string): Promise<void>
  /** Ends all current and future waits for payouts when the process shuts down. Callers are answered from the row. */
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
  const { answerTimeoutMs, pollMs } = config.payouts
  const settings = { queuePrefix: config.taskQueuePrefix, pollMs }
  const waits = createWaits()
  const asked = new Map<string, Promise<Verdict | null>>()

  async function ask(payout: PayoutToStart): Promise<Verdict | null> {
    try {
      return await askWithin(temporal, answerTimeoutMs, () =>
        temporal.workflow.executeUpdateWithStart<PayoutWorkflow, Verdict, []>(createUpdate, {
          updateId: createUpdate,
          startWorkflowOperation: operationOf(starts.payout(payout, settings)),
        }),
      )
    } catch (error) {
      // A deadline, a lost server or an update that its closing workflow aborted: none of them says what happened to the money.
      log.warn({ err: error, payout_id: payout.payoutId }, 'no verdict before the deadline; answering pending')
      return null
    }
  }

  /** Requests of this process that wait for the same verdict share one call. */
  function askOnce(payout: PayoutToStart): Promise<Verdict | null> {
    const workflowId = payoutWorkflowId(payout)
    const verdict = asked.get(workflowId) ?? ask(payout).finally(() => asked.delete(workflowId))
    asked.set(workflowId, verdict)
    return verdict
  }

  async function cancel(payout: PayoutToStart): Promise<'decided' | 'undecided'> {
    try {
      await askWithin(temporal, answerTimeoutMs, () =>
        temporal.workflow.executeUpdateWithStart<PayoutWorkflow, void, []>(cancelUpdate, {
          // Each request is decided separately: a payout that was being sent at the last request may be unsent again.
          updateId: `${cancelUpdate}/${randomUUID()}`,
          // A payout whose workflow was lost gets a run that receives the cancel before it sends anything.
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

/** Null when no result came in time: that proves nothing, and the workflow continues without the caller. */
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
  /** Begins the work, and returns `otherwise` once the waits are stopped. The work itself continues. */
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
