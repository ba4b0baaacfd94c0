// Merges timed sentences about a payout into one ordered, shortened list.

export interface Line {
  readonly at: Date
  /** The source of the sentence. */
  readonly from: 'timeline' | 'row' | 'ledger' | 'charge' | 'bank' | 'case' | 'workflow'
  readonly text: string
  /** The workflow steps that may have written the line. */
  readonly writtenBy?: readonly string[]
  /** The step that the line describes. */
  readonly step?: string
  /**
   * The latest possible end of a step. The recorded end can be too early, because it excludes the time that the worker
   * waited.
   */
  readonly endedBy?: Date
  /** Equal for lines that repeat each other. */
  readonly again?: string
}

/** Sorts by time. Shortens more than three consecutive duplicates to the first, a count, and the last. */
export function mergeLines(lines: readonly Line[]): Line[] {
  const sorted = afterTheirWrites(lines).toSorted((one, other) => one.at.getTime() - other.at.getTime())
  const story: Line[] = []
  let run: Line[] = []
  for (const each of [...sorted, null]) {
    if (each !== null && (run.length === 0 || isAgain(run[0], each))) {
      run.push(each)
      continue
    }
    story.push(...shortened(run))
    run = each === null ? [] : [each]
  }
  return story
}

/**
 * Adjusts the time of each ended step, so that it is not before the lines that the step wrote or before the previous
 * step.
 */
function afterTheirWrites(lines: readonly Line[]): Line[] {
  let before = 0
  return lines.map((each) => {
    const { endedBy, step } = each
    if (endedBy === undefined || step === undefined) return each
    const written = lines.filter(({ writtenBy, at }) => writtenBy?.includes(step) && at <= endedBy)
    before = Math.max(before, each.at.getTime(), ...written.map(({ at }) => at.getTime()))
    return { ...each, at: new Date(before) }
  })
}

export function asSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

function isAgain(first: Line | undefined, next: Line): boolean {
  return first?.again !== undefined && first.again === next.again
}

function shortened(run: readonly Line[]): readonly Line[] {
  const [first, last] = [run[0], run.at(-1)]
  if (first === undefined || last === undefined || run.length <= 3) return run
  const between = { ...last, text: `The same, ${run.length - 2} more times.` }
  return [first, between, last]
}
