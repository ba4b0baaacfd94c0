// Replaces the Temporal server inside a schedule: runs by workflow ID, updates, signals, retries and lost workers.
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { PayoutActivities } from '../../workflows/payouts/payout'
import type { PayoutReturnActivities } from '../../workflows/payouts/return'
import { Run, type Server } from './run'
import type { Process, Schedule } from './schedule'
import type { ActivityCall } from './workflow-runtime'

export interface TemporalParts {
  readonly schedule: Schedule
  /** The running workers, in order of preference. */
  readonly workers: () => readonly Process[]
  readonly activities: PayoutActivities & PayoutReturnActivities
  readonly workflows: Readonly<Record<string, (input: never) => Promise<unknown>>>
}

interface Started {
  readonly workflowId: string
  readonly args: readonly unknown[]
  readonly workflowIdReusePolicy?: string
  readonly workflowIdConflictPolicy?: string
}

export class TemporalServer implements Server {
  readonly process: Process = { name: 'temporal', alive: true }
  readonly schedule: Schedule
  /** The number of activity attempts that exceeded their timeout. */
  timeouts = 0
  terminated = 0
  private readonly runs = new Map<string, Run[]>()

  constructor(private readonly parts: TemporalParts) {
    this.schedule = parts.schedule
    parts.schedule.conditions.push(() => [...this.all()].map((run) => run.check()).some(Boolean))
  }

  /** Returns null if no run was ever started with this workflow ID. */
  latest(workflowId: string): Run | null {
    return this.runs.get(workflowId)?.at(-1) ?? null
  }

  *all(): Iterable<Run> {
    for (const runs of this.runs.values()) yield* runs
  }

  worker(): Process {
    const [worker] = this.parts.workers()
    if (worker === undefined) throw new Error('a worker must be alive')
    return worker
  }

  noteTimeout(): void {
    this.timeouts++
  }

  workerLost(process: Process): void {
    for (const run of this.all()) run.workerLost(process)
  }

  terminate(workflowId: string): void {
    const run = this.latest(workflowId)
    if (run?.status !== 'RUNNING') return
    this.terminated++
    run.end('TERMINATED')
  }

  /** Resolves with the activity's result. Never resolves if its process crashes. */
  execute(process: Process, number: number, { name, input }: ActivityCall): Promise<unknown> {
    const { schedule, activities } = this.parts
    return new Promise((resolve, reject) => {
      const attempt = number === 1 ? '' : ` attempt ${number}`
      schedule.spawn(`${process.name} ${name}`, process, async () => {
        await schedule.point(`starts${attempt}`)
        const step = activities[name as keyof typeof activities] as (input: unknown) => Promise<unknown>
        try {
          const result = await step(input)
          if (!process.alive) return
          schedule.say(`${name} answers ${summaryOf(result)}`)
          resolve(result)
        } catch (error) {
          if (process.alive) reject(error)
        }
      })
    })
  }

  /** Returns the Temporal client that the APIs and the sweep use. */
  client(): Client {
    const { schedule } = this.parts
    const point = async (label: string) => schedule.point(label)
    const client = {
      options: { namespace: 'default' },
      connection: {},
      // Our code computes deadlines from the machine's clock, so they are rounded to whole seconds of virtual time.
      withDeadline: <T>(deadlineMs: number, ask: () => Promise<T>) =>
        schedule.withDeadline(Math.round((deadlineMs - Date.now()) / 1_000) * 1_000, ask),
      workflow: {
        start: async (type: string, started: Started) => {
          await point(`starts workflow ${type}`)
          this.start(type, started)
        },
        signalWithStart: async (type: string, started: Started & { readonly signal: string }) => {
          await point(`signals or starts workflow ${type}`)
          this.start(type, { ...started, workflowIdConflictPolicy: 'USE_EXISTING' }).signal(started.signal)
        },
        executeUpdateWithStart: async (name: string, { updateId, startWorkflowOperation }: WithStart) => {
          await point(`asks for update ${name}`)
          const { workflowTypeOrFunc, options } = startWorkflowOperation
          const known = this.latest(options.workflowId)
          // If a closed run has completed the update, its history answers the update and no run is started.
          const completed = known !== null && known.status !== 'RUNNING' ? known.updates.get(updateId) : undefined
          const update = completed ?? this.start(workflowTypeOrFunc, options).update(updateId, name)
          const value = await update.result
          await point(`hears the result of update ${name}`)
          return value
        },
        getHandle: (workflowId: string) => ({
          signal: async (name: string) => {
            await point(`signals ${name}`)
            this.running(workflowId).signal(name)
          },
          describe: async () => {
            await point('describes the workflow')
            const run = this.latest(workflowId)
            if (run === null) throw notFound(workflowId)
            return { workflowId, runId: '', status: { name: run.status }, raw: {}, startTime: run.startTime }
          },
        }),
      },
    }
    return client as unknown as Client
  }

  private running(workflowId: string): Run {
    const run = this.latest(workflowId)
    if (run?.status !== 'RUNNING') throw notFound(workflowId)
    return run
  }

  private start(type: string, started: Started): Run {
    const { workflowId, args, workflowIdReusePolicy, workflowIdConflictPolicy } = started
    const known = this.latest(workflowId)
    if (known?.status === 'RUNNING') {
      if (workflowIdConflictPolicy !== 'TERMINATE_EXISTING') return known
      this.terminate(workflowId)
    } else if (known !== null && workflowIdReusePolicy === 'REJECT_DUPLICATE') {
      throw new Error('a workflow of this id has run before')
    }
    const workflow = this.parts.workflows[type]
    if (workflow === undefined) throw new Error(`an unknown workflow: ${type}`)
    const run = new Run(workflowId, workflow, args, this)
    this.runs.set(workflowId, [...(this.runs.get(workflowId) ?? []), run])
    return run
  }
}

interface WithStart {
  readonly updateId: string
  readonly startWorkflowOperation: { readonly workflowTypeOrFunc: string; readonly options: Started }
}

function notFound(workflowId: string): WorkflowNotFoundError {
  return new WorkflowNotFoundError('workflow not found', workflowId, undefined)
}

function summaryOf(result: unknown): string {
  const { at, status, says } = (result ?? {}) as Readonly<Record<string, unknown>>
  return [at, status, says].filter(Boolean).join(', ')
}
