// A chaos run as a row for the table in docs/reliability.md.
import type { PlanResult } from './run-plan'
import type { Verdict } from './verdict'

export interface Run extends Omit<PlanResult, 'takeBack'>, Verdict {
  /** The number of paid transfers that were returned. */
  readonly returns: number
  readonly seed: number
  readonly minutes: number
  readonly at: Date
}

/** The columns must match those of the table. */
export function rowOf(run: Run): string {
  const cells = [
    run.at.toISOString().slice(0, 10),
    `${run.minutes} min`,
    run.seed,
    run.kills,
    run.faults,
    run.returns,
    run.pauses,
    `${run.orders} (${listed(run.environments, ' ')})`,
    listed(run.answers, ' × '),
    listed(run.outcomes, ' '),
    run.paidTwice.length || 'none',
    run.drifts.length + run.falseAlarms.length || 'none',
    run.sealed,
  ]
  return `| ${cells.join(' | ')} |`
}

function listed(counts: Readonly<Record<string, number>>, between: string): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count}${between}${what}`)
    .join(', ')
}
