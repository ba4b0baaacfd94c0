// Applies a plan's faults to a world. Skips parts that are already down, and restarts parts that ended unexpectedly.
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../domain/environment'
import type { OwnServers } from '../support/system/own-servers'
import type { Part } from '../support/system/part'
import type { World } from '../support/system/world'
import { pauseRail } from './pause-rail'
import { type ChaosEvent, type Target, targets } from './plan'
import { returnTransfersAt, type TransferReturns } from './return-transfers'

export interface PlanResult {
  readonly kills: number
  /** Faults and outages that were set at the bank. */
  readonly faults: number
  /** How many times a rail was paused. */
  readonly pauses: number
  /** Our processes that ended without being killed, with their last output. */
  readonly ended: readonly string[]
  /** Finishes the returns that the bank still has to make. */
  readonly takeBack: TransferReturns
}

interface Victim {
  kill(): Promise<unknown>
  start(): Promise<unknown>
}

/** Resolves when the plan has ended and everything is up again. */
export async function runPlan(plan: readonly ChaosEvent[], world: World, servers: OwnServers): Promise<PlanResult> {
  const parts = partsOf(world)
  const victims: Record<Target, Victim> = { ...parts, ...servers, bank: world.bank }
  const busy: Busy = new Map()
  const begun = performance.now()
  const supervisor = supervise(parts, busy)
  const takeBack = returnTransfersAt(world)
  let [kills, faults, pauses] = [0, 0, 0]
  for (const event of plan) {
    await pause(Math.max(0, begun + event.atMs - performance.now()))
    // Skips a target that is still down, or a rail that is still paused, which can happen on a slow machine.
    if (event.kind === 'kill' && !busy.has(event.target)) {
      during(busy, event.target, strike(victims[event.target], event.downMs))
      kills += 1
    } else if (event.kind === 'pause' && !busy.has(event.environment)) {
      during(busy, event.environment, pauseRail(world, event))
      pauses += 1
    } else if (event.kind === 'return') {
      await takeBack.take(event.many)
    } else if (event.kind === 'fault' || event.kind === 'outage') {
      // While the bank is down, no fault can be set.
      if (await setFault(world, event)) faults += 1
    }
  }
  await Promise.all(busy.values())
  const ended = await supervisor.stop()
  return { kills, faults, pauses, ended, takeBack }
}

/** Targets that are currently down, and environments whose rail is paused. */
type Busy = Map<Target | Environment, Promise<unknown>>

function partsOf({ apis, workers }: World) {
  const [api1, api2] = apis
  const [worker1, worker2] = workers
  if (!api1 || !api2 || !worker1 || !worker2) throw new Error('chaos needs two of each')
  return { 'api-1': api1, 'api-2': api2, 'worker-1': worker1, 'worker-2': worker2 }
}

function during(busy: Busy, what: Target | Environment, work: Promise<unknown>): void {
  const done = work.then(() => busy.delete(what))
  // A failed restart remains in the map, so that the final wait for all restarts throws its error.
  done.catch(() => undefined)
  busy.set(what, done)
}

async function strike(victim: Victim, downMs: number): Promise<void> {
  await victim.kill()
  await pause(downMs)
  await startAtLast(victim)
}

/** Retries, because a part may be unable to start while another part is down. */
async function startAtLast(victim: Victim): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await victim.start()
      return
    } catch (error) {
      if (attempt === 60) throw error
      await victim.kill().catch(() => undefined)
      await pause(500)
    }
  }
}

async function setFault({ bank }: World, event: Extract<ChaosEvent, { kind: 'fault' | 'outage' }>): Promise<boolean> {
  const [path, body] = event.kind === 'fault' ? ['/faults', event.fault] : ['/outage', { ms: event.ms }]
  return bank.control('POST', path, body).then(
    ({ status }) => status < 300,
    () => false,
  )
}

function supervise(parts: Partial<Record<Target, Part>>, busy: Busy) {
  const ended: string[] = []
  const check = () => {
    for (const target of targets) {
      const part = parts[target]
      if (part === undefined || busy.has(target) || part.isRunning()) continue
      ended.push(`${target}: ${part.output().trim().split('\n').at(-1) ?? ''}`)
      during(busy, target, strike(part, 0))
    }
  }
  const checking = setInterval(check, 200)
  return {
    async stop(): Promise<readonly string[]> {
      clearInterval(checking)
      await Promise.all(busy.values())
      return ended
    },
  }
}
