// Workflows that run today finish under tomorrow's code: every history of pruning replays with it. A new one is
// recorded with `temporal workflow show --workflow-id <id> --output json`, its worker's identity replaced by "worker".
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { bundleWorkflows } from '../../worker/bundle'
import { testSystem } from '../setup/system'
import { silenceTemporal } from '../worker/a-worker'

const folder = join(__dirname, '../histories/prune-activity')
const histories = readdirSync(folder)

silenceTemporal()

test('every workflow has a recorded history', () => {
  expect(histories.toSorted()).toEqual(['completed.json', 'continued.json'])
})

test.each(histories)('%s replays with the code of today', async (name) => {
  const workflowBundle = { codePath: testSystem().workflowBundlePath }

  await expect(Worker.runReplayHistory({ workflowBundle }, read(name))).resolves.toBeUndefined()
})

test('a change that old runs would not survive is noticed', async () => {
  const workflowBundle = await bundleWorkflows(join(__dirname, 'changed/prune-activity.ts'))

  for (const name of histories) {
    await expect(Worker.runReplayHistory({ workflowBundle }, read(name))).rejects.toThrow(DeterminismViolationError)
  }
})

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}
