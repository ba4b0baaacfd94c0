// Payouts that run today finish under tomorrow's code: every path's recorded history replays, and so does a
// fresh one of each. RECORD_HISTORIES=1 records a new path; existing recordings stay, as running payouts do.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { bundleWorkflows } from '../../../worker/bundle'
import { testSystem } from '../../support/jest/system'
import { openWorld, type World } from '../../support/system/world'
import { silenceTemporal } from '../../support/temporal/a-worker'
import { historyOf, payoutPaths } from '../../support/temporal/payout-paths'

const folder = join(__dirname, '../../histories/payout')
const names = Object.keys(payoutPaths)
const workflowBundle = () => ({ codePath: testSystem().workflowBundlePath })
const fresh = new Map<string, string>()
let world: World

silenceTemporal()

beforeAll(async () => {
  world = await openWorld({ env: { PAYOUT_REPEAT_MS: '2000' } })
  for (const [name, take] of Object.entries(payoutPaths)) fresh.set(name, await historyOf(world, await take(world)))
  if (process.env['RECORD_HISTORIES'] === '1') record()
})
afterAll(() => world.close())

test('every path has a recorded history', () => {
  const recorded = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))

  expect(recorded.toSorted()).toEqual(names.toSorted())
})

test.each(names)('%s replays with today’s code, as recorded', async (name) => {
  await expect(replay(recorded(name))).resolves.toBeUndefined()
})

test.each(names)('%s replays as it runs today', async (name) => {
  await expect(replay(fresh.get(name) ?? '')).resolves.toBeUndefined()
})

test('a change that running payouts would not survive is noticed', async () => {
  const changed = await bundleWorkflows(join(__dirname, '../changed/payouts/payout.ts'))

  for (const name of names) {
    await expect(Worker.runReplayHistory({ workflowBundle: changed }, JSON.parse(recorded(name)))).rejects.toThrow(
      DeterminismViolationError,
    )
  }
})

// The referee searches for the account and name of each world; this one searches the recordings.
test.each(names)('the history of %s holds no personal data and no account', (name) => {
  for (const history of [recorded(name), fresh.get(name) ?? '']) {
    const text = history.replaceAll(/"data": ?"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString())

    expect(text).toContain('payoutId')
    for (const canary of [/Ada/, /Canary/, /Lovelace/, /High St/, /["' ]\d{8}["'. ]/]) expect(text).not.toMatch(canary)
  }
})

function replay(history: string): Promise<void> {
  return Worker.runReplayHistory({ workflowBundle: workflowBundle() }, JSON.parse(history))
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
