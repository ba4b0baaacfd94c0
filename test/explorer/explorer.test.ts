// The schedule explorer: fast-check interleaves the real steps of one payout, with PostgreSQL and an in-process bank.
// Imported first, so that modules loaded later get the replacements.
// oxlint-disable-next-line import/no-unassigned-import
import './replaced'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { keptLog } from '../support/kept-logs'
import { type Explored, explore } from './explore'
import { plans } from './plan'
import { openStage, type Stage } from './stage'

/** `npm run explore` sets these (main.mjs). */
const { EXPLORE_SEED, EXPLORE_SCHEDULES, EXPLORE_PATH, EXPLORE_ALL } = process.env
const ordered = EXPLORE_SEED !== undefined
const seeds = ordered ? [Number(EXPLORE_SEED)] : [1, 2, 3]
const schedules = Number(EXPLORE_SCHEDULES ?? 80)
/** How long to search for a shorter schedule after the first failure. */
const shrinkMs = 60_000

/** The timeout is meant only for a run that hangs: tens of thousands of schedules take hours on a busy machine. */
const longestMs = 24 * 3_600_000

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test.each(seeds)(
  'one payout keeps every invariant under random interleavings of its steps (seed %i)',
  async (seed) => {
    const summary = new Summary(seed)
    const log = keptLog()
    let failedMs: number | null = null
    const property = fc.asyncProperty(plans, fc.scheduler(), async (plan, scheduler) => {
      if (failedMs !== null && performance.now() - failedMs > shrinkMs) return
      const explored = await explore(stage, plan, scheduler, log)
      await stage.reset()
      summary.add(explored)
      if (ordered && summary.run % 1_000 === 0) process.stderr.write(`${summary.run} schedules …\n`)
      if (EXPLORE_PATH !== undefined) process.stderr.write(`${explored.trace.join('\n')}\n`)
      if (explored.violations.length === 0 || EXPLORE_ALL !== undefined) return
      failedMs ??= performance.now()
      throw new Error(explored.violations.join('\n'))
    })

    const checked = await fc.check(property, {
      seed,
      numRuns: schedules,
      ...(EXPLORE_PATH === undefined ? {} : { path: EXPLORE_PATH }),
    })

    if (ordered || summary.failures > 0 || checked.failed)
      process.stderr.write(summary.toText(checked.counterexamplePath, stage.database.waits))
    expect([...summary.firsts.keys()]).toEqual([])
    if (checked.failed) throw checked.errorInstance
  },
  longestMs,
)

class Summary {
  failures = 0
  /** The shortest schedule so far that breaks each invariant. */
  readonly firsts = new Map<string, { readonly number: number; readonly trace: readonly string[]; count: number }>()
  private readonly ends = new Map<string, number>()
  private readonly begunMs = performance.now()
  run = 0
  private steps = 0

  constructor(private readonly seed: number) {}

  add({ violations, trace, steps, end }: Explored): void {
    this.run++
    this.steps += steps
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1)
    if (violations.length > 0) this.failures++
    for (const violation of violations) {
      const known = this.firsts.get(violation)
      const isShorter = known === undefined || trace.length < known.trace.length
      const best = isShorter ? { number: this.run, trace } : known
      this.firsts.set(violation, { ...best, count: (known?.count ?? 0) + 1 })
    }
  }

  toText(path: string | null, waits: number): string {
    const seconds = (performance.now() - this.begunMs) / 1_000
    const ends = [...this.ends].map(([end, count]) => `${count} ${end}`).join(', ')
    const about = `${this.run} schedules of seed ${this.seed}, ${this.steps} steps, ${seconds.toFixed(0)} s, ${waits} waits for a lock: ${ends}.`
    const broken = [...this.firsts].map(
      ([violation, { number, trace, count }]) =>
        `\nBROKEN in ${count} schedules: ${violation}\nSchedule ${number}:\n${trace.join('\n')}\n`,
    )
    const again = path === null ? '' : `Again: npm run explore -- --seed ${this.seed} --path ${path}\n`
    return `${broken.join('')}\n${about}\n${this.failures} of them break an invariant.\n${again}`
  }
}
