// The API's way to a payout's workflows: starts or joins one and waits for its verdict, cancels, and tells that the bank has spoken.
import { randomUUID } from 'node:crypto'
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Verdict } from '../../domain/payouts/verdict'
import type { PayoutConfig } from '../../runtime/config/config'
import type { Log } from '../../runtime/log'
import { askWithin } from '../../runtime/temporal/client'
import { bankSpokeSignal, cancelUpdate, createUpdate, type PayoutKey, payoutWorkflowId } from '../../workflows/names'
import type { payout } from '../../workflows/payouts/payout'
import type { payoutReturn } from '../../workflows/payouts/return'
import { payoutReturnStart, type ReturnToStart } from '../../workflows/payouts/return-start'
import { type PayoutToStart, payoutStart } from '../../workflows/payouts/start'

export interface PayoutStarter {
  /** Null when no verdict came in time: that proves nothing, the payout may be under way. */
  start(payout: PayoutToStart): Promise<Verdict | null>
  /** Throws when Temporal does not answer. */
  bankSpoke(payout: PayoutKey): Promise<'told' | 'no_workflow'>
  /** The bank has spoken of a payout that was completed: what it says is asked for. Throws when Temporal does not answer. */
  cameBack(payout: ReturnToStart): Promise<'told'>
  /** Whether the cancel was decided, for or against it: the row has it. `undecided` proves nothing. */
  cancel(payout: PayoutToStart): Promise<'decided' | 'undecided'>
}

export interface PayoutStarterOptions {
  readonly temporal: Client
  readonly payouts: Pick<PayoutConfig, 'answerTimeoutMs' | 'pollMs'>
  readonly taskQueuePrefix: string
  readonly log: Log
}

export function createPayoutStarter(options: PayoutStarterOptions): PayoutStarter {
  const { temporal, payouts, taskQueuePrefix, log } = options
  const waiting = new Map<string, Promise<Verdict | null>>()

  async function ask(payout: PayoutToStart): Promise<Verdict | null> {
    // Whoever comes second joins, and nobody starts an attempt that has ended: the row gives out the next one.
    const startWorkflowOperation = operationFor(payout, WorkflowIdReusePolicy.REJECT_DUPLICATE, options)
    try {
      return await askWithin(temporal, payouts.answerTimeoutMs, () =>
        temporal.workflow.executeUpdateWithStart<PayoutWorkflow, Verdict, []>(createUpdate, {
          updateId: createUpdate,
          startWorkflowOperation,
        }),
      )
    } catch (error) {
      // A deadline, a lost server, an update that its closing workflow broke off: none of them says what became of the money.
      log.warn({ err: error, payout_id: payout.payoutId }, 'a payout has no verdict yet')
      return null
    }
  }

  return {
    /** Requests of one process that wait for the same verdict ask for it once. */
    start(payout) {
      const workflowId = payoutWorkflowId(payout)
      const asked = waiting.get(workflowId) ?? ask(payout).finally(() => waiting.delete(workflowId))
      waiting.set(workflowId, asked)
      return asked
    },
    async bankSpoke(payout) {
      try {
        const handle = temporal.workflow.getHandle(payoutWorkflowId(payout))
        await askWithin(temporal, signalWithinMs, () => handle.signal(bankSpokeSignal))
        return 'told'
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'no_workflow'
        throw error
      }
    },
    async cameBack(payout) {
      const options = payoutReturnStart(payout, { queuePrefix: taskQueuePrefix, pollMs: payouts.pollMs })
      await askWithin(temporal, signalWithinMs, () =>
        temporal.workflow.signalWithStart<typeof payoutReturn>('payoutReturn', {
          ...options,
          signal: bankSpokeSignal,
          signalArgs: [],
        }),
      )
      return 'told'
    },
    async cancel(payout) {
      // A payout whose workflow was lost gets one that learns of the cancel before it sends anything.
      const startWorkflowOperation = operationFor(payout, WorkflowIdReusePolicy.ALLOW_DUPLICATE, options)
      try {
        await askWithin(temporal, payouts.answerTimeoutMs, () =>
          temporal.workflow.executeUpdateWithStart<PayoutWorkflow, void, []>(cancelUpdate, {
            // Each request is decided on its own: a payout that was being sent when the last one came may be unsent again.
            updateId: `${cancelUpdate}/${randomUUID()}`,
            startWorkflowOperation,
          }),
        )
        return 'decided'
      } catch (error) {
        log.warn({ err: error, payout_id: payout.payoutId }, 'a cancel is not decided yet')
        return 'undecided'
      }
    },
  }
}

/** The bank waits for the answer to its event, and sends it again later if there is none. */
const signalWithinMs = 2_000

type PayoutWorkflow = typeof payout

function operationFor(
  payout: PayoutToStart,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
  { payouts, taskQueuePrefix }: PayoutStarterOptions,
): WithStartWorkflowOperation<PayoutWorkflow> {
  return new WithStartWorkflowOperation<PayoutWorkflow>('payout', {
    ...payoutStart(payout, { queuePrefix: taskQueuePrefix, pollMs: payouts.pollMs }),
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy,
  })
}
