// One workflow execution as Temporal runs it, with deliveries, timers, activity retries and lost workers.
import type { Process, Schedule } from './schedule'
import { type ActivityCall, ContinueAsNew, type Incarnation, inside, msOf, recheck } from './workflow-runtime'

/** The parts of the server that a run uses. */
export interface Server {
  readonly schedule: Schedule
  readonly process: Process
  /** The worker that gets the next task. */
  worker(): Process
  execute(process: Process, number: number, call: ActivityCall): Promise<unknown>
  noteTimeout(): void
}

export interface Update {
  readonly name: string
  readonly result: Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** How long the server waits for a lost worker: the timeout of a workflow task and of a heartbeat. */
const lostAfterMs = 5_000

export class Run {
  status: 'RUNNING' | 'COMPLETED' | 'TERMINATED' | 'FAILED' = 'RUNNING'
  /** Whether the first workflow task has ended. Until then, the code starts again if its worker is lost. */
  isCommitted = false
  historyLength = 0
  readonly startTime: Date
  readonly updates = new Map<string, Update>()
  private readonly inbox: ((incarnation: Incarnation) => void)[] = []
  private incarnation: Incarnation | null = null
  private cancel: () => void = () => {}
  private isCancelled = false
  private readonly ends: (() => void)[] = []
  private readonly attempts = new Set<Attempt>()

  constructor(
    readonly id: string,
    private readonly workflow: (input: never) => Promise<unknown>,
    private args: readonly unknown[],
    private readonly server: Server,
  ) {
    this.startTime = this.schedule.clock.now()
    this.begin()
  }

  private get schedule(): Schedule {
    return this.server.schedule
  }

  /** Returns the update with this ID. Creates it if there is none. */
  update(updateId: string, name: string): Update {
    const known = this.updates.get(updateId)
    if (known !== undefined) return known
    const update = { name, ...deferred() }
    this.updates.set(updateId, update)
    this.deliver(`update ${name}`, (incarnation) => {
      incarnation.handling++
      const isCurrent = () => incarnation === this.incarnation
      inside(incarnation, async () => incarnation.handlers.get(name)?.())
        .finally(() => incarnation.handling--)
        .then((value) => isCurrent() && update.resolve(value), update.reject)
    })
    return update
  }

  signal(name: string): void {
    this.deliver(`signal ${name}`, (incarnation) => {
      inside(incarnation, () => incarnation.handlers.get(name)?.())
    })
  }

  requestCancel(): void {
    if (this.isCancelled) return
    this.isCancelled = true
    this.deliver('cancel in Temporal', () => this.cancel())
  }

  end(status: 'COMPLETED' | 'TERMINATED' | 'FAILED'): void {
    if (this.status !== 'RUNNING') return
    this.status = status
    this.incarnation = null
    for (const end of this.ends) end()
    this.schedule.say(`is ${status.toLowerCase()}`, this.shortId())
    for (const update of this.updates.values()) update.reject(new Error('the workflow has ended'))
  }

  workerLost(process: Process): void {
    if (this.status !== 'RUNNING') return
    const lost = [...this.attempts].filter((attempt) => attempt.process === process)
    if (lost.length === 0) return
    for (const attempt of lost) this.attempts.delete(attempt)
    this.schedule.after(lostAfterMs, `${this.shortId()}: its worker is lost`, () => {
      if (this.status !== 'RUNNING') return
      if (this.isCommitted) for (const { again } of lost) again()
      else this.begin()
    })
  }

  describe(details: string): void {
    this.schedule.say(details.replace(/^Payout [0-9a-f-]+: /, 'details: '), this.shortId())
  }

  timer(ms: number, run: () => void): () => void {
    this.historyLength += 2
    return this.schedule.after(ms, `${this.shortId()}: timer of ${ms} ms`, () => {
      if (this.status === 'RUNNING') run()
    })
  }

  onEnd(end: () => void): void {
    this.ends.push(end)
  }

