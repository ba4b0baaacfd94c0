// `npm run bench -- compare` measures the same payout on other libraries and on ours, in interleaved rounds on one
// machine: the highest throughput in a closed loop, then latency in an open loop at half and at 70 % of it.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Client } from 'pg'
import { projectDir } from '../../local/files'
import { choosePort } from '../../local/ports'
import { systemClock } from '../../runtime/clock'
import { runLoad, runOpenLoop } from '../load'
import { driftOf, type Measured, measuredOf, median, spreadOf } from '../measured'
import { openStage } from '../payouts/stage'
import { type Child, cpuMsOfChildren, startSystem } from '../system'
import { contenders, openPeerStage, type Running, startOurs, startPeer } from './contenders'
import { faultsOf } from './referee'
import { type Comparison, chartOf, type Result, type Settings } from './report'

const bankDelaysMs = [0, 50]
const shares = [0.5, 0.7]
const recipients = 50

/** `say` prints progress. */
export async function compare(args: readonly string[], say: (line: string) => void): Promise<Comparison> {
  const { settings, chosen, out } = readOptions(args)
  await installPeers()
  const system = await startSystem(await choosePort(3100))
  const children: Child[] = [system]
  try {
    const stage = await openStage(system)
    children.unshift({ stop: () => stage.close() })
    const peerStage = await openPeerStage(system)
    children.unshift({ stop: () => peerStage.close() })
    const field: Running[] = []
    for (const { id, name } of contenders.filter((each) => chosen.length === 0 || chosen.includes(each.id))) {
      say(`Starting ${name}`)
      const started: Child[] = []
      const running = await (id === 'ours' ? startOurs(stage) : startPeer(id, peerStage, started)).finally(() =>
        children.unshift(...started.toReversed()),
      )
      field.push(running)
    }
    // The first calibration is slower, because its code is not compiled yet.
    await calibrate(stage.sql)
    const comparison = await runRounds(field, settings, {
      calibrate: () => calibrate(stage.sql),
      untilIdle,
      say,
    })
    writeResults(comparison, out)
    say(`Wrote ${join(out, 'comparison.json')} and ${join(out, 'comparison.svg')}`)
    return comparison
  } finally {
    for (const child of children) await child.stop()
  }
}

interface Options {
  readonly settings: Settings
  readonly chosen: readonly string[]
  readonly out: string
}

export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: text, rounds: text, clients: text, only: text, out: text },
  })
  const settings = {
    seconds: Number(values.seconds ?? 3),
    rounds: Number(values.rounds ?? 3),
    clients: Number(values.clients ?? 16),
  }
  if (!(settings.seconds > 0)) throw new Error('--seconds must be a number above 0.')
  if (!(settings.rounds >= 3)) throw new Error('--rounds must be at least 3: a median of fewer says little.')
  if (!(settings.clients >= 1)) throw new Error('--clients must be at least 1.')
  const chosen = values.only?.split(',') ?? []
  const unknown = chosen.filter((id) => !contenders.some((each) => each.id === id))
  if (unknown.length > 0)
    throw new Error(`--only: there is no "${unknown.join(', ')}", only ${contenders.map(({ id }) => id).join(', ')}.`)
  return { settings, chosen, out: resolve(values.out ?? join(projectDir(), '.cache/compare')) }
}

