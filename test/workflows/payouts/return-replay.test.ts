// Each path of a return and of the daily scan of the bank runs once: it replays, and its history holds no
// personal data. RECORD_HISTORIES=1 records a new path; existing recordings stay.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { systemClock } from '../../../runtime/clock'
import type { changedTransfers } from '../../../workflows'
import { payoutReturnId } from '../../../workflows/names'
import { aPayoutWorld, type Payer, type PayoutWorld } from '../../support/api/payout-world'
import { keys, until } from '../../support/bank/client'
import { testSystem } from '../../support/jest/system'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { asRecorded } from '../../support/temporal/payout-paths'

const fresh = new Map<string, string>()
let world: PayoutWorld
let worker: AWorker
let payer: Payer

/** How each path is taken, by the name of its recording. */
const paths: Readonly<Record<string, () => Promise<WorkflowHandle>>> = {
  async 'payout-return/returned-then-refunded'() {
    const { id, move } = await aCompleted()
    await move('returned')
    await sendEvent(id)
    await until('it is returned', async () => (await statusOf(id)) === 'returned')
    await move('refunded')
    await sendEvent(id)
    return returnOf(id)
  },
  async 'payout-return/refunded-at-once'() {
    const { id, move } = await aCompleted()
    await move('returned')
    await move('refunded')
    await sendEvent(id)
    return returnOf(id)
  },
  async 'payout-return/nothing'() {
    const { id } = await aCompleted()
    await sendEvent(id)
    return returnOf(id)
  },
  'changed-transfers/looked': () =>
    worker.client.workflow.start<typeof changedTransfers>('changedTransfers', {
      workflowId: `changed-transfers-${worker.queuePrefix}`,
      taskQueue: worker.taskQueue,
      args: [],
    }),
}
const names = Object.keys(paths)

silenceTemporal()

beforeAll(async () => {
  world = await aPayoutWorld({ payouts: { pollMs: [200] } })
  const address = (key: string) => ({ url: `${world.bank.url}/v0`, key })
  const bank = { sandbox: address(keys.sandbox), live: address(keys.live) }
  worker = await aWorker({ clock: systemClock, databaseUrl: world.api.databaseUrl, bank })
  payer = await world.aPayer()
  for (const [name, take] of Object.entries(paths)) {
    const handle = await take()
    await until(`${name} has ended`, async () => (await handle.describe()).status.name === 'COMPLETED')
    fresh.set(name, await asRecorded(handle))
  }
  if (process.env['RECORD_HISTORIES'] === '1') record()
})

afterAll(async () => {
  await worker.stop()
  await worker.dispose()
  await world.close()
})

test.each(names)('%s replays as it runs today', async (name) => {
  const workflowBundle = { codePath: testSystem().workflowBundlePath }

  await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(fresh.get(name) ?? ''))).resolves.toBeUndefined()
})

test.each(names)('the history of %s holds no personal data and no account', (name) => {
  const text = (fresh.get(name) ?? '').replaceAll(/"data": ?"([^"]+)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  )

  for (const canary of [/Ada/, /Lovelace/, /St James/, /["' ]\d{8}["'. ]/]) expect(text).not.toMatch(canary)
})

test('a return with nothing to do costs a single workflow task', () => {
  const { events } = JSON.parse(fresh.get('payout-return/nothing') ?? '')
  const tasks = events.filter(({ eventType }: { eventType: string }) => /WORKFLOW_TASK_SCHEDULED/.test(eventType))

  expect(tasks).toHaveLength(1)
})

async function aCompleted() {
  const id = String((await world.pay(payer, {}, { environment: 'live' })).body['id'])
  const [transfer] = await world.transfersOf(id)
  const move = (state: string) => world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state, last: true })
  await move('payment_processed')
  await until('it is completed', async () => (await statusOf(id)) === 'completed')
  return { id, move }
}

function sendEvent(payoutId: string): Promise<unknown> {
  return world.api.deps.workflows.signalReturn({ payoutId, environment: 'live' })
}

async function statusOf(id: string): Promise<unknown> {
  return (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.live })).body['status']
}

function returnOf(payoutId: string): WorkflowHandle {
  return world.temporal.workflow.getHandle(payoutReturnId(payoutId))
}

function record(): void {
  for (const [name, history] of fresh) {
    const file = join(__dirname, `../../histories/${name}.json`)
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
  }
}
