// The results of a load test, and functions that combine the results of several rounds.
import { readFileSync } from 'node:fs'
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

/** Sums the processor time of the system's connections. Linux counts it in hundredths of a second. */
export async function databaseCpuMs(sql: Postgres): Promise<number> {
  const { rows } = await sql.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const ticks = rows.map(({ pid }) => {
    const [, , , , , , , , , , , user = '0', system = '0'] = statOf(pid).split(' ')
    return Number(user) + Number(system)
  })
  return ticks.reduce((sum, each) => sum + each, 0) * tickMs
}

/** Returns the fields after the process name, which may contain spaces. Empty if the connection has just ended. */
function statOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2)
  } catch {
    return ''
  }
}
