// Measures payouts from request to settlement on a running system, and the cost of one payout in CPU time, Temporal and
// PostgreSQL.
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client as Postgres } from 'pg'
import { payoutWorkflowId } from '../../workflows/names'
import { runLoad } from '../load'
import { type Measured, mean, median, medianOf, repeat } from '../measured'
import type { CpuTimes } from '../system'
import { nextPayout } from './requests'
import type { Stage } from './stage'

const each = { clients: 16, seconds: 5 }
const rounds = 3
const samples = 20
/** PostgreSQL updates its session statistics within a second. */
const statisticsMs = 1_500

export async function measureWholeLife(stage: Stage): Promise<string[]> {
  stage.system.ops('partner', 'set', '--partner', 'demo', '--rate-limit-sandbox', '10000')
  // The first round is a warm-up.
  await measureLives(stage, { ...each, seconds: 2 })
  const lives: Lives[] = []
  const noops: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    noops.push(await repeat(() => runNoop(stage), { ...each, seconds: 3 }))
    lives.push(await measureLives(stage, each))
  }
  const [noopPerSecond, perSecond] = [medianOf(noops, 'perSecond'), median(lives.map((life) => life.perSecond))]
  const accepted = lives.map((life) => life.accepted)
  const costs = await costsOf(stage, lives.at(-1)?.keys.slice(-samples) ?? [])
  const per = (field: 'commits' | 'writes') => median(lives.map((life) => life[field] / life.accepted.count)).toFixed(1)
  return [
    `The whole life of a payout on a system from \`npm start\` (bank events, polls, rate limit), ${each.clients} clients, ${rounds} rounds:`,
    `  accepting while others settle ${medianOf(accepted, 'perSecond').toFixed(1)}/s, p50 ${medianOf(accepted, 'p50Ms').toFixed(0)} ms,` +
      ` p95 ${medianOf(accepted, 'p95Ms').toFixed(0)} ms; until the last one is closed ${perSecond.toFixed(1)}/s,` +
      ` ${(perSecond / noopPerSecond).toFixed(2)} × a bare no-op workflow (${noopPerSecond.toFixed(1)}/s)`,
    `  Temporal, for each payout: ${costs.transitions.toFixed(1)} state transitions, ${costs.tasks.toFixed(1)} workflow tasks,` +
      ` ${costs.events.toFixed(1)} history events`,
    `  gRPC calls of the worker, for each payout: ${callsText(lives)}`,
    `  PostgreSQL, for each payout: ${per('commits')} commits, ${per('writes')} of them with writes`,
    `  CPU, for each payout: ${cpuText(lives)}`,
    ...(await statementLines(stage)),
  ]
}

/** Pays without pause, and lists the memory after each minute. */
export async function measureSoak(stage: Stage, minutes: number, memory: () => string): Promise<string[]> {
  const { system, untilAllClosed } = stage
  system.ops('partner', 'set', '--partner', 'demo', '--rate-limit-sandbox', '10000')
  const next = () => nextPayout([system.sandboxKey]).text
  const lines: string[] = []
  for (let minute = 1; minute <= minutes; minute++) {
    const { count } = await runLoad({ port: system.port, next, status: 201 }, { clients: 4, seconds: 60 })
    lines.push(`  after ${String(minute).padStart(3)} min, ${String(count).padStart(5)} payouts: ${memory()}`)
  }
  await untilAllClosed()
  return [`Resident memory while 4 clients pay without pause:`, ...lines, `  when all are closed: ${memory()}`]
}

interface Lives {
  readonly accepted: Measured
  readonly keys: readonly string[]
  /** Until the last payout is closed. */
  readonly perSecond: number
  readonly commits: number
  readonly writes: number
  readonly cpuMs: CpuTimes | null
  readonly calls: ReadonlyMap<string, number>
}

async function measureLives({ system, sql, untilAllClosed }: Stage, load: typeof each): Promise<Lives> {
  await wait(statisticsMs)
  const calls = await system.temporalCalls()
  const before = { ...(await transactions(sql)), cpuMs: system.cpuMs() }
  const keys: string[] = []
  const next = () => {
    const { key, text } = nextPayout([system.sandboxKey])
    keys.push(key)
    return text
  }
  const startedAt = performance.now()
  const accepted = await runLoad({ port: system.port, next, status: 201 }, load)
  await untilAllClosed()
  const perSecond = accepted.count / ((performance.now() - startedAt) / 1_000)
  await wait(statisticsMs)
  const after = { ...(await transactions(sql)), cpuMs: system.cpuMs() }
  return {
    accepted,
    keys,
    perSecond,
    commits: after.commits - before.commits,
    writes: after.writes - before.writes,
    cpuMs: before.cpuMs && after.cpuMs && difference(after.cpuMs, before.cpuMs),
    calls: new Map([...(await system.temporalCalls())].map(([name, n]) => [name, n - (calls.get(name) ?? 0)])),
  }
}

function runNoop({ temporal }: Stage): Promise<unknown> {
  return temporal.workflow.execute('noop', { taskQueue: 'bench-bare', workflowId: `bench-${randomUUID()}` })
}

function difference(after: CpuTimes, before: CpuTimes): CpuTimes {
  const of = (part: keyof CpuTimes) => after[part] - before[part]
  return {
    API: of('API'),
    worker: of('worker'),
    Temporal: of('Temporal'),
    PostgreSQL: of('PostgreSQL'),
    bank: of('bank'),
  }
}

