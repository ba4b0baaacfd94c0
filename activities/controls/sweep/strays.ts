// Workflows whose payout is over, or was never there: the one ends by itself when it looks, the other is for people.
import { defaultPayloadConverter } from '@temporalio/common'
import { findOver } from '../../../db/payouts/open'
import { isUuid } from '../../../domain/uuid'
import { deadlineIn } from '../../../runtime/temporal/client'
import { endStray } from '../../../runtime/temporal/start-workflow'
import type { Page, SweptPage } from '../../../workflows/controls/sweep'
import { payoutQueue, payoutSearchAttributes } from '../../../workflows/names'
import { ago, each, type SweepDeps } from './each'

export async function sweepStrays(deps: SweepDeps, page: Page): Promise<SweptPage> {
  const { running, next } = await runningPayouts(deps, page)
  const before = ago(deps, deps.olderThanMs)
  // Anybody can start a workflow by hand, with any words.
  const strays = await findOver(deps.db, [...running.keys()].filter(isUuid), before)
  for (const { payoutId, state } of strays) {
    deps.log.warn({ payout_id: payoutId, payout: state }, 'a workflow runs for a payout that is over or not there')
  }
  const over = strays.filter(({ state }) => state === 'over').map(({ payoutId }) => payoutId)
  const wakeOne = (payoutId: string) => endStray(deps.temporal, running.get(payoutId) ?? '')
  const { done, failed } = await each(deps, over, wakeOne, (payoutId) => ({ payout_id: payoutId }))
  return { woken: done.length, failed, next }
}

/** The server's own cursor, in letters: its list cannot be asked for what comes after a workflow. */
async function runningPayouts(deps: SweepDeps, { after, limit }: Page) {
  const { temporal, queuePrefix, olderThanMs } = deps
  const queues = (['sandbox', 'live'] as const).map((environment) => `'${payoutQueue(environment, queuePrefix)}'`)
  const query = `WorkflowType = 'payout' AND ExecutionStatus = 'Running' AND TaskQueue IN (${queues.join(', ')})
    AND StartTime < '${ago(deps, olderThanMs).toISOString()}'`
  const page = { pageSize: limit, nextPageToken: after === null ? null : Buffer.from(after, 'base64') }
  const { executions, nextPageToken } = await temporal.withDeadline(deadlineIn(listWithinMs), () =>
    temporal.workflowService.listWorkflowExecutions({ namespace: temporal.options.namespace, query, ...page }),
  )
  const running = new Map<string, string>()
  for (const { execution, searchAttributes } of executions) {
    const payload = searchAttributes?.indexedFields?.[payoutSearchAttributes.payoutId.name]
    const payoutId = payload ? defaultPayloadConverter.fromPayload(payload) : null
    if (typeof payoutId === 'string' && execution?.workflowId) running.set(payoutId, execution.workflowId)
  }
  const last = nextPageToken.length === 0
  return { running, next: last ? null : Buffer.from(nextPageToken).toString('base64') }
}

/** Below the step's own time, with what it has to do afterwards. */
const listWithinMs = 10_000
