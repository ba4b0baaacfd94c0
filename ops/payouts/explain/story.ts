// One thing that happened to a payout, as a sentence with its time, and how many of them become a short story.

export interface Told {
  readonly at: Date
  /** Where it is known from. */
  readonly from: 'timeline' | 'row' | 'ledger' | 'charge' | 'bank' | 'case' | 'workflow'
  readonly text: string
  /** The steps of the workflow of which one has written it. */
  readonly writtenBy?: readonly string[]
  /** The step that it tells of. */
  readonly step?: string
  /** Of a step: it had ended by then. When it did is told too early by what its worker had waited for meanwhile. */
  readonly endedBy?: Date
  /** Things that only repeat each other have the same one. */
  readonly again?: string
}

/** In order; of what repeats without anything between, the first, how often, and the last. */
export function inOrder(told: readonly Told[]): Told[] {
  const sorted = afterWhatTheyWrote(told).toSorted((one, other) => one.at.getTime() - other.at.getTime())
  const story: Told[] = []
  let run: Told[] = []
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

/** A step has ended when it has written what it has, and none ends before the one in front of it. */
function afterWhatTheyWrote(told: readonly Told[]): Told[] {
  let before = 0
  return told.map((each) => {
    const { endedBy, step } = each
    if (endedBy === undefined || step === undefined) return each
    const written = told.filter(({ writtenBy, at }) => writtenBy?.includes(step) && at <= endedBy)
    before = Math.max(before, each.at.getTime(), ...written.map(({ at }) => at.getTime()))
    return { ...each, at: new Date(before) }
  })
}

/** As the end of a sentence. */
export function ended(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

function isAgain(first: Told | undefined, next: Told): boolean {
  return first?.again !== undefined && first.again === next.again
}

function shortened(run: readonly Told[]): readonly Told[] {
  const [first, last] = [run[0], run.at(-1)]
  if (first === undefined || last === undefined || run.length <= 3) return run
  const between = { ...last, text: `The same again, ${run.length - 2} times in between.` }
  return [first, between, last]
}
