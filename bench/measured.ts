// The results of a load, and functions that combine the figures of several rounds.

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

/** Each client repeats the work without pause until the time is over. */
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

/** Averages the two middle values of an even number, because the upper one alone would flatter every ratio. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [below, above] = [Math.ceil(values.length / 2) - 1, Math.floor(values.length / 2)]
  return ((sorted[below] ?? Number.NaN) + (sorted[above] ?? Number.NaN)) / 2
}

export function medianOf(rounds: readonly Measured[], field: keyof Measured): number {
  return median(rounds.map((round) => round[field]))
}

/** Returns the median of the ratios of each round, because noise affects both sides of a round alike. */
export function ratioOf(ours: readonly Measured[], theirs: readonly Measured[], field: keyof Measured): number {
  return median(ours.map((our, n) => our[field] / (theirs[n]?.[field] ?? Number.NaN)))
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