/** Installs bench/package.json on first use, so that `npm start` and `npm test` never need its packages. */
async function installPeers(): Promise<void> {
  const file = pathToFileURL(join(projectDir(), 'local/bootstrap/install.mjs')).href
  const installer: { install(folder: string): Promise<void> } = await import(file)
  await installer.install(join(projectDir(), 'bench')).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The comparison installs its peers (bench/package.json) from the npm registry on first use. ${reason}`,
    )
  })
}

/** A contender, and what it has done so far. */
interface Player {
  readonly running: Running
  readonly accepted: number[]
  /** Why it takes no further part. */
  failure: string | null
}

interface Surroundings {
  /** Returns the speed of the machine now, in several units. */
  readonly calibrate: () => Promise<readonly number[]>
  /** Resolves when the contenders are idle, or after 30 s. */
  readonly untilIdle: () => Promise<void>
  readonly say: (line: string) => void
}

export async function runRounds(
  contenders: readonly Running[],
  settings: Settings,
  around: Surroundings,
): Promise<Comparison> {
  const field: Player[] = contenders.map((running) => ({ running, accepted: [], failure: null }))
  const calibrations: (readonly number[])[] = []
  const calibrate = async () => {
    await around.untilIdle()
    calibrations.push(await around.calibrate())
  }
  const measured: Omit<Result, 'faults'>[] = []
  for (const bankMs of bankDelaysMs) {
    const players = field.filter(({ running }) => bankMs === 0 || running.work === 'paid')
    measured.push(...(await measureWith(bankMs, players, settings, { ...around, calibrate })))
  }
  await calibrate()
  const faults = new Map<string, string[]>()
  for (const player of field) faults.set(player.running.id, await judge(player))
  return {
    at: systemClock.now().toISOString(),
    machine: { processor: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.versions.node },
    settings,
    calibrations,
    drift: Math.max(...units.map((_, unit) => driftOf(calibrations.map((each) => each[unit] ?? Number.NaN)))),
    results: measured.map((result) => ({ ...result, faults: faults.get(result.id) ?? [] })),
  }
}

interface Pacing extends Omit<Surroundings, 'calibrate'> {
  readonly calibrate: () => Promise<void>
}

async function measureWith(bankMs: number, players: readonly Player[], settings: Settings, pacing: Pacing) {
  const { calibrate, untilIdle, say } = pacing
  for (const { running } of players) await running.setBank(bankMs)
  const taken: Taken[] = players.map((player) => ({ player, closed: [], open: shares.map(() => []) }))

  // The first round is a warm-up.
  for (let round = 0; round <= settings.rounds; round++) {
    await calibrate()
    for (const { player, closed } of rotated(taken, round)) {
      await untilIdle()
      const done = await attempt(player, () => closedRound(player, settings))
      say(`Bank ${bankMs} ms, ${roundName(round)}, ${player.running.name}: ${done?.perSecond.toFixed(0) ?? 'failed'}/s`)
      if (done !== null && round > 0) closed.push(done)
    }
  }
  for (let round = 1; round <= settings.rounds; round++) {
    await calibrate()
    for (const [n, share] of shares.entries()) {
      for (const { player, closed, open } of rotated(taken, round)) {
        const most = median(closed.map(({ perSecond }) => perSecond))
        await untilIdle()
        const latency = await attempt(player, () => openRound(player, settings, share * most))
        const p50 = latency === null ? 'failed' : `p50 ${latency.paid.p50Ms.toFixed(1)} ms`
        say(`Bank ${bankMs} ms, ${roundName(round)} at ${share * 100} %, ${player.running.name}: ${p50}`)
        if (latency !== null) open[n]?.push(latency)
      }
    }
  }
  return taken.map((each) => resultOf(each, bankMs))
}

interface Taken {
  readonly player: Player
  readonly closed: Throughput[]
  /** One list for each share of the maximum. */
  readonly open: Latency[][]
}

function roundName(round: number): string {
  return round === 0 ? 'warm-up' : `round ${round}`
}

/** Starts each round with another contender, so that none always runs after the same one. */
function rotated<T>(values: readonly T[], by: number): T[] {
  const start = by % values.length
  return [...values.slice(start), ...values.slice(0, start)]
}

async function attempt<T>(player: Player, work: () => Promise<T>): Promise<T | null> {
  if (player.failure !== null) return null
  try {
    return await work()
  } catch (error) {
    player.failure = error instanceof Error ? error.message : String(error)
    return null
  }
}

interface Throughput {
  /** Until the last payout is paid. */
  readonly perSecond: number
  readonly cpuMs: number
}

async function closedRound(player: Player, { clients, seconds }: Settings): Promise<Throughput> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMsOfChildren()]
  const { count } = await runLoad({ ...target(player), next: () => nextRequest(player).text }, { clients, seconds })
  await player.running.untilPaid()
  const elapsedSeconds = (performance.now() - startedAt) / 1_000
  return { perSecond: count / elapsedSeconds, cpuMs: (cpuMsOfChildren() - cpuBefore) / count }
}

interface Latency {
  readonly answered: Measured
  readonly paid: Measured
}

async function openRound(player: Player, { seconds }: Settings, perSecond: number): Promise<Latency> {
  const due = new Map<string, number>()
  // Not `performance.timeOrigin`: the machine's clock may have been set since this process started.
  const clockOffsetMs = systemClock.now().getTime() - performance.now()
  const next = (dueAt: number) => {
    const { key, text } = nextRequest(player)
    due.set(key, clockOffsetMs + dueAt)
    return text
  }
  const startedAt = performance.now()
  const answered = await runOpenLoop({ ...target(player), next }, { perSecond, seconds })
  await player.running.untilPaid()
  if (player.running.answers === 'when paid') return { answered, paid: answered }
  const elapsedMs = performance.now() - startedAt
  const paidAt = await player.running.paidAt([...due.keys()])
  const latenciesMs = [...due].map(([key, dueAt]) => (paidAt.get(key) ?? Number.NaN) - dueAt)
  return { answered, paid: measuredOf(latenciesMs, elapsedMs) }
}

function target({ running }: Player) {
  return { port: running.port, status: 201 }
}

let sent = 0

function nextRequest({ running, accepted }: Player): { key: string; text: string } {
  sent += 1
  accepted.push(sent)
  return { key: keyOf(sent), text: running.requestFor(keyOf(sent), sent % recipients) }
}

function keyOf(n: number): string {
  return `compare-${process.pid}-${n}`
}

function resultOf({ player, closed, open }: Taken, bankMs: number): Omit<Result, 'faults'> {
  const { id, name, work, answers, promises, lacks } = player.running
  const latencies = shares.map((share, n) => {
    const of = (kind: keyof Latency, field: 'p50Ms' | 'p99Ms') =>
      spreadOf((open[n] ?? []).map((each) => each[kind][field]))
    const paid = { p50Ms: of('paid', 'p50Ms'), p99Ms: of('paid', 'p99Ms') }
    return { share, paid, answered: { p50Ms: of('answered', 'p50Ms'), p99Ms: of('answered', 'p99Ms') } }
  })
  const of = (field: keyof Throughput) => spreadOf(closed.map((each) => each[field]))
  return { id, name, work, answers, promises, lacks, bankMs, perSecond: of('perSecond'), cpuMs: of('cpuMs'), latencies }
}

const [idleSampleMs, idleCpuMs, idleWithinMs] = [500, 100, 30_000]

/**
 * Waits until all contenders together use less than a fifth of one core, so that work that is left over does not slow down
 * the next contender or the calibration. Our payouts still poll the bank every few seconds after they are paid.
 */
async function untilIdle(): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < idleWithinMs; ) {
    const before = cpuMsOfChildren()
    await wait(idleSampleMs)
    // Written so that it also ends without /proc, where the CPU time is NaN.
    if (!(cpuMsOfChildren() - before >= idleCpuMs)) return
  }
}

const repeats = 5

/** Sends the last keys twice more at the same time, then compares everything accepted with the records. */
async function judge(player: Player): Promise<string[]> {
  const { running, accepted } = player
  if (player.failure !== null) return [player.failure.slice(0, 200)]
  if (running.work !== 'none') {
    const again = accepted.slice(-repeats).flatMap((n) => [n, n])
    const pace = { perSecond: 1_000, seconds: again.length / 1_000 }
    const next = () => {
      const n = again.pop() ?? 0
      return running.requestFor(keyOf(n), n % recipients)
    }
    const repeated = { port: running.port, next, status: 200, orStatus: 201 }
    if ((await attempt(player, () => runOpenLoop(repeated, pace))) === null) return ['a repeated key was refused']
  }
  return faultsOf(running.work, accepted.map(keyOf), await running.records())
}

const units = ['hashes per millisecond', 'commits per second']
const samples = 15

/** Measures the processor with hashes and the disk with commits. Each is the median of short samples. */
async function calibrate(sql: Client): Promise<number[]> {
  const perMs: { hashes: number[]; commits: number[] } = { hashes: [], commits: [] }
  for (let n = 0; n < samples; n++) {
    perMs.hashes.push(await rate(40, async () => void createHash('sha256').update(block).digest()))
    perMs.commits.push(await rate(100, () => sql.query(`SELECT pg_logical_emit_message(true, 'compare', 'commit')`)))
  }
  return [median(perMs.hashes), median(perMs.commits) * 1_000]
}

const block = Buffer.alloc(16_384)

async function rate(ms: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  for (; performance.now() - startedAt < ms; count++) await work()
  return count / (performance.now() - startedAt)
}

export function writeResults(comparison: Comparison, out: string): void {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'comparison.json'), `${JSON.stringify(comparison, null, 2)}\n`)
  writeFileSync(join(out, 'comparison.svg'), chartOf(comparison))
}