  /** Retries the activity until it succeeds. An attempt that has timed out continues while the next one runs. */
  activity(incarnation: Incarnation, call: ActivityCall): Promise<unknown> {
    this.historyLength += 3
    const { retry = {}, startToCloseTimeout = '1 minute' } = call.options
    const [firstMs, mostMs] = [msOf(retry.initialInterval ?? '1 second'), msOf(retry.maximumInterval ?? '1 minute')]
    return new Promise((resolve) => {
      let settled = false
      const isWanted = () => !settled && this.incarnation === incarnation
      const attempt = (number: number): void => {
        if (!isWanted()) return
        const process = this.server.worker()
        const current: Attempt = { process, again: () => attempt(number + 1) }
        this.attempts.add(current)
        let over = false
        const retryLater = (why: string) => {
          if (over) return
          over = true
          this.attempts.delete(current)
          this.schedule.say(`${call.name} ${why}`, process.name)
          this.schedule.after(Math.min(firstMs * 2 ** (number - 1), mostMs), `${call.name} is retried`, () => {
            attempt(number + 1)
          })
        }
        const timedOut = this.schedule.after(msOf(startToCloseTimeout), `${call.name} times out`, () => {
          if (!this.attempts.has(current) || !isWanted()) return
          this.server.noteTimeout()
          retryLater('has timed out')
        })
        const succeed = (result: unknown) => {
          this.attempts.delete(current)
          if (over || !isWanted()) return
          settled = true
          resolve(result)
        }
        this.server
          .execute(process, number, call)
          .finally(timedOut)
          .then(succeed, (error: unknown) => retryLater(`fails: ${String(error)}`))
      }
      attempt(1)
    })
  }

  shortId(): string {
    const attempt = /\/(\d+)$/.exec(this.id)?.[1]
    return `${this.id.split('/')[0]}${attempt === undefined ? '' : ` attempt ${attempt}`}`
  }

  /** Starts the workflow code. Delivers all earlier signals and updates again, because Temporal replays them. */
  private begin(): void {
    const cancelled = deferred<never>()
    cancelled.result.catch(() => undefined)
    const incarnation: Incarnation = {
      run: this,
      cancelRequested: cancelled.result,
      handlers: new Map(),
      waiting: new Set(),
      handling: 0,
    }
    this.incarnation = incarnation
    this.cancel = () => cancelled.reject(new Error('the workflow was cancelled'))
    this.schedule.spawn(this.shortId(), this.server.process, async () => {
      await this.schedule.point('workflow task')
      if (this.incarnation !== incarnation) return
      const [input] = this.args
      const running = inside(incarnation, () => this.workflow(input as never))
      for (const deliver of this.inbox) deliver(incarnation)
      running.then(
        () => this.incarnation === incarnation && this.end('COMPLETED'),
        (error: unknown) => this.incarnation === incarnation && this.failed(error),
      )
    })
  }

  private failed(error: unknown): void {
    if (error instanceof ContinueAsNew) {
      this.args = error.args
      this.inbox.length = 0
      this.isCommitted = false
      this.historyLength = 0
      this.begin()
      return
    }
    this.schedule.failures.push(error)
    this.end('FAILED')
  }

  private deliver(what: string, handle: (incarnation: Incarnation) => void): void {
    this.schedule.spawn(this.shortId(), this.server.process, async () => {
      await this.schedule.point(`delivers ${what}`)
      if (this.status !== 'RUNNING') return
      this.schedule.say(`hears ${what}`)
      this.inbox.push(handle)
      if (this.incarnation !== null && this.incarnation.handlers.size > 0) handle(this.incarnation)
    })
  }

  check(): boolean {
    return this.incarnation !== null && recheck(this.incarnation)
  }
}

interface Attempt {
  readonly process: Process
  /** Starts the next attempt. */
  readonly again: () => void
}

function deferred<T = unknown>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const result = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  result.catch(() => undefined)
  return { result, resolve, reject }
}
