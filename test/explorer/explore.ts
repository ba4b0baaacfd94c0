// Runs one plan under one scheduler: its events, a quiet period, the probe, and a long period without faults.
import type * as fc from 'fast-check'
import type { Log } from '../../runtime/log'
import { describeRow, findViolations, isOpen } from './invariants'
import type { Plan } from './plan'
import { Schedule } from './schedule'
import type { Stage } from './stage'
import { World } from './world'

export interface Explored {
  readonly violations: readonly string[]
  /** The schedule as readable lines. */
  readonly trace: readonly string[]
  readonly steps: number
  /** How the payout ended, for the summary. */
  readonly end: string
}

const [minuteMs, hourMs] = [60_000, 3_600_000]

export async function explore(stage: Stage, plan: Plan, scheduler: fc.Scheduler, log: Log): Promise<Explored> {
  const schedule = new Schedule(scheduler, stage.database)
  const world = new World(schedule, stage.database, stage.partner, plan, log)
  const violations: string[] = []
  try {
    for (const one of plan.before) {
      world.happen(one)
      await untilIdle(schedule)
    }
    world.happen({ kind: 'request', to: 'api-1' })
    await follow(world, plan)
    if (plan.ending === 'released') world.release()
    await rest(schedule, 11 * minuteMs)
    violations.push(...(await probe(world)))
    await drain(world)
    violations.push(...(await findViolations(world)))
  } catch (error) {
    violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  const row = await world.row()
  const end = row === null ? 'no payout' : row.released_at === null ? row.status : 'released'
  if (violations.length > 0) schedule.say(row === null ? 'no payout' : describeRow(row), 'the row at the end')
  await schedule.quiesce()
  return { violations: [...new Set(violations)], trace: schedule.trace, steps: schedule.steps, end }
}

/** Runs the plan's events, each at its time. Between events, the clock jumps to a timer only when no step can run. */
async function follow(world: World, { events }: Plan): Promise<void> {
  const { schedule } = world
  let [steps, idle] = [0, 0]
  for (let index = 0; index < events.length; ) {
    const planned = events[index]
    if (planned === undefined) break
    const { count, of } = planned.after
    const isDue = of === 'steps' ? steps >= count : idle > count
    if (!isDue) {
      if ((await schedule.step()) === 'stepped') {
        steps++
        continue
      }
      idle++
      const timerMs = schedule.nextTimerMs()
      if (of === 'idle moments' && idle <= count && timerMs !== null) {
        schedule.jumpTo(timerMs)
        continue
      }
    }
    index++
    steps = 0
    idle = 0
    await schedule.quiesce()
    world.happen(planned.event)
  }
}

async function untilIdle(schedule: Schedule): Promise<void> {
  while ((await schedule.step()) === 'stepped');
}

/** Advances the clock by this much, timer by timer. */
async function rest(schedule: Schedule, ms: number): Promise<void> {
  const untilMs = schedule.nowMs + ms
  for (;;) {
    await untilIdle(schedule)
    const timerMs = schedule.nextTimerMs()
    if (timerMs === null || timerMs > untilMs) break
    schedule.jumpTo(timerMs)
  }
  schedule.jumpTo(untilMs)
}

/**
 * Applies if no worker crashed, no activity timed out, no workflow was terminated, and every response from the bank
 * proves that no money was sent. The payout must then be final, or a cancel must succeed. After a permanent refusal,
 * the payout must be final.
 */
async function probe(world: World): Promise<string[]> {
  const { schedule, bank, temporal, plan } = world
  const row = await world.row()
  if (row === null || !isOpen(row) || row.status !== 'pending') return []
  const isProven = bank.calls.every(({ outcome, isUnderWay }) => outcome === 'proof' && !isUnderWay)
  const isCalm = world.crashes === 0 && temporal.timeouts === 0 && temporal.terminated === 0
  if (!isProven || !isCalm || bank.transfersOf(row.id).length > 0) return []
  const last = bank.calls.findLast(({ atMs }) => atMs >= row.created_at.getTime())
  if (bank.trouble === null && last?.refused === 'source.amount') {
    return [`the bank refused the amount permanently, but the payout has not failed: ${describeRow(row)}`]
  }
  if (!plan.probe) return []
  // A late cancel must find out whether the bank has the payout, so this ends a fault that affects all calls.
  if (bank.trouble?.scope === 'everything') bank.trouble = null
  schedule.say('nothing was sent, provably: a cancel must win', 'probe')
  const before = world.cancels.length
  world.cancel('api')
  await rest(schedule, 30_000)
  const answer = world.cancels[before]
  const now = await world.row()
  if (answer === undefined || answer.outcome === 'cancelled' || now === null || !isOpen(now)) return []
  return [`nothing was sent, and the payout is locked: cancel ${answer.outcome}, ${describeRow(now)}`]
}

/** Ends all faults, and advances the clock by at most 29 hours until the payout is at rest. */
async function drain(world: World): Promise<void> {
  const { schedule } = world
  world.heal()
  let scanned = false
  for (let round = 0; round < 36; round++) {
    // After a while, advances hour by hour instead of timer by timer, because only polls remain.
    if (round < 8) await rest(schedule, 5 * minuteMs)
    else schedule.jumpTo(schedule.nowMs + hourMs)
    world.sweep()
    await untilIdle(schedule)
    if (!(await isAtRest(world))) continue
    if (scanned) return
    scanned = true
    world.readChanges()
    await untilIdle(schedule)
    if (await isAtRest(world)) return
  }
}

async function isAtRest(world: World): Promise<boolean> {
  const row = await world.row()
  return row === null || (!isOpen(row) && [...world.temporal.all()].every(({ status }) => status !== 'RUNNING'))
}
