// A top-up runs once: it replays, and adds its money once however often it is run. RECORD_HISTORIES=1 records
// the histories again. Use it only for a change that affects new runs alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { listMembers } from '../../../db/partners/members'
import { systemClock } from '../../../runtime/clock'
import type { topUp } from '../../../workflows'
import { topUpId } from '../../../workflows/names'
import type { SandboxTopUp } from '../../../workflows/wallets/top-up'
import { aPartner } from '../../support/api/fixtures'
import { testSystem } from '../../support/jest/system'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { asRecorded } from '../../support/temporal/payout-paths'

let worker: AWorker
let order: SandboxTopUp
let history: string

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: systemClock })
  const partner = await aPartner({ db: worker.db, clock: systemClock })
  const [member] = await listMembers(worker.db, partner.id)
  order = { partnerId: partner.id, memberId: member?.id ?? '', usdc: '25.00', causeRef: 'click-1' }
  await run()
  history = await asRecorded(worker.client.workflow.getHandle(topUpId(order)))
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

test('a second run of the same click adds nothing', async () => {
  expect([await run(), await run()]).toEqual([{ balanceUsdc: '10025.00' }, { balanceUsdc: '10025.00' }])
})

function run() {
  return worker.client.workflow.execute<typeof topUp>('topUp', {
    workflowId: topUpId(order),
    taskQueue: worker.taskQueue,
    args: [order],
  })
}

function record(): void {
  const file = join(__dirname, '../../histories/top-up/added.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
}
