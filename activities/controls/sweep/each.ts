// What the sweeps share: their dependencies, a page of calls to the Temporal server, and the position of an interrupted sweep.
import { findSweepPosition, saveSweepPosition } from '../../../db/controls/sweep-positions'
import { deadlineIn } from '../../../runtime/temporal/client'
import type { Page, SweptPage } from '../../../workflows/controls/sweep'
import type { ActivityDeps } from '../../bind'

export type SweepDeps = Pick<
  ActivityDeps,
  | 'db'
  | 'clock'
  | 'log'
  | 'temporal'
  | 'queuePrefix'
  | 'pollMs'
  | 'olderThanMs'
  | 'settleWithinMs'
  | 'knownWithinMs'
  | 'banks'
>

export function ago({ clock }: Pick<SweepDeps, 'clock'>, ms: number): Date {
  return new Date(clock.now().getTime() - ms)
}

/** A page of 50, ten at a time with two calls each, ends within the half minute of its activity. */
const callMs = 2_500
const atOnce = 10

/** A call that fails does not stop the others. `describe` is what the log may say about a failed one. */
export async function each<T, Result>(
  { temporal, log }: Pick<SweepDeps, 'temporal' | 'log'>,
  page: readonly T[],
  work: (one: T) => Promise<Result>,
  describe: (one: T) => Readonly<Record<string, string>>,
): Promise<{ readonly done: Result[]; readonly failed: number }> {
  const done: Result[] = []
  for (let from = 0; from < page.length; from += atOnce) {
    const some = page.slice(from, from + atOnce)
    const settled = await Promise.allSettled(
      some.map((one) => temporal.withDeadline(deadlineIn(2 * callMs), () => work(one))),
    )
    for (const [index, outcome] of settled.entries()) {
      const one = some[index]
      if (outcome.status === 'fulfilled') done.push(outcome.value)
      else if (one !== undefined) log.error({ err: outcome.reason, ...describe(one) }, 'it could not be swept')
    }
  }
  return { done, failed: page.length - done.length }
}

type Sweep<Deps> = (deps: Deps, page: Page) => Promise<SweptPage>

/** The next sweep continues where an interrupted one stopped. A position that cannot be continued from is dropped. */
export function resumable<Deps extends Pick<ActivityDeps, 'db'>>(stage: string, sweep: Sweep<Deps>): Sweep<Deps> {
  return async (deps, page) => {
    const after = page.after ?? (await findSweepPosition(deps.db, stage))
    try {
      const swept = await sweep(deps, { ...page, after })
      await saveSweepPosition(deps.db, stage, swept.next ?? null)
      return swept
    } catch (error) {
      await saveSweepPosition(deps.db, stage, null)
      throw error
    }
  }
}
