// The steps of a sweep: rows and workflows are compared, and what is missing is started (design §3, "Attempt").
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Clock } from '../clock'
import type { Db } from '../db/database'
import { findOver, listOpenPayouts, type OpenPayout } from '../db/payouts-open'
import { listSimulatedPartners } from '../db/wallets'
import type { Log } from '../log'
import type { payout } from '../workflows'
import { bankSpokeSignal, payoutQueue, payoutSearchAttributes } from '../workflows/names'
import { payoutStart } from '../workflows/payout-start'
import type { SweepSteps } from '../workflows/sweep-steps'
import { startConnectSandbox } from './start-connect-sandbox'

export interface SweepDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly temporal: Client
  readonly queuePrefix: string
  readonly pollMs: readonly number[]
  /** Younger payouts have their own caller, who is about to start them. */
  readonly olderThanMs: number
  /** Whether there is a bank to connect sandboxes to. */
  readonly sandboxBank: 'configured' | 'absent'
}

export function createSweepSteps(deps: SweepDeps): SweepSteps {
  return {
    async sweepPayouts({ after, limit }) {
      const before = new Date(deps.clock.now().getTime() - deps.olderThanMs)
      const from = after && { createdAt: new Date(after.createdAt), payoutId: after.payoutId }
      const page = await listOpenPayouts(deps.db, { before, after: from, limit })
      const outcomes = await inTens(page, (each) => startUnlessRunning(deps, each))
      const last = page.length < limit ? undefined : page.at(-1)
      return {
        looked: page.length,
        started: outcomes.filter((outcome) => outcome === 'started').length,
        next: last === undefined ? null : { createdAt: last.createdAt.toISOString(), payoutId: last.payoutId },
      }
    },

    async sweepSandboxes({ after, limit }) {
      if (deps.sandboxBank === 'absent') return { started: 0, next: null }
      const partners = await listSimulatedPartners(deps.db, { after, limit })
      await inTens(partners, (partnerId) => startConnectSandbox(deps, partnerId))
      const full = partners.length === limit
      return { started: partners.length, next: full ? (partners.at(-1) ?? null) : null }
    },

    sweepStrays: ({ limit }) => sweepStrays(deps, limit),
  }
}

/** Plain start, never update-with-start: that would hand out an old answer and start nothing. */
async function startUnlessRunning(deps: SweepDeps, row: OpenPayout): Promise<'running' | 'started'> {
  const { workflowId, ...options } = payoutStart(row, deps)
  const was = await statusOf(deps.temporal, workflowId)
  if (was === 'RUNNING') return 'running'
  await deps.temporal.workflow.start<typeof payout>('payout', {
    ...options,
    workflowId,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  deps.log.warn({ payout_id: row.payoutId, attempt: row.attempt, was }, 'an open payout had no workflow: started')
  return 'started'
}

async function statusOf(temporal: Client, workflowId: string): Promise<string> {
  try {
    return (await temporal.workflow.getHandle(workflowId).describe()).status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'ABSENT'
    throw error
  }
}

/** A run whose row is over ends by itself when it looks; one without a row is for people. */
async function sweepStrays(deps: SweepDeps, limit: number): Promise<{ woken: number }> {
  const before = new Date(deps.clock.now().getTime() - deps.olderThanMs)
  const running = await runningPayouts(deps, before, limit)
  const over = await findOver(deps.db, [...running.keys()], before)
  for (const { payoutId, state } of over) {
    deps.log.warn({ payout_id: payoutId, payout: state }, 'a workflow runs for a payout that is over or not there')
    const workflowId = running.get(payoutId)
    if (workflowId !== undefined && state === 'over') await wake(deps.temporal, workflowId)
  }
  return { woken: over.filter(({ state }) => state === 'over').length }
}

async function runningPayouts(
  { temporal, queuePrefix }: SweepDeps,
  before: Date,
  limit: number,
): Promise<Map<string, string>> {
  const queues = (['sandbox', 'live'] as const).map((environment) => `'${payoutQueue(environment, queuePrefix)}'`)
  const query = `WorkflowType = 'payout' AND ExecutionStatus = 'Running' AND TaskQueue IN (${queues.join(', ')})
    AND StartTime < '${before.toISOString()}'`
  const found = new Map<string, string>()
  for await (const { workflowId, typedSearchAttributes } of temporal.workflow.list({ query, pageSize: limit })) {
    const payoutId = typedSearchAttributes.get(payoutSearchAttributes.payoutId)
    if (payoutId !== undefined) found.set(payoutId, workflowId)
    if (found.size >= limit) break
  }
  return found
}

async function wake(temporal: Client, workflowId: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(workflowId).signal(bankSpokeSignal)
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

/** A page of calls to the server, a few at a time: a sweep must not be what keeps the payouts waiting. */
async function inTens<T, Result>(all: readonly T[], work: (each: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < all.length; from += 10) {
    results.push(...(await Promise.all(all.slice(from, from + 10).map(work))))
  }
  return results
}
