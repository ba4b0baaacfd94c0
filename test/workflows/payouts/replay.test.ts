// Running payouts must be able to finish after an update, so a fresh history of every path must replay.
// ../replay.test.ts replays the recorded histories. RECORD_HISTORIES=1 records a new path. It never overwrites a
// recording, because running payouts still have that history.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { testSystem } from '../../support/jest/system'
import { openWorld, type World } from '../../support/system/world'
import { silenceTemporal } from '../../support/temporal/a-worker'
import { historyOf, payoutPaths } from '../../support/temporal/payout-paths'

const folder = join(__dirname, '../../histories/payout')
const names = Object.keys(payoutPaths)
const fresh = new Map<string, string>()
const outcomes = new Map<string, Error | undefined>()
let world: World

silenceTemporal()

beforeAll(async () => {
  world = await openWorld({ env: { PAYOUT_REPEAT_MS: '2000' } })
  for (const [name, take] of Object.entries(payoutPaths)) fresh.set(name, await historyOf(world, await take(world)))
  if (process.env['RECORD_HISTORIES'] === '1') record()
  await replayAll()
})
afterAll(() => world.close())

test('every path has a recorded history', () => {
  const recorded = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))

  expect(recorded.toSorted()).toEqual(names.toSorted())
})

test.each(names)('a fresh history of %s replays', (name) => {
  expect([outcomes.has(name), outcomes.get(name)]).toEqual([true, undefined])
})

test.each(names)('the history of %s contains no personal data and no account', (name) => {
  for (const history of [recorded(name), fresh.get(name) ?? '']) {
    const text = history.replaceAll(/"data": ?"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString())

    expect(text).toContain('payoutId')
    for (const canary of [/Ada/, /Canary/, /Lovelace/, /High St/, /["' ]\d{8}["'. ]/]) expect(text).not.toMatch(canary)
  }
})

/** One worker replays all histories, because creating a worker takes longer than replaying a history. */
async function replayAll(): Promise<void> {
  const workflowBundle = { codePath: testSystem().workflowBundlePath }
  const each = [...fresh].map(([workflowId, history]) => ({ workflowId, history: JSON.parse(history) }))
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, each)) {
    outcomes.set(workflowId, error)
  }
}

function recorded(name: string): string {
  return readFileSync(join(folder, `${name}.json`), 'utf8')
}

function record(): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, history] of fresh) {
    const file = join(folder, `${name}.json`)
    if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
  }
}
