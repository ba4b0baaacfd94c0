// A sign-up runs once: it replays, and its history holds no personal data. RECORD_HISTORIES=1 records the
// histories again. Use it only for a change that affects new runs alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { openKeyring } from '../../../db/keyring'
import { issueCode } from '../../../db/sign-in/codes'
import { systemClock } from '../../../runtime/clock'
import type { signUp } from '../../../workflows'
import { signUpId } from '../../../workflows/names'
import { testSystem } from '../../support/jest/system'
import { type AWorker, aWorker, silenceTemporal, testConfig } from '../../support/temporal/a-worker'
import { asRecorded } from '../../support/temporal/payout-paths'

let worker: AWorker
let codeId: string
let history: string

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: systemClock })
  codeId = await aSignUp()
  await open()
  history = await asRecorded(worker.client.workflow.getHandle(signUpId(codeId)))
  if (process.env['RECORD_HISTORIES'] === '1') record()
})

afterAll(async () => {
  await worker.stop()
  await worker.dispose()
})

test('it replays as it runs today', async () => {
  const workflowBundle = { codePath: testSystem().workflowBundlePath }

  await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(history))).resolves.toBeUndefined()
})

test('a second run of the same sign-up returns the same partner and opens none', async () => {
  const [first, second] = [await open(), await open()]

  const [{ count }] = await worker.db.dataSource.query('SELECT count(*)::int AS count FROM partners')
  expect([second, count]).toEqual([first, 1])
})

test('its history holds no personal data', () => {
  const text = history.replaceAll(/"data": ?"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString())

  expect(text).toContain(codeId)
  expect(text).not.toMatch(/Acme|ada@/)
})

async function aSignUp(): Promise<string> {
  const keyring = openKeyring(testConfig().secretKeys)
  const details = { businessName: 'Acme Ltd' }
  const wanted = {
    purpose: 'sign_up',
    subject: 'ada@acme.test',
    said: details,
    perHour: 5,
    boundTo: Buffer.alloc(32),
    at: systemClock.now(),
  } as const
  const issued = await worker.db.transaction((tx) => issueCode(tx, keyring, wanted))
  if (issued.outcome !== 'issued') throw new Error(issued.outcome)
  return issued.id
}

function open(): Promise<string> {
  return worker.client.workflow.execute<typeof signUp>('signUp', {
    workflowId: signUpId(codeId),
    taskQueue: worker.taskQueue,
    args: [{ codeId }],
  })
}

function record(): void {
  const file = join(__dirname, '../../histories/sign-up/opened.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
}
