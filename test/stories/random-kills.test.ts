// The worker is killed at moments that nobody chose, while clients go on paying: the same rules hold as at the worst ones.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { environment } from '../../config'
import { steadyLoad } from './under-load'
import { openWorld, type World } from './world'

// A machine that does other things too is slow, and that is no fault of a story's.
jest.setTimeout(180_000)

/** Another one each time; with STORY_SEED set to what a failed run printed, the same moments again. */
const seed = Number(environment()['STORY_SEED'] ?? randomInt(1, 1_000_000))
const rounds = 6
let world: World

beforeAll(async () => {
  world = await openWorld({ env: { PAYOUT_ANSWER_MS: '2000' } })
})
afterAll(() => world.close())

test(`eight clients pay while the worker is killed ${rounds} times, seed ${seed}: each payout is paid once`, async () => {
  const randomMs = numbersFrom(seed)
  const load = steadyLoad(world, 8)

  for (let round = 0; round < rounds; round++) {
    await pause(randomMs(1_500))
    await world.worker.kill()
    await pause(randomMs(300))
    await world.worker.start()
  }

  const answers = await load.stop()
  const rows = await world.allSettled(answers)
  expect(answers.length).toBeGreaterThan(8)
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']))
})

/** Whole numbers below what is asked for, the same for the same seed (mulberry32). */
function numbersFrom(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
