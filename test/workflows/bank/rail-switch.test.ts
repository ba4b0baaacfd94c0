// Payouts on a paused rail are acknowledged immediately, survive restarts, and are sent once the rail is resumed.
// RECORD_HISTORIES=1 records the histories again. Use it only after a change that does not affect running workflows.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { pauseRail, railStates } from '../../../db/bank/rail-pauses'
import { latestActivity } from '../../../db/controls/activity'
import { systemClock } from '../../../runtime/clock'
import type { railSwitch } from '../../../workflows'
import type { RailSwitch } from '../../../workflows/bank/rail-switch'
import { aPayoutWorld, type Payer, type PayoutWorld } from '../../support/api/payout-world'
import type { Json } from '../../support/bank/client'
import { testSystem } from '../../support/jest/system'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { asRecorded } from '../../support/temporal/payout-paths'
import { runWith } from '../../support/terminal'
import { until } from '../../support/until'

let world: PayoutWorld
let worker: AWorker
let payer: Payer
let orders = 0
const fresh = new Map<string, string>()

silenceTemporal()

beforeAll(async () => {
  // The workflows do not poll during a test, so each continues only when it is woken.
  world = await aPayoutWorld({ payouts: { pollMs: [600_000] } })
  worker = await aWorker({ clock: systemClock, databaseUrl: world.api.databaseUrl })
  payer = await world.aPayer()
})

afterAll(async () => {
  if (process.env['RECORD_HISTORIES'] === '1') record()
  await worker.stop()
  await worker.dispose()
  await world.close()
})

const transfers = async (answers: readonly Json[]) =>
  (await Promise.all(answers.map(({ body }) => world.transfersOf(body.id)))).map(({ length }) => length)

test('payouts on a rail that a workflow paused get 201 pending, survive a restart, and are each sent once after the resume', async () => {
  const pausing = await begin({ environment: 'sandbox', action: 'pause', by: 'grace', reason: 'a story' })
  expect(await pausing.result()).toEqual({ changed: true, woken: 0, failed: 0 })

  const asked = systemClock.now().getTime()
  const answers = [await world.pay(payer, {}, { key: 'paused-1' }), await world.pay(payer, {}, { key: 'paused-2' })]
  const tookMs = systemClock.now().getTime() - asked
  const again = await world.pay(payer, {}, { key: 'paused-3' })
  const live = await world.pay(payer, {}, { environment: 'live' })
  await world.stopWorkers()
  await world.startWorkers()

  expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
    [201, 'pending'],
    [201, 'pending'],
  ])
  expect(answers[0]?.body.quote).toMatchObject({ wallet_sends_usdc: '153.30' })
  expect(tookMs).toBeLessThan(60_000)
  expect([live.status, live.body.status]).toEqual([201, 'processing'])
  expect(await transfers([...answers, again])).toEqual([0, 0, 0])
  const [state] = await railStates(world.api.db)
  expect(state).toMatchObject({ environment: 'sandbox', pausedBy: 'ops:grace', reason: 'a story', unsent: 3 })

  const resuming = await begin({ environment: 'sandbox', action: 'resume', by: 'grace' })
  expect(await resuming.result()).toEqual({ changed: true, woken: 3, failed: 0 })

  await sent([...answers, again])
  const activity = (await latestActivity(world.api.db, payer.id, 20)).filter(({ action }) => action.startsWith('rail.'))
  expect(activity.map(({ action, madeBy }) => [action, madeBy])).toEqual([
    ['rail.resume', 'ops:grace'],
    ['rail.pause', 'ops:grace'],
  ])
  fresh.set('paused', await asRecorded(pausing))
  fresh.set('resumed', await asRecorded(resuming))
})

