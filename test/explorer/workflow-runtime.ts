// Replaces @temporalio/workflow inside a schedule. Implements the functions that our workflows use, in virtual time.
import { AsyncLocalStorage } from 'node:async_hooks'
import { ApplicationFailure, TemporalFailure } from '@temporalio/common'

export { ActivityFailure, TemporalFailure } from '@temporalio/common'
export { ApplicationFailure }

const runs = new AsyncLocalStorage<Incarnation>()

/** One execution of a run's code. After a crash in the first workflow task, the code starts from the beginning. */
export interface Incarnation {
  readonly run: RunHooks
  readonly cancelRequested: Promise<never>
  readonly handlers: Map<string, (...args: unknown[]) => unknown>
  readonly waiting: Set<Waiting>
  /** The number of signal and update handlers that have not finished. */
  handling: number
}

/** The parts of a run that workflow code uses through this module. */
interface RunHooks {
  readonly id: string
  readonly historyLength: number
  readonly startTime: Date
  isCommitted: boolean
  timer(ms: number, run: () => void): () => void
  onEnd(end: () => void): void
  describe(details: string): void
  activity(incarnation: Incarnation, call: ActivityCall): Promise<unknown>
}

interface Waiting {
  readonly holds: () => boolean
  readonly resolve: (held: boolean) => void
}

/** Runs workflow code as part of an incarnation. */
export function inside<T>(incarnation: Incarnation, work: () => T): T {
  return runs.run(incarnation, work)
}

/** Resolves the waiting conditions that are now true. Returns true if there were any. */
export function recheck({ waiting }: Incarnation): boolean {
  const held = [...waiting].filter(({ holds }) => holds())
  for (const each of held) {
    waiting.delete(each)
    each.resolve(true)
  }
  return held.length > 0
}

function here(): Incarnation {
  const incarnation = runs.getStore()
  if (incarnation === undefined) throw new Error('not inside of a workflow')
  return incarnation
}

interface Definition {
  readonly name: string
}

export const defineUpdate = (name: string): Definition => ({ name })
export const defineSignal = (name: string): Definition => ({ name })
export const defineQuery = (name: string): Definition => ({ name })

export function setHandler({ name }: Definition, handler: (...args: unknown[]) => unknown): void {
  here().handlers.set(name, handler)
}

export function allHandlersFinished(): boolean {
  return here().handling === 0
}

export function condition(holds: () => boolean, timeout?: number | string): Promise<boolean> {
  const incarnation = here()
  // A timer ends the workflow task, so the work so far is in the history.
  if (timeout !== undefined) incarnation.run.isCommitted = true
  const inContext = () => inside(incarnation, holds)
  if (inContext()) return Promise.resolve(true)
  return new Promise((resolve) => {
    const waiting: Waiting = { holds: inContext, resolve }
    incarnation.waiting.add(waiting)
    if (timeout === undefined) return
    const cancel = incarnation.run.timer(msOf(timeout), () => {
      if (incarnation.waiting.delete(waiting)) resolve(inContext())
    })
    incarnation.run.onEnd(cancel)
  })
}

export async function sleep(timeout: number | string): Promise<void> {
  await condition(() => false, timeout)
}

export const CancellationScope = {
  nonCancellable: <T>(work: () => Promise<T>): Promise<T> => work(),
  current: () => ({ cancelRequested: here().cancelRequested }),
}

export class ContinueAsNew extends Error {
  constructor(readonly args: unknown[]) {
    super('the workflow continues as new')
  }
}

export function continueAsNew(...args: unknown[]): Promise<never> {
  return Promise.reject(new ContinueAsNew(args))
}

export const patched = (): boolean => true
export const deprecatePatch = (): void => {}
export const upsertSearchAttributes = (): void => {}
export const isCancellation = (): boolean => false

export function setCurrentDetails(details: string): void {
  here().run.describe(details)
}

export function workflowInfo() {
  const { run } = here()
  return { workflowId: run.id, historyLength: run.historyLength, startTime: run.startTime }
}

export interface ActivityOptions {
  readonly startToCloseTimeout?: number | string
  readonly retry?: { readonly initialInterval?: number | string; readonly maximumInterval?: number | string }
}

export interface ActivityCall {
  readonly name: string
  readonly input: unknown
  readonly options: ActivityOptions
}

export const proxyActivities = (options: ActivityOptions) => proxy(options)
export const proxyLocalActivities = (options: ActivityOptions) => proxy(options)

/** Treats every name as an activity. Calling an activity that does not exist fails later, when it is executed. */
function proxy(options: ActivityOptions): object {
  return new Proxy(
    {},
    {
      get(_, name) {
        const run = (input: unknown) => here().run.activity(here(), { name: String(name), input, options })
        // Our workflows pass only a summary in a call's options, so the explorer ignores these options.
        return Object.assign(run, { executeWithOptions: (_more: object, [input]: [unknown]) => run(input) })
      },
    },
  )
}

/** Parses the durations that our workflows use: "8 seconds", "100 ms" or a number. */
export function msOf(duration: number | string): number {
  if (typeof duration === 'number') return duration
  const [, count, unit = 'ms'] = /^(\d+) ?(ms|s|second|minute|hour|day)s?$/.exec(duration) ?? []
  const ms = units[unit]
  if (count === undefined || ms === undefined) throw new TemporalFailure(`an unknown duration: ${duration}`)
  return Number(count) * ms
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}
