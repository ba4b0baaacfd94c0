// Histories of workflows that run with the current code, for the test files that replay them.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { testSystem } from '../jest/system'
import { until } from '../until'
import { asRecorded } from './payout-paths'

/** Functions that run a workflow, by the name of its recording in test/histories. */
export type Paths = Readonly<Record<string, () => Promise<WorkflowHandle>>>

interface ReplayOptions {
  /** If omitted, a failed workflow is also accepted. */
  readonly endsAs?: 'COMPLETED'
  /** Whether RECORD_HISTORIES=1 overwrites existing recordings, which come from earlier code. */
  readonly existing?: 'kept' | 'replaced'
}

/** Runs each path after the hooks that were registered before this call, and tests that its history replays. */
export function replayed(paths: Paths, { endsAs, existing = 'replaced' }: ReplayOptions = {}) {
  const fresh = new Map<string, string>()
  beforeAll(async () => {
    for (const [name, take] of Object.entries(paths)) {
      const handle = await take()
      await until(`${name} has ended`, async () => {
        const { status } = await handle.describe()
        return endsAs === undefined ? status.name !== 'RUNNING' : status.name === endsAs
      })
      fresh.set(name, await asRecorded(handle))
    }
    recordIfAsked(fresh, existing)
  })
  test.each(Object.keys(paths))('a fresh history of %s replays', async (name) => {
    await expect(replay(fresh.get(name))).resolves.toBeUndefined()
  })
  return fresh
}

function replay(history: string | undefined): Promise<void> {
  const workflowBundle = { codePath: testSystem().workflowBundlePath }
  return Worker.runReplayHistory({ workflowBundle }, JSON.parse(history ?? ''))
}

/** Returns the history with its payloads as plain text, to search for personal data. */
export function payloadsOf(history: string | undefined): string {
  return (history ?? '').replaceAll(/"data": ?"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString())
}

function recordIfAsked(
  histories: Iterable<readonly [name: string, history: string]>,
  existing: 'kept' | 'replaced' = 'replaced',
): void {
  if (process.env['RECORD_HISTORIES'] !== '1') return
  for (const [name, history] of histories) {
    const file = join(__dirname, '../../histories', `${name}.json`)
    if (existing === 'kept' && existsSync(file)) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
  }
}