test('a rail can also be paused and resumed from the command line, and the resume sends the waiting payout', async () => {
  const env = {
    DATABASE_URL: world.api.databaseUrl,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    TASK_QUEUE_PREFIX: worker.queuePrefix,
  }
  const ops = (verb: string) => runWith(env, ['rail', verb, '--environment', 'sandbox'])
  expect((await ops('pause')).code).toBe(0)
  const answer = await world.pay(payer)
  expect([answer.status, answer.body.status]).toEqual([201, 'pending'])

  const { out } = await ops('resume')

  expect(out).toBe('The sandbox rail is open; 1 payout is sent now.\n')
  await sent([answer])
})

test('resuming a rail starts a workflow for a payout whose workflow was lost during the pause', async () => {
  await pauseRail(world.api.db, { environment: 'sandbox', by: 'ops:grace', reason: null, at: systemClock.now() })
  const answer = await world.pay(payer, {}, { key: 'paused-lost' })
  const handle = world.temporal.workflow.getHandle(`payout/sandbox/${payer.id}/paused-lost`)
  await handle.terminate('a test')

  const resuming = await begin({ environment: 'sandbox', action: 'resume', by: 'grace' })

  expect(await resuming.result()).toEqual({ changed: true, woken: 1, failed: 0 })
  // The resume started the workflow on a queue that no payout worker polls, so the workflow is still running.
  expect((await handle.describe()).status.name).toBe('RUNNING')
  await handle.terminate('a test')
  await world.api.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [answer.body.id])
})

test('neither a late resume nor a wake-up ends a later pause', async () => {
  const soon = new Date(systemClock.now().getTime() + 60_000)
  await pauseRail(world.api.db, { environment: 'live', by: 'ops:ada', reason: null, at: soon })

  const resumed = await (await begin({ environment: 'live', action: 'resume', by: 'grace' })).result()
  const woken = await (await begin({ environment: 'live', action: 'wake', by: 'grace' })).result()

  expect([resumed.changed, woken.changed]).toEqual([false, false])
  expect((await railStates(world.api.db))[1]?.pausedBy).toBe('ops:ada')
})

test.each([
  { environment: 'mars', action: 'pause', by: 'grace' },
  { environment: 'live', action: 'stop', by: 'grace' },
  { environment: 'live', action: 'pause', by: ' ' },
  { environment: 'live', action: 'pause' },
  { environment: 'live', action: 'pause', by: 'grace', reason: 7 },
  { environment: 'moon', action: 'wake', by: 'grace' },
  { action: 'wake' },
  undefined,
  null,
  'pause',
])('an invalid input is refused immediately, with the expected fields: %j', async (input: Json) => {
  const handle = await begin(input)

  const failure = await handle.result().catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(WorkflowFailedError)
  const wanted = String.raw`The input must be {\"environment\": \"sandbox\" or \"live\", \"action\": \"pause\", \"resume\" or \"wake\"`
  expect(JSON.stringify(failure instanceof WorkflowFailedError && failure.cause)).toContain(wanted)
})

test.each(['paused', 'resumed'])('a fresh history of a %s rail replays', async (name) => {
  const workflowBundle = { codePath: testSystem().workflowBundlePath }

  await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(fresh.get(name) ?? ''))).resolves.toBeUndefined()
})

async function begin(order: RailSwitch): Promise<WorkflowHandle<typeof railSwitch>> {
  orders += 1
  return worker.client.workflow.start<typeof railSwitch>('railSwitch', {
    workflowId: `${worker.queuePrefix}-rail-switch-${orders}`,
    taskQueue: worker.taskQueue,
    args: [order],
  })
}

async function sent(answers: readonly Json[]): Promise<void> {
  await until('each is sent', async () => (await transfers(answers)).every((count) => count === 1))
  for (const { body } of answers) {
    await until('the payout is reported as processing', async () => {
      const { body: now } = await world.api.get(`/v1/payouts/${body.id}`, { key: payer.keys.sandbox })
      return now['status'] === 'processing'
    })
  }
}

function record(): void {
  const folder = join(__dirname, '../../histories/rail-switch')
  mkdirSync(folder, { recursive: true })
  for (const [name, history] of fresh) {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
  }
}
