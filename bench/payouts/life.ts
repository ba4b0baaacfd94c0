// Measures payouts from request to settlement on a running system, and the cost of one in Temporal and PostgreSQL.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client as Postgres } from 'pg'
import { payoutWorkflowId } from '../../workflows/names'
import { runLoad } from '../load'
import { mean } from '../measured'
import { nextPayout } from './requests'
import type { Stage } from './stage'

const each = { clients: 16, seconds: 5 }
const samples = 20
/** PostgreSQL updates its session statistics within a second. */
const statisticsMs = 1_500

export async function measureWholeLife(stage: Stage): Promise<string[]> {
  const { system, sql, untilAllClosed } = stage
  system.ops('partner', 'set', '--partner', 'demo', '--rate-limit-sandbox', '10000')
  await wait(statisticsMs)
  const before = await transactions(sql)
  const keys: string[] = []
  const next = () => {
    const { key, text } = nextPayout([system.sandboxKey])
    keys.push(key)
    return text
  }
  const startedAt = performance.now()
  const accepted = await runLoad({ port: system.port, next, status: 201 }, each)
  await untilAllClosed()
  const perSecond = accepted.count / ((performance.now() - startedAt) / 1_000)
  await wait(statisticsMs)
  const after = await transactions(sql)
  const costs = await costsOf(stage, keys.slice(-samples))
  const per = (count: number) => (count / accepted.count).toFixed(1)
  return [
    `The whole life of a payout on a system from \`npm start\` (bank events, polls, rate limit), ${each.clients} clients:`,
    `  accepting while others settle ${accepted.perSecond.toFixed(1)}/s, p50 ${accepted.p50Ms.toFixed(0)} ms, p95 ${accepted.p95Ms.toFixed(0)} ms;` +
      ` until the last one is closed ${perSecond.toFixed(1)}/s`,
    `  Temporal, for each payout: ${costs.transitions.toFixed(1)} state transitions, ${costs.tasks.toFixed(1)} workflow tasks,` +
      ` ${costs.events.toFixed(1)} history events`,
    `  PostgreSQL, for each payout: ${per(after.commits - before.commits)} commits, ${per(after.writes - before.writes)} of them with writes`,
  ]
}

/** Read-only statements commit too, but only writes take a transaction ID. */
async function transactions(sql: Postgres): Promise<{ commits: number; writes: number }> {
  const { rows } = await sql.query<{ commits: number; writes: number }>(
    `SELECT xact_commit::float8 AS commits, pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS writes
      FROM pg_stat_database WHERE datname = current_database()`,
  )
  return rows[0] ?? { commits: Number.NaN, writes: Number.NaN }
}

async function costsOf({ temporal, system }: Stage, keys: readonly string[]) {
  const costs = keys.map(async (idempotencyKey) => {
    const workflowId = payoutWorkflowId({
      environment: 'sandbox',
      partnerId: system.partnerId,
      idempotencyKey,
      attempt: 1,
    })
    const handle = temporal.workflow.getHandle(workflowId)
    const [{ raw }, history] = [await handle.describe(), await handle.fetchHistory()]
    const events = history.events ?? []
    return {
      transitions: Number(raw.workflowExecutionInfo?.stateTransitionCount ?? Number.NaN),
      tasks: events.filter((event) => event.workflowTaskCompletedEventAttributes).length,
      events: events.length,
    }
  })
  const all = await Promise.all(costs)
  const of = (field: 'transitions' | 'tasks' | 'events') => mean(all.map((cost) => cost[field]))
  return { transitions: of('transitions'), tasks: of('tasks'), events: of('events') }
}
