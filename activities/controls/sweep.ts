// The sweeps start missing workflows, end stray ones, connect sandboxes to their bank, and report overdue work.

import { defaultPayloadConverter } from '@temporalio/common'
import { findSweepPosition, saveSweepPosition } from '../../db/controls/sweep-positions'
import { takeLateOpenings } from '../../db/partners/verification'
import {
  findOverOrAbsent,
  listOpenPayouts,
  markOverdue,
  type OpenPayout,
  type OpenPayoutCursor,
} from '../../db/payouts/open'
import { listSimulatedPartners } from '../../db/wallets/wallets'
import { isUuid } from '../../domain/uuid'
import { deadlineIn } from '../../runtime/temporal/client'
import { endStray, startConnectSandbox, startOpenPayout } from '../../runtime/temporal/workflows'
import type { Page, SweptPage } from '../../workflows/controls/sweep'
import { payoutQueue, payoutSearchAttributes } from '../../workflows/names'
import type { ActivityDeps } from '../bind'
import { reportLateCases } from '../payouts/case'

export type SweepDeps = Pick<
  ActivityDeps,
  | 'db'
  | 'clock'
  | 'log'
  | 'temporal'
  | 'queuePrefix'
  | 'pollMs'
  | 'olderThanMs'
  | 'settleWithinMs'
  | 'knownWithinMs'
  | 'banks'
>

export function ago({ clock }: Pick<SweepDeps, 'clock'>, ms: number): Date {
  return new Date(clock.now().getTime() - ms)
}

/** A page of 50 rows, ten at a time with two calls each, takes at most 25 s. */
const callMs = 2_500
const atOnce = 10

/** A row that fails does not stop the others. `describe` returns the log fields for a failed row. */
export async function each<T, Result>(
  { temporal, log }: Pick<SweepDeps, 'temporal' | 'log'>,
  page: readonly T[],
  work: (one: T) => Promise<Result>,
  describe: (one: T) => Readonly<Record<string, string>>,
): Promise<{ readonly done: Result[]; readonly failed: number }> {
  const done: Result[] = []
  for (let from = 0; from < page.length; from += atOnce) {
    const some = page.slice(from, from + atOnce)
    const settled = await Promise.allSettled(
      some.map((one) => temporal.withDeadline(deadlineIn(2 * callMs), () => work(one))),
    )
    for (const [index, outcome] of settled.entries()) {
      const one = some[index]
      if (outcome.status === 'fulfilled') done.push(outcome.value)
      else if (one !== undefined)
        log.error({ err: outcome.reason, ...describe(one) }, 'cannot process a row in the sweep')
    }
  }
  return { done, failed: page.length - done.length }
}

type Sweep<Deps> = (deps: Deps, page: Page) => Promise<SweptPage>

/**
 * The next sweep continues where an interrupted one stopped. If a page fails, the next sweep starts from the beginning.
 */
export function resumable<Deps extends Pick<ActivityDeps, 'db'>>(stage: string, sweep: Sweep<Deps>): Sweep<Deps> {
  return async (deps, page) => {
    const after = page.after ?? (await findSweepPosition(deps.db, stage))
    try {
      const swept = await sweep(deps, { ...page, after })
      await saveSweepPosition(deps.db, stage, swept.next ?? null)
      return swept
    } catch (error) {
      await saveSweepPosition(deps.db, stage, null)
      throw error
    }
  }
}

/** Starts a workflow for each open payout that has none. */
export async function sweepPayouts(deps: SweepDeps, { after, limit }: Page): Promise<SweptPage> {
  const before = ago(deps, deps.olderThanMs)
  const page = await listOpenPayouts(deps.db, { before, after: after === null ? null : readCursor(after), limit })
  const start = (row: OpenPayout) => startItsWorkflow(deps, row)
  const { done, failed } = await each(deps, page, start, ({ payoutId }) => ({ payout_id: payoutId }))
  const last = page.length < limit ? undefined : page.at(-1)
  return {
    looked: page.length,
    started: done.filter((outcome) => outcome === 'started').length,
    failed,
    next: last === undefined ? null : writeCursor(last),
  }
}