function cpuText(lives: readonly Lives[]): string {
  const parts = ['Temporal', 'worker', 'API', 'PostgreSQL', 'bank'] as const
  const per = (part: keyof CpuTimes) =>
    median(lives.map(({ cpuMs, accepted }) => (cpuMs?.[part] ?? Number.NaN) / accepted.count))
  const sum = parts.reduce((total, part) => total + per(part), 0)
  return `${sum.toFixed(0)} ms (${parts.map((part) => `${part} ${per(part).toFixed(1)}`).join(', ')})`
}

/** Leaves out calls that fewer than one in twenty payouts needs, such as those of Schedules. */
function callsText(lives: readonly Lives[]): string {
  const [last] = lives.slice(-1)
  const each = [...(last?.calls ?? [])].map(([name, count]) => ({ name, count: count / (last?.accepted.count ?? 1) }))
  const shown = each.filter(({ count }) => count >= 0.05).toSorted((a, b) => b.count - a.count)
  return shown.map(({ name, count }) => `${name} ${count.toFixed(1)}`).join(', ')
}

/** Read-only transactions also commit, but only those that write get a transaction ID. */
async function transactions(sql: Postgres): Promise<{ commits: number; writes: number }> {
  const { rows } = await sql.query<{ commits: number; writes: number }>(
    `SELECT xact_commit::float8 AS commits, pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS writes
      FROM pg_stat_database WHERE datname = current_database()`,
  )
  return rows[0] ?? { commits: Number.NaN, writes: Number.NaN }
}

/**
 * Runs another round while PostgreSQL logs every statement, and counts its transactions by their statements. Logging
 * costs CPU time, so this round counts for nothing else.
 */
async function statementLines({ system, sql, untilAllClosed }: Stage): Promise<string[]> {
  const from = statSync(system.postgresLog).size
  await configure(sql, [
    `log_line_prefix = '${logMark} %c/%v %x '`,
    `log_min_duration_statement = 0`,
    `log_parameter_max_length = 0`,
  ])
  const next = () => nextPayout([system.sandboxKey]).text
  const { count } = await runLoad({ port: system.port, next, status: 201 }, { ...each, seconds: 3 })
  await untilAllClosed()
  await wait(statisticsMs)
  await configure(sql, undefined)
  const log = readFileSync(system.postgresLog).subarray(from).toString('utf8')
  const counted = countTransactions(log)
  const rows = [...counted.values()].filter((each) => each.count / count >= 0.02).toSorted((a, b) => b.count - a.count)
  return [
    `  Transactions for each of ${count} payouts, by statements (w: writes):`,
    ...rows.map((row) => `  ${(row.count / count).toFixed(2).padStart(6)} ${row.writes ? 'w' : ' '} ${row.statements}`),
  ]
}

const logMark = 'bench-life'

/** Without settings, resets those that were changed. */
async function configure(sql: Postgres, settings: readonly string[] | undefined): Promise<void> {
  for (const setting of settings ?? ['ALL']) await sql.query(`ALTER SYSTEM ${settings ? 'SET' : 'RESET'} ${setting}`)
  await sql.query('SELECT pg_reload_conf()')
  await wait(statisticsMs)
}

interface Transactions {
  readonly statements: string
  readonly writes: boolean
  readonly count: number
}

function countTransactions(log: string): Map<string, Transactions> {
  const byId = new Map<string, { statements: string[]; writes: boolean }>()
  const line = new RegExp(
    `^${logMark} (\\S+) (\\d+) LOG: +duration: [\\d.]+ ms +(?:execute [^:]*|statement): ([^]*?)(?=^${logMark} |$(?![^]))`,
    'gm',
  )
  for (const [, id = '', transactionId, text = ''] of log.matchAll(line)) {
    const known = byId.get(id) ?? { statements: [], writes: false }
    if (!/^(BEGIN|COMMIT)/.test(text)) known.statements.push(nameOfStatement(text))
    byId.set(id, { ...known, writes: known.writes || transactionId !== '0' })
  }
  const counted = new Map<string, Transactions>()
  for (const { statements: list, writes } of byId.values()) {
    const statements = [...new Set(list)].join(' + ')
    const key = `${writes}${statements}`
    counted.set(key, { statements, writes, count: (counted.get(key)?.count ?? 0) + 1 })
  }
  return counted
}

/** The verbs of a statement with their tables and functions, such as "UPDATE payouts, INSERT payout_events". */
function nameOfStatement(text: string): string {
  const words = /\b(INSERT INTO|UPDATE|DELETE FROM|FROM) ("?[a-z_]+"?\(?)/g
  const found = [...text.matchAll(words)].flatMap(([, verb = '', table = '']) => {
    if (verb !== 'FROM') return [`${verb.split(' ')[0]} ${table}`]
    return [`${/FOR (NO KEY )?UPDATE/.test(text) ? 'LOCK' : 'READ'} ${table}`]
  })
  const unique = [...new Set(found)]
  const writes = unique.filter((name) => /^(INSERT|UPDATE|DELETE)/.test(name))
  return (writes.length > 0 ? writes : unique.slice(0, 2)).join(', ') || text.slice(0, 40).replace(/\s+/g, ' ')
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
