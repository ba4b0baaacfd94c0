// One schedule: a virtual clock, its timers, and the points at which fast-check's scheduler chooses the next step.
import { AsyncLocalStorage } from 'node:async_hooks'
import type * as fc from 'fast-check'
import type { Clock } from '../../runtime/clock'

/** One of our processes, or the outside world. Once it is no longer alive, nothing that ran in it continues. */
export interface Process {
  readonly name: string
  alive: boolean
}

/** A thread of execution: an API request, an activity attempt, or a request on its way to the bank. */
export interface Actor {
  readonly name: string
  readonly process: Process
  readonly schedule: Schedule
}

const actors = new AsyncLocalStorage<Actor>()

/** Null outside of a schedule, where nothing is interleaved. */
export function currentActor(): Actor | null {
  return actors.getStore() ?? null
}

export function never(): Promise<never> {
  return new Promise(() => {})
}

interface Timer {
  readonly atMs: number
  readonly label: string
  readonly run: () => void
  cancelled: boolean
}

/** Real work, such as a query, that a step may have started. A step ends when this work is done or waits for a lock. */
export interface Settling {
  /** How many pieces of work have been started so far. */
  readonly started: number
  settled(): Promise<void>
}

const mostSteps = 6_000

export class Schedule {
  readonly startMs = Date.parse('2026-11-16T09:00:00.000Z')
  nowMs = this.startMs
  readonly clock: Clock = { now: () => new Date(this.nowMs) }
  readonly trace: string[] = []
  /** Errors that no caller handled. Each is a bug in the explorer or in the code under test. */
  readonly failures: unknown[] = []
  /** Checks that run whenever a step ends. Each returns true if it made a workflow continue. */
  readonly conditions: (() => boolean)[] = []
  steps = 0
  private timers: Timer[] = []

  constructor(
    private readonly scheduler: fc.Scheduler,
    private readonly work: Settling,
  ) {}

  /** Starts a separate thread of execution, without waiting for it. */
  spawn(name: string, process: Process, work: () => Promise<unknown>): void {
    actors.run({ name, process, schedule: this }, () => {
      work().catch((error: unknown) => {
        this.say(`FAILS: ${String(error)}`)
        this.failures.push(error)
      })
    })
  }

  /** Waits until the scheduler chooses this actor to continue. Never resolves if the actor's process has crashed. */
  async point(label: string): Promise<void> {
    const actor = this.actor()
    if (!actor.process.alive) return never()
    await this.scheduler.schedule(Promise.resolve(), `${actor.name}: ${label}`)
    if (!actor.process.alive) return never()
  }

  /** Runs one step. Returns `idle` if nothing can run before the clock moves. */
  async step(): Promise<'stepped' | 'idle'> {
    await this.quiesce()
    this.releaseDue()
    if (this.scheduler.count() === 0) return 'idle'
    if (++this.steps > mostSteps) throw new Error(`the schedule has not ended after ${mostSteps} steps`)
    this.nowMs += 1
    await this.scheduler.waitOne()
    return 'stepped'
  }

  /** Waits until every actor is at a point or is waiting for a timer or another actor's row lock. */
  async quiesce(): Promise<void> {
    for (let started = -1; started !== this.work.started || this.recheck(); ) {
      started = this.work.started
      await immediate()
      await this.work.settled()
      await immediate()
    }
  }

  /** Calls `run` at a separate point once the clock has reached `atMs`. Returns a function that cancels the timer. */
  at(atMs: number, label: string, run: () => void): () => void {
    const timer: Timer = { atMs, label, run, cancelled: false }
    this.timers.push(timer)
    return () => {
      timer.cancelled = true
      this.timers = this.timers.filter((other) => other !== timer)
    }
  }

  after(ms: number, label: string, run: () => void): () => void {
    return this.at(this.nowMs + ms, label, run)
  }

  sleep(ms: number, label = `sleeps ${ms} ms`): Promise<void> {
    const { process } = this.actor()
    return new Promise((resolve) => this.after(ms, label, () => process.alive && resolve()))
  }

  /** Rejects if the clock reaches the deadline before the work ends. */
  withDeadline<T>(ms: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.after(ms, `deadline of ${ms} ms`, () => reject(new Error('DEADLINE_EXCEEDED')))
      work().finally(cancel).then(resolve, reject)
    })
  }

  /** Null when no timer is set. */
  nextTimerMs(): number | null {
    return this.timers.length === 0 ? null : Math.min(...this.timers.map(({ atMs }) => atMs))
  }

  jump(ms: number): void {
    this.nowMs += ms
    this.say(`the clock moves ${formatMs(ms)}`, 'clock')
  }

  jumpTo(atMs: number): void {
    this.nowMs = Math.max(this.nowMs, atMs)
  }

  /** Adds a line to the trace. */
  say(text: string, who: string = currentActor()?.name ?? 'explorer'): void {
    const number = String(this.trace.length + 1).padStart(4)
    this.trace.push(`${number}  +${formatMs(this.nowMs - this.startMs).padEnd(12)}  ${who.padEnd(22)}  ${text}`)
  }

  actor(): Actor {
    const actor = currentActor()
    if (actor === null) throw new Error('a point outside of every actor')
    return actor
  }

  private recheck(): boolean {
    return this.conditions.map((check) => check()).some(Boolean)
  }

  /** Makes each due timer a separate task, so that timers that are due at the same time can fire in any order. */
  private releaseDue(): void {
    const due = this.timers.filter(({ atMs }) => atMs <= this.nowMs)
    this.timers = this.timers.filter(({ atMs }) => atMs > this.nowMs)
    for (const timer of due) {
      void this.scheduler.schedule(Promise.resolve(), timer.label).then(() => timer.cancelled || timer.run())
    }
  }
}

export function formatMs(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60]
  const seconds = ((ms % 60_000) / 1_000).toFixed(3)
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
