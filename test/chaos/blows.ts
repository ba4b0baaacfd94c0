// Deals the blows of a plan to a world, none to what is down already, and starts again what has ended by itself.
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../domain/environment'
import type { OwnServers } from '../support/system/own-servers'
import type { Part } from '../support/system/part'
import type { World } from '../support/system/world'
import { pauseRail } from './pause-rail'
import { type Blow, type Target, targets } from './plan'
import { type TakeBack, takeBackAt } from './take-back'

export interface Dealt {
  readonly kills: number
  /** Faults and outages that the bank was told of. */
  readonly faults: number
  /** How often ops has paused the rail. */
  readonly pauses: number
  /** Processes of ours that ended though nobody killed them, with the last they said. */
  readonly ended: readonly string[]
  /** What the bank is still to take back. */
  readonly takeBack: TakeBack
}

interface Victim {
  kill(): Promise<unknown>
  start(): Promise<unknown>
}

/** Resolves when the plan is over and everything is up again. */
export async function deal(plan: readonly Blow[], world: World, servers: OwnServers): Promise<Dealt> {
  const parts = partsOf(world)
  const victims: Record<Target, Victim> = { ...parts, ...servers, bank: world.bank }
  const busy: Busy = new Map()
  const begun = performance.now()
  const supervisor = supervise(parts, busy)
  const takeBack = takeBackAt(world)
  let [kills, faults, pauses] = [0, 0, 0]
  for (const blow of plan) {
    await pause(Math.max(0, begun + blow.atMs - performance.now()))
    // On a slow machine it may not be up or open again: then there is nothing to kill or to pause.
    if (blow.kind === 'kill' && !busy.has(blow.target)) {
      during(busy, blow.target, strike(victims[blow.target], blow.downMs))
      kills += 1
    } else if (blow.kind === 'pause' && !busy.has(blow.environment)) {
      during(busy, blow.environment, pauseRail(world, blow))
      pauses += 1
    } else if (blow.kind === 'return') {
      await takeBack.take(blow.many)
    } else if (blow.kind === 'fault' || blow.kind === 'outage') {
      // A bank that is down cannot be told to fail.
      if (await told(world, blow)) faults += 1
    }
  }
  await Promise.all(busy.values())
  const ended = await supervisor.stop()
  return { kills, faults, pauses, ended, takeBack }
}

/** What is down or paused, until it is not. */
type Busy = Map<Target | Environment, Promise<unknown>>

function partsOf({ apis, workers }: World) {
  const [api1, api2] = apis
  const [worker1, worker2] = workers
  if (!api1 || !api2 || !worker1 || !worker2) throw new Error('chaos needs two of each')
  return { 'api-1': api1, 'api-2': api2, 'worker-1': worker1, 'worker-2': worker2 }
}

function during(busy: Busy, what: Target | Environment, work: Promise<unknown>): void {
  const done = work.then(() => busy.delete(what))
  // What could not be started again stays, and whoever waits for all of them at the end hears of it.
  done.catch(() => undefined)
  busy.set(what, done)
}

async function strike(victim: Victim, downMs: number): Promise<void> {
  await victim.kill()
  await pause(downMs)
  await startAtLast(victim)
}

/** As a supervisor does: what cannot start while another part is down is started again until it can. */
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

async function told({ bank }: World, blow: Extract<Blow, { kind: 'fault' | 'outage' }>): Promise<boolean> {
  const [path, body] = blow.kind === 'fault' ? ['/faults', blow.fault] : ['/outage', { ms: blow.ms }]
  return bank.control('POST', path, body).then(
    ({ status }) => status < 300,
    () => false,
  )
}

function supervise(parts: Partial<Record<Target, Part>>, busy: Busy) {
  const ended: string[] = []
  const look = () => {
    for (const target of targets) {
      const part = parts[target]
      if (part === undefined || busy.has(target) || part.isRunning()) continue
      ended.push(`${target}: ${part.output().trim().split('\n').at(-1) ?? ''}`)
      during(busy, target, strike(part, 0))
    }
  }
  const looking = setInterval(look, 200)
  return {
    async stop(): Promise<readonly string[]> {
      clearInterval(looking)
      await Promise.all(busy.values())
      return ended
    },
  }
}
