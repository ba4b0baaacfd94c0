// A page of calls to the Temporal server, a few at a time and each with an end: one that fails does not keep the others from theirs.
import { deadlineIn } from '../../../runtime/temporal/client'
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

/** A page of 50 in tens, with two calls for each, is over within the half minute that its step has. */
const callMs = 2_500
const atOnce = 10

/** Answers what came of those that went well, and how many did not; `describe` is what the log may say of such a one. */
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
