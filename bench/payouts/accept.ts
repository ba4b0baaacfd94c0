// Measures accepting and settling payouts, in alternation with bare workflows on the same server and worker options.
import { randomUUID } from 'node:crypto'
import { runLoad } from '../load'
import { type Load, type Measured, medianOf, ratioOf, repeat } from '../measured'
import { nextPayout } from './requests'
import { openTransfers, type Stage } from './stage'

const rounds = 4
const loads: readonly Load[] = [
  { clients: 1, seconds: 2 },
  { clients: 16, seconds: 3 },
]

interface Round {
  readonly noop: Measured
  readonly three: Measured
  readonly ours: Measured
}

export async function measureAccepting(stage: Stage): Promise<string[]> {
  const measured = loads.map((): Round[] => [])
  const settledPerSecond: Measured[] = []
  await stage.gate('shut')
  for (let round = 0; round <= rounds; round++) {
    for (const [n, each] of loads.entries()) {
      const taken = await takeRound(stage, round === 0 ? { ...each, seconds: 1 } : each)
      // The first round is a warm-up.
      if (round > 0) measured[n]?.push(taken)
    }
    const settled = await settleAll(stage)
    if (round > 0) settledPerSecond.push(settled)
  }
  await stage.gate('open')
  const [alone = [], crowded = []] = measured
  return [
    `Accepting payouts (POST /v1/payouts → 201) and settling them (until all are closed), measured separately; medians of ${rounds}`,
    'interleaved rounds, to recipients that were paid before:',
    ...table(alone, crowded, settledPerSecond),
    ...verdicts(alone, crowded, settledPerSecond),
  ]
}

async function takeRound({ port, system, temporal }: Stage, each: Load): Promise<Round> {
  const run = (name: string) => () =>
    temporal.workflow.execute(name, { taskQueue: 'bench-bare', workflowId: `bench-${randomUUID()}` })
  return {
    noop: await repeat(run('noop'), each),
    ours: await runLoad({ port, next: () => nextPayout([system.sandboxKey]).text, status: 201 }, each),
    three: await repeat(run('threeActivities'), each),
  }
}

/** Settles every transfer at the bank, which causes its events, our polls and the bookings. */
async function settleAll({ sql, control, untilAllClosed }: Stage): Promise<Measured> {
  const refs = await openTransfers(sql)
  const count = refs.length
  const startedAt = performance.now()
  const teller = async () => {
    for (let ref = refs.pop(); ref !== undefined; ref = refs.pop()) {
      await control('POST', `/transfers/${ref}/advance`, { state: 'payment_processed', last: true })
    }
  }
  await Promise.all(Array.from({ length: 8 }, teller))
  await untilAllClosed()
  const perSecond = count / ((performance.now() - startedAt) / 1_000)
  return { count, perSecond, p50Ms: Number.NaN, p95Ms: Number.NaN, p99Ms: Number.NaN }
}

function table(alone: readonly Round[], crowded: readonly Round[], settled: readonly Measured[]): string[] {
  const cells = (taken: readonly Measured[]) => {
    const of = (field: keyof Measured) => medianOf(taken, field)
    return `${of('perSecond').toFixed(1).padStart(9)}${of('p50Ms').toFixed(0).padStart(8)}${of('p95Ms').toFixed(0).padStart(8)}`
  }
  const row = (name: string, kind: keyof Round) =>
    `  ${name.padEnd(36)}${cells(alone.map((each) => each[kind]))}   ${cells(crowded.map((each) => each[kind]))}`
  const head = `${'/s'.padStart(9)}${'p50 ms'.padStart(8)}${'p95 ms'.padStart(8)}`
  return [
    `  ${''.padEnd(36)}${'1 client'.padStart(25)}   ${'16 clients'.padStart(25)}`,
    `  ${''.padEnd(36)}${head}   ${head}`,
    row('bare no-op workflow', 'noop'),
    row('bare workflow, three activities', 'three'),
    row('ours: accepting', 'ours'),
    `  ${'ours: settling'.padEnd(36)}${''.padStart(25)}   ${medianOf(settled, 'perSecond').toFixed(1).padStart(9)}`,
  ]
}

function verdicts(alone: readonly Round[], crowded: readonly Round[], settled: readonly Measured[]): string[] {
  const of = (taken: readonly Round[], kind: keyof Round) => taken.map((each) => each[kind])
  const throughput = (taken: readonly Round[], kind: 'noop' | 'three') =>
    ratioOf(of(taken, 'ours'), of(taken, kind), 'perSecond').toFixed(2)
  const settling = (kind: 'noop' | 'three') => ratioOf(settled, of(crowded, kind), 'perSecond').toFixed(2)
  const p50 = ratioOf(of(alone, 'ours'), of(alone, 'noop'), 'p50Ms').toFixed(2)
  const line = (name: string, [first, second, third]: readonly string[], aim: string) =>
    `  ${name.padEnd(36)}${first} with 1 client, ${second} with 16, settling ${third}  (${aim})`
  return [
    line(
      'throughput vs three activities',
      [throughput(alone, 'three'), throughput(crowded, 'three'), settling('three')],
      'at least 1.20, aim 1.80',
    ),
    line(
      'throughput vs the no-op',
      [throughput(alone, 'noop'), throughput(crowded, 'noop'), settling('noop')],
      'at least 0.40, aim 0.60',
    ),
    `  ${'p50 vs the no-op, one client'.padEnd(36)}${p50}  (aim: at most 1.50)`,
  ]
}
