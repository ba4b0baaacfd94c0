// The sweep: open payouts that no workflow looks after get one, everything else is left alone.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import { openPartner } from '../../activities/open-partner'
import { systemClock } from '../../clock'
import type { StoredPayout } from '../../db/entities/payout'
import { findWallet, type WalletRow } from '../../db/wallets'
import { requireSearchAttributes, wantedAttributes } from '../../worker/search-attributes'
import type { payout, sweep } from '../../workflows'
import { connectSandboxId, payoutQueue, payoutWorkflowId } from '../../workflows/names'
import { payoutStart } from '../../workflows/payout-start'
import { aWallet } from '../db/a-partner'
import { aPayout } from '../db/a-payout'
import { keys, openTestBank, type TestBank } from '../sandbox-bank/bank-client'
import { type AWorker, aWorker, silenceTemporal } from './a-worker'

let bank: TestBank
let worker: AWorker
let sweeps = 0
const started: string[] = []

silenceTemporal()

beforeAll(async () => {
  bank = await openTestBank({ fsync: 'off' })
  const sandbox = { url: `${bank.url}/v0`, key: keys.sandbox }
  worker = await aWorker({ clock: systemClock, bank: { sandbox, live: null } })
  await requireSearchAttributes(worker.client, wantedAttributes)
})

afterEach(async () => {
  for (const id of started.splice(0)) {
    const handle = worker.client.workflow.getHandle(id)
    if ((await handle.describe()).status.name === 'RUNNING') await handle.terminate()
  }
  await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE closed_at IS NULL')
})

afterAll(async () => {
  await worker.stop()
  await worker.dispose()
  await bank.close()
})

test('an open payout without a workflow gets one, as the API would have started it', async () => {
  const row = await anOpenPayout()

  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })

  const described = await worker.client.workflow.getHandle(idOf(row)).describe()
  expect(described).toMatchObject({ type: 'payout', taskQueue: payoutQueue('sandbox', worker.queuePrefix) })
  expect(await described.staticSummary()).toMatch(/^120\.00 GBP to ••••5678 · acme-\w+ · sandbox$/)
  const byName = Object.fromEntries(described.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))
  expect(byName).toMatchObject({
    PayoutId: row.id,
    PayoutPartner: row.partnerId,
    PayoutEnvironment: 'sandbox',
    PayoutStatus: 'pending',
    PayoutAmountPence: 12_000,
  })
})

test('one that has its workflow is left alone, and one whose workflow was terminated is resumed', async () => {
  const row = await anOpenPayout()
  await aSweep()
  const handle = worker.client.workflow.getHandle(idOf(row))
  const first = (await handle.describe()).runId

  expect(await aSweep()).toMatchObject({ looked: 1, started: 0 })
  expect((await handle.describe()).runId).toBe(first)

  await handle.terminate()
  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })
  expect((await handle.describe()).runId).not.toBe(first)
})

test('released and closed payouts are never touched, and a later attempt has a workflow of its own', async () => {
  const released = await anOpenPayout({ releasedAt: systemClock.now(), verdict: 'payout_not_created' })
  const closed = await anOpenPayout({ status: 'completed', completedAt: systemClock.now() })
  await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [closed.id])
  const again = await anOpenPayout({ attempt: 3 })

  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })

  for (const row of [released, closed]) await expect(describe(idOf(row))).rejects.toThrow(WorkflowNotFoundError)
  expect(idOf(again)).toMatch(/\/3$/)
  await describe(idOf(again))
})

test('more than a page is looked at page by page, each payout once', async () => {
  const wallet = await aWallet(worker.db)
  for (let n = 0; n < 7; n++) await anOpenPayout({}, wallet)

  expect(await aSweep({ pageSize: 3, pages: 10 })).toMatchObject({ looked: 7, started: 7 })
  expect(await aSweep({ pageSize: 3, pages: 2 })).toMatchObject({ looked: 6, started: 0 })
})

test('a workflow whose payout is over is woken, so that it ends', async () => {
  const row = await anOpenPayout()
  await aSweep()
  await worker.db.dataSource.query(`UPDATE payouts SET closed_at = now() - interval '1 second' WHERE id = $1`, [row.id])
  const handle = worker.client.workflow.getHandle(idOf(row))

  for (let woken = 0; woken === 0; woken = (await aSweep()).woken) await wait(50)

  const { events } = await handle.fetchHistory()
  const signals = events?.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName).filter(Boolean)
  expect(signals).toContain('bankSpoke')
})

test('a sandbox that is still simulated is connected, and once it is, no more', async () => {
  const opened = await openPartner(
    { db: worker.db, clock: systemClock },
    { name: 'Acme Ltd', slug: 'swept', email: 'ada@acme.test', createdBy: 'ops:grace' },
  )
  if (opened.outcome !== 'opened') throw new Error(opened.outcome)
  const { id } = opened.partner

  expect((await aSweep()).connecting).toBeGreaterThan(0)
  await worker.client.workflow.getHandle(connectSandboxId(id)).result()

  expect(await findWallet(worker.db, id, 'sandbox')).toMatchObject({
    rail: 'provider_sandbox',
    balanceMicroUsdc: 10_000_000_000n,
  })
})

test('what a sweep starts and what the API starts are one and the same: the second finds the first', async () => {
  const row = await anOpenPayout()
  const { id: payoutId, slug } = { ...row, slug: 'acme' }
  const options = payoutStart({ ...row, payoutId, slug }, { queuePrefix: worker.queuePrefix, pollMs: [1_000] })
  const policies = { workflowIdConflictPolicy: 'USE_EXISTING', workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const
  const first = await worker.client.workflow.start<typeof payout>('payout', { ...options, ...policies })

  expect(await aSweep()).toMatchObject({ looked: 1, started: 0 })

  expect((await describe(idOf(row))).runId).toBe(first.firstExecutionRunId)
})

/** Nobody works on its queue, so it stays as it was started. */
async function anOpenPayout(fields: Partial<StoredPayout> = {}, from?: WalletRow): Promise<StoredPayout> {
  const row = await aPayout(worker.db, { createdAt: systemClock.now(), ...fields }, from ?? (await aWallet(worker.db)))
  if (fields.releasedAt === undefined && fields.completedAt === undefined) started.push(idOf(row))
  await wait(2)
  return row
}

function aSweep(options = { pageSize: 100, pages: 10 }) {
  sweeps += 1
  return worker.client.workflow.execute<typeof sweep>('sweep', {
    workflowId: `${worker.queuePrefix}-sweep-${sweeps}`,
    taskQueue: worker.taskQueue,
    args: [options],
  })
}

function idOf({ environment, partnerId, idempotencyKey, attempt }: StoredPayout): string {
  return payoutWorkflowId({ environment, partnerId, idempotencyKey, attempt })
}

function describe(workflowId: string) {
  return worker.client.workflow.getHandle(workflowId).describe()
}
