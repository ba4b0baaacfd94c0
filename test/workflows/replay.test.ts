// Running workflows must be able to finish after an update, so every recorded history must replay. To record a new
// one, run `temporal workflow show --workflow-id <id> --output json` and replace the worker's identity with "worker".
// The replay tests in the subfolders can also record the paths that they run.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Worker, type WorkflowBundleOption } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { bundleWorkflows } from '../../worker/bundle'
import { testSystem } from '../support/jest/system'
import { silenceTemporal } from '../support/temporal/a-worker'

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
  sweep: ['completed', 'continued', 'in-turns', 'in-turns-continued'],
  'wallet-reading': ['again', 'continued', 'not-read', 'read'],
  'wallet-readings': ['completed', 'continued'],
  'top-up': ['added'],
  verification: ['approved-at-once', 'asked-for-more', 'continued', 'rejected', 'tried-again'],
  'verify-audit': ['held'],
  verifications: ['continued', 'looked'],
  'invoice-run': [
    'completed',
    'continued',
    'failed-visibly',
    'in-batches',
    'in-batches-continued',
    'in-batches-one-failed',
    'in-batches-postponed',
    'one-failed',
  ],
  invoice: ['already', 'issued', 'nothing'],
  'invoice-mail': ['mailed', 'nobody', 'perhaps'],
  'payout-case': ['overdue', 'resolved', 'word-lost'],
  payout: [
    'cancel-refused',
    'cancelled',
    'cancelled-by-update',
    'cancelled-late',
    'charged',
    'completed',
    'insufficient-funds',
    'never-sent',
    'not-sent',
    'refunded',
    'unknown-then-found',
    'unknown-with-key',
  ],
}

silenceTemporal()

const workflows = Object.keys(recorded)
const histories = join(__dirname, '../histories')

/**
 * The result of each replay, by workflow and name. All replays share one worker, because creating a worker takes
 * longer than a replay.
 */
async function replayAll(workflowBundle: WorkflowBundleOption): Promise<Map<string, Error | undefined>> {
  const outcomes = new Map<string, Error | undefined>()
  const all = Object.entries(recorded).flatMap(([workflow, names]) => names.map((name) => `${workflow}/${name}`))
  const read = (path: string) => JSON.parse(readFileSync(join(histories, `${path}.json`), 'utf8'))
  const each = all.map((path) => ({ workflowId: path, history: read(path) }))
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, each)) {
    outcomes.set(workflowId, error)
  }
  return outcomes
}

let today: Map<string, Error | undefined>
let changed: Map<string, Error | undefined>

beforeAll(async () => {
  today = await replayAll({ codePath: testSystem().workflowBundlePath })
  changed = await replayAll(await bundleWorkflows(join(__dirname, 'changed/index.ts')))
})

test('every workflow has recorded histories', () => {
  expect(workflows.toSorted()).toEqual(readdirSync(histories).toSorted())
})

describe.each(Object.entries(recorded))('%s', (workflow, names) => {
  test('every path has a recorded history', () => {
    const files = readdirSync(join(histories, workflow))
    expect(files.toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted())
  })

  test.each(names)('the recording %s replays with the current code', (name) => {
    const path = `${workflow}/${name}`

    expect([today.has(path), today.get(path)]).toEqual([true, undefined])
  })

  test.each(names)('the recording %s detects a change that would break old runs', (name) => {
    expect(changed.get(`${workflow}/${name}`)).toBeInstanceOf(DeterminismViolationError)
  })
})