function writeCursor({ createdAt, payoutId }: OpenPayoutCursor): string {
  return `${createdAt.toISOString()} ${payoutId}`
}

function readCursor(text: string): OpenPayoutCursor {
  const [createdAt = '', payoutId = ''] = text.split(' ')
  return { createdAt: new Date(createdAt), payoutId }
}

async function startItsWorkflow(deps: SweepDeps, row: OpenPayout): Promise<'running' | 'started'> {
  const was = await startOpenPayout(deps, row)
  if (was === 'RUNNING') return 'running'
  deps.log.warn(
    { payout_id: row.payoutId, attempt: row.attempt, was },
    'started a workflow for an open payout that had none running',
  )
  return 'started'
}

/** Connects simulated sandboxes to the sandbox bank, if one is configured. */
export async function sweepSandboxes(deps: SweepDeps, { after, limit }: Page): Promise<SweptPage> {
  if (deps.banks.sandbox === null) return { next: null }
  const partners = await listSimulatedPartners(deps.db, { after, limit })
  const connect = (partnerId: string) => startConnectSandbox(deps, partnerId)
  const { done, failed } = await each(deps, partners, connect, (partnerId) => ({ partner_id: partnerId }))
  const last = partners.length < limit ? undefined : partners.at(-1)
  return { connecting: done.length, failed, next: last ?? null }
}

/**
 * Wakes workflows that are still running although their payout is final, so that they end. A workflow without a payout
 * is only logged.
 */
export async function sweepStrays(deps: SweepDeps, page: Page): Promise<SweptPage> {
  const { running, next } = await runningPayouts(deps, page)
  const before = ago(deps, deps.olderThanMs)
  // An operator can start a workflow manually with any text as its payout ID.
  const strays = await findOverOrAbsent(deps.db, [...running.keys()].filter(isUuid), before)
  for (const { payoutId, state } of strays) {
    deps.log.warn(
      { payout_id: payoutId, payout: state },
      'a workflow is still running for a payout that is final or does not exist',
    )
  }
  const over = strays.filter(({ state }) => state === 'over').map(({ payoutId }) => payoutId)
  const wakeOne = (payoutId: string) => endStray(deps.temporal, running.get(payoutId) ?? '')
  const { done, failed } = await each(deps, over, wakeOne, (payoutId) => ({ payout_id: payoutId }))
  return { woken: done.length, failed, next }
}

/** The cursor is Temporal's page token in base64. Temporal cannot list the workflows after a given one. */
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

/** Well below the activity's timeout. */
const listWithinMs = 10_000

/** Flags overdue payouts, cases and verifications, each once. */
export async function reportOverdue(deps: SweepDeps, page: Page): Promise<SweptPage> {
  const swept = await reportOverduePayouts(deps, page)
  await reportLateCases(deps, page)
  await reportLateOpenings(deps)
  return swept
}

/** Needs no cursor, because the query does not return payouts that are already flagged. */
export async function reportOverduePayouts(deps: SweepDeps, { limit }: Page): Promise<SweptPage> {
  const sentBefore = ago(deps, deps.settleWithinMs)
  const unknownBefore = ago(deps, deps.knownWithinMs)
  const overdue = await markOverdue(deps.db, { sentBefore, unknownBefore, limit })
  for (const { payoutId, attention, environment, createdAt } of overdue) {
    const since = createdAt.toISOString()
    deps.log.error({ payout_id: payoutId, attention, environment, since }, 'payout overdue; an operator must check it')
  }
  return { overdue: overdue.length, next: overdue.length < limit ? null : 'more' }
}

const openWithinMs = 15 * 60_000

/** Logs each verification that the bank has not opened in time, once. */
async function reportLateOpenings(deps: SweepDeps): Promise<void> {
  for (const partnerId of await takeLateOpenings(deps.db, ago(deps, openWithinMs))) {
    deps.log.error({ partner_id: partnerId }, 'the bank has not opened a verification; an operator must check it')
  }
}
