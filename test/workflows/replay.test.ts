// Workflows that run today finish under tomorrow's code: every recorded history replays with it. A new one is recorded with
// `temporal workflow show --workflow-id <id> --output json`, its worker's identity replaced by "worker", or by a test that takes
// the paths (payout-replay.test.ts, housekeeping-replay.test.ts).
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { bundleWorkflows } from '../../worker/bundle'
import { testSystem } from '../setup/system'
import { silenceTemporal } from '../worker/a-worker'

const recorded: Readonly<Record<string, readonly string[]>> = {
  'connect-sandbox': ['connected', 'waited'],
  'changed-transfers': ['looked'],
  'payout-return': ['nothing', 'refunded-at-once', 'returned-then-refunded'],
  notices: ['sent'],
  proof: ['continued', 'found'],
  'prune-activity': ['completed', 'continued'],
  retention: ['erased', 'failed'],
  'seal-audit': ['sealed'],
  'sign-up': ['opened'],
  'rail-switch': ['paused', 'resumed'],
  sweep: ['completed', 'continued'],
  'wallet-reading': ['again', 'continued', 'not-read', 'read'],
  'wallet-readings': ['completed', 'continued'],
  'top-up': ['added'],
  verification: ['approved-at-once', 'asked-for-more', 'continued', 'rejected', 'tried-again'],
  'verify-audit': ['held'],
  verifications: ['continued', 'looked'],
  'invoice-run': ['completed', 'continued', 'one-failed'],
  invoice: ['already', 'issued', 'nothing'],
  'invoice-mail': ['mailed', 'nobody', 'perhaps'],
  'payout-case': ['overdue', 'resolved', 'word-lost'],
  payout: [
    'cancelled',
    'cancelled-by-update',
    'completed',
    'insufficient-funds',
    'never-sent',
    'not-sent',
    'refunded',
    'unknown-then-found',
  ],
}

silenceTemporal()

describe.each(Object.entries(recorded))('%s', (workflow, names) => {
  const folder = join(__dirname, '../histories', workflow)
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))

  test('every path has a recorded history', () => {
    expect(readdirSync(folder).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted())
  })

  test.each(names)('%s replays with the code of today', async (name) => {
    const workflowBundle = { codePath: testSystem().workflowBundlePath }

    await expect(Worker.runReplayHistory({ workflowBundle }, read(name))).resolves.toBeUndefined()
  })

  test('a change that old runs would not survive is noticed', async () => {
    const workflowBundle = await bundleWorkflows(join(__dirname, `changed/${workflow}.ts`))

    for (const name of names) {
      await expect(Worker.runReplayHistory({ workflowBundle }, read(name))).rejects.toThrow(DeterminismViolationError)
    }
  })
})
