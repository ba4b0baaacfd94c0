// Measured times, processor times and block counts, and functions that combine the results of several rounds.
import { readFileSync, statSync } from 'node:fs'
import type { Client as Postgres } from 'pg'

export interface Load {
  readonly clients: number
  readonly seconds: number
}

export interface Measured {
  readonly count: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

/** Each client repeats the work without pause until the time is up. */
export async function repeat(work: () => Promise<unknown>, { clients, seconds }: Load): Promise<Measured> {
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  const latenciesMs: number[] = []
  const client = async () => {
    for (let begunAt = startedAt; begunAt < endAt; ) {
      begunAt = performance.now()
      await work()
      latenciesMs.push(performance.now() - begunAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return measuredOf(latenciesMs, performance.now() - startedAt)
}

export function measuredOf(latenciesMs: readonly number[], elapsedMs: number): Measured {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const perSecond = sorted.length / (elapsedMs / 1_000)
  return { count: sorted.length, perSecond, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

/**
 * For an even number of values, averages the two middle ones, because the upper one alone would make every ratio look better.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [below, above] = [Math.ceil(values.length / 2) - 1, Math.floor(values.length / 2)]
  return ((sorted[below] ?? Number.NaN) + (sorted[above] ?? Number.NaN)) / 2
}

export function medianOf(rounds: readonly Measured[], field: keyof Measured): number {
  return median(rounds.map((round) => round[field]))
}

/** Returns the median of the rounds' ratios, because noise affects both sides of a round alike. */
export function ratioOf(ours: readonly Measured[], theirs: readonly Measured[], field: keyof Measured): number {
  return median(ours.map((our, n) => our[field] / (theirs[n]?.[field] ?? Number.NaN)))
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/** Returns how much the values differ, as a share of their median. */
export function driftOf(values: readonly number[]): number {
  const { median, least, most } = spreadOf(values)
  return (most - least) / median
}

const tickMs = 10

/**
 * Sums the processor time of the system's connections, including those that have ended. Linux counts it in hundredths of
 * a second.
 */
export async function databaseCpuMs(sql: Postgres): Promise<number> {
  const { rows } = await sql.query<{ pid: number; own: number }>(
    `SELECT pid, pg_backend_pid() AS own FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const server = Number(statOf(rows[0]?.own ?? 0)[1])
  const [, , , , , , , , , , , , , endedUser = '0', endedSystem = '0'] = statOf(server)
  const ticks = rows.map(({ pid }) => {
    const [, , , , , , , , , , , user = '0', system = '0'] = statOf(pid)
    return Number(user) + Number(system)
  })
  return ticks.reduce((sum, each) => sum + each, Number(endedUser) + Number(endedSystem)) * tickMs
}

/** Returns the fields after the process name, which may contain spaces. Empty if the process has just ended. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Prepares `countBlocks`. Ends the other connections, because only new ones can report plans. */
export async function prepareBlockCounts(sql: Postgres): Promise<void> {
  await sql.query(`LOAD 'auto_explain'`)
  const { rows } = await sql.query<{ name: string }>('SELECT current_database() AS name')
  for (const [setting, value] of Object.entries(explained)) {
    await sql.query(`ALTER DATABASE ${rows[0]?.name} SET ${setting} = '${value}'`)
  }
  await sql.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
}

const explained = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
}

/**
 * Counts the blocks that PostgreSQL reads, from memory or disk, while `run` runs. Unlike time, the count does not depend
 * on other load. A statement inside a function may count twice.
 */
export async function countBlocks(sql: Postgres, postgresLog: string, run: () => Promise<unknown>): Promise<number> {
  const from = statSync(postgresLog).size
  await setPlans(sql, '0')
  await run()
  await setPlans(sql, '-1')
  return blocksIn(readFileSync(postgresLog).subarray(from).toString('utf8'))
}

async function setPlans(sql: Postgres, minimumMs: '0' | '-1'): Promise<void> {
  await sql.query(`ALTER SYSTEM SET auto_explain.log_min_duration = ${minimumMs}`)
  await sql.query('SELECT pg_reload_conf()')
}

/**
 * The first counts in a plan are the sums of its root. Leaves out the activity list: its entries are written in batches,
 * so those of many requests may fall into a short run, or none.
 */
function blocksIn(log: string): number {
  const [, ...plans] = log.split(' plan:\n')
  return plans.reduce((sum, plan) => {
    if (plan.includes('INSERT INTO activity ')) return sum
    const [, hit = '0', read = '0'] = /"Shared Hit Blocks": (\d+),\s+"Shared Read Blocks": (\d+)/.exec(plan) ?? []
    return sum + Number(hit) + Number(read)
  }, 0)
}

export interface Cost {
  /** The median time of one request or run. */
  readonly ms: number
  /** Processor time of the database's connections for one request or run. Depends less on other load. */
  readonly cpuMs: number
  /** Blocks that the database reads for one request or run, from memory or disk. Does not depend on other load. */
  readonly blocks: number
}

/** Costs by the name of the operation. */
export type Costs = ReadonlyMap<string, Cost>

/** Compares the costs at the latest size with those at the first one. */
export function costLines(
  measured: readonly Costs[],
  {
    sizes,
    partners,
    rounds,
  }: { readonly sizes: readonly number[]; readonly partners: number; readonly rounds: number },
): string[] {
  const small = measured[0] ?? new Map<string, Cost>()
  const latest = measured.at(-1) ?? small
  const number = (value: number, digits: number) => value.toFixed(digits).padStart(10)
  const rows = [...latest].map(([name, cost]) => {
    const cells = costFields.map(([field, , digits]) => {
      const before = small.get(name)?.[field] ?? Number.NaN
      return [number(before, digits), number(cost[field], digits), number(cost[field] / before, 2)].join('')
    })
    return `  ${name.padEnd(32)}${cells.join('')}`
  })
  const size = sizes[measured.length - 1] ?? 0
  const heads = costFields.flatMap(([, head]) => ['before', head, 'ratio'])
  return [
    `${size} stored payouts of ${partners} partners, against ${sizes[0]}: median time of ${rounds} rounds with one client, processor`,
    'time of the database, and blocks that it reads (aim: at most 1.2, search and recipients 2.0). "account" reads no history.',
    `  ${''.padEnd(32)}${heads.map((head) => head.padStart(10)).join('')}`,
    ...rows,
  ]
}

const costFields = [
  ['ms', 'ms', 1],
  ['cpuMs', 'CPU ms', 2],
  ['blocks', 'blocks', 0],
] as const
