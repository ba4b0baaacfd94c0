// The sweep starts workflows for open payouts without one, reports payouts that take too long, and ignores
// all others.
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { Client, WorkflowNotFoundError } from '@temporalio/client'
import { openPartner } from '../../../db/partners/open'
import { beginVerification } from '../../../db/partners/verification'
import type { StoredPayout } from '../../../db/payouts/payout'
import { setAttention } from '../../../db/payouts/steps'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { startWorkflow } from '../../../runtime/temporal/workflows'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { connectSandboxId, payoutQueue, payoutSearchAttributes, payoutWorkflowId } from '../../../workflows/names'
import { starts } from '../../../workflows/starts'
import { aPartner, changePartner } from '../../support/api/fixtures'
import { accessTo, type Json, useSandboxBank } from '../../support/bank/client'
import { aWallet } from '../../support/db/a-partner'
import { aPayout } from '../../support/db/a-payout'
import { keptLog } from '../../support/kept-logs'
import { useSweeps } from '../../support/stages/sweeps'
import { testActivities, useWorker } from '../../support/temporal/a-worker'

const bank = useSandboxBank({ fsync: 'off' })
const worker = useWorker(() => ({ clock: systemClock, bank: { ...accessTo(bank), live: null }, log }))
const { aSweep, lastSweep } = useSweeps(worker)
const started: string[] = []
const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })

beforeAll(async () => {
  await requireSearchAttributes(worker.client, wantedAttributes)
})

afterEach(async () => {
  lines.length = 0
  for (const id of started.splice(0)) {
    const handle = worker.client.workflow.getHandle(id)
    if ((await handle.describe()).status.name === 'RUNNING') await handle.terminate()
  }
  await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE closed_at IS NULL')
})

test('the sweep starts a missing workflow for an open payout, as the API would have done', async () => {
  const row = await anOpenPayout()

  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })

  const [{ slug }] = await worker.db.dataSource.query('SELECT slug FROM partners WHERE id = $1', [row.partnerId])
  const described = await worker.client.workflow.getHandle(idOf(row)).describe()
  expect(described).toMatchObject({ type: 'payout', taskQueue: payoutQueue('sandbox', worker.queuePrefix) })
  expect(await described.staticSummary()).toBe(`120.00 GBP to ••••5678 · ${slug} · sandbox`)
  const byName = Object.fromEntries(described.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))
  expect(byName).toMatchObject({
    PayoutId: row.id,
    PayoutPartner: slug,
    PayoutEnvironment: 'sandbox',
    PayoutStatus: 'pending',
    PayoutAmountPence: 12_000,
  })
})

test('the sweep ignores a payout with a running workflow, and resumes one whose workflow was terminated', async () => {
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

/** The causes are numeric codes of Temporal's protocol. */
const bug = { cause: 14, failure: { message: 'undefined is not a function' } }
const disagreement = { cause: 24 }

test.each([
  ['a nondeterminism error', disagreement],
  ['an unhandled fatal error', { cause: 14, failure: { message: 'Fatal error in workflow machines: out of order' } }],
])('a workflow is restarted after two replay failures with %s, but not after one', async (_name, failure) => {
  const row = await anOpenPayout()
  await aSweep()
  const first = (await describe(idOf(row))).runId

  await failTask(failure)
  expect(await aSweep()).toMatchObject({ looked: 1, started: 0 })
  await failTask(failure)
  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })

  expect((await describe(idOf(row))).runId).not.toBe(first)
})

test('a workflow is not restarted after failures that its code causes', async () => {
  const row = await anOpenPayout()
  await aSweep()
  const first = (await describe(idOf(row))).runId

  for (const failure of [bug, bug]) await failTask(failure)

  expect(await aSweep()).toMatchObject({ looked: 1, started: 0 })
  expect((await describe(idOf(row))).runId).toBe(first)
})

test('the sweep ignores released and closed payouts, and a later attempt has its own workflow', async () => {
  const released = await anOpenPayout({ releasedAt: systemClock.now(), verdict: 'payout_not_created' })
  const closed = await anOpenPayout({ status: 'completed', completedAt: systemClock.now() })
  await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [closed.id])
  const again = await anOpenPayout({ attempt: 3 })

  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })

  for (const row of [released, closed]) await expect(describe(idOf(row))).rejects.toThrow(WorkflowNotFoundError)
  expect(idOf(again)).toMatch(/\/3$/)
  await describe(idOf(again))
})

test('each payout is swept once, page by page, and the workflow continues as new before its history gets long', async () => {
  const wallet = await aWallet(worker.db)
  for (let n = 0; n < 7; n++) await anOpenPayout({}, wallet)

  expect(await aSweep({ pageSize: 3, pages: 20 })).toMatchObject({ looked: 7, started: 7 })
  expect(await aSweep({ pageSize: 1, pages: 6 })).toMatchObject({ looked: 7, started: 0, failed: 0 })
  expect(await lastSweep()).toMatchObject({ continued: true })
})

test('a payout that cannot be started is counted and logged, and does not block the rest of its page', async () => {
  const wallet = await aWallet(worker.db)
  const rows = [await anOpenPayout({}, wallet), await anOpenPayout({}, wallet), await anOpenPayout({}, wallet)]
  const [, bad] = rows
  const { activities, close } = testActivities({ ...worker, client: refusing(idOf(bad)), clock: systemClock, log })

  const swept = await activities.sweepPayouts({ after: null, limit: 10 })
  close()

  expect(swept).toEqual({ looked: 3, started: 2, failed: 1, next: null })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ payout_id: bad?.id }])
  expect(await aSweep()).toMatchObject({ looked: 3, started: 1, failed: 0 })
})

test('a failing stage does not stop the next one', async () => {
  await anOpenPayout({ createdAt: hoursAgo(3) })
  await worker.db.dataSource.query('ALTER TABLE wallets RENAME COLUMN rail TO hidden_rail')

  const swept = await aSweep()

  await worker.db.dataSource.query('ALTER TABLE wallets RENAME COLUMN hidden_rail TO rail')
  expect(swept).toMatchObject({ looked: 1, overdue: 1, failed: 1 })
})

test('the sweep wakes the workflows of final payouts so that they end, however many there are', async () => {
  const wallet = await aWallet(worker.db)
  const rows = [await anOpenPayout({}, wallet), await anOpenPayout({}, wallet), await anOpenPayout({}, wallet)]
  await aSweep()
  await startByHand('not-a-payout-at-all')
  await worker.db.dataSource.query(`UPDATE payouts SET closed_at = now() - interval '1 second' WHERE closed_at IS NULL`)

  for (const row of rows) {
    while (!(await signalsOf(row)).includes('bankSpoke')) {
      expect(await aSweep({ pageSize: 1, pages: 3 })).toMatchObject({ failed: 0 })
    }
  }
})

test('the workflow of a final payout is terminated when its history cannot be replayed', async () => {
  const row = await anOpenPayout()
  await aSweep()
  for (const failure of [disagreement, disagreement]) await failTask(failure)
  await worker.db.dataSource.query(`UPDATE payouts SET closed_at = now() - interval '1 second' WHERE id = $1`, [row.id])

  // The server's list of workflows lags, so one sweep may not find this workflow yet.
  while ((await describe(idOf(row))).status.name === 'RUNNING') expect(await aSweep()).toMatchObject({ failed: 0 })

  expect((await describe(idOf(row))).status.name).toBe('TERMINATED')
})

test('a verification that the bank has not opened within 15 minutes is reported once for each attempt', async () => {
  const aBeginner = async (minutesAgo: number) => {
    const { id } = await aPartner({ db: worker.db, clock: systemClock }, { verificationStatus: 'not_started' })
    const at = new Date(systemClock.now().getTime() - minutesAgo * 60_000)
    await worker.db.transaction((tx) => beginVerification(tx, id, at))
    return id
  }
  const [late, refused] = [await aBeginner(16), await aBeginner(16), await aBeginner(14)]
  await changePartner(
    { db: worker.db, clock: systemClock },
    { id: refused },
    { verificationStatus: 'rejected', verificationAwaitedSince: null },
  )

  await aSweep()
  await aSweep()

  const reported = lines.map((line) => JSON.parse(line)).filter(({ partner_id }) => partner_id !== undefined)
  expect(reported.map(({ partner_id }) => partner_id)).toEqual([late])
})

test('a payout that has been at the bank or unknown for too long is reported once', async () => {
  const sent = { status: 'processing', transferRef: 'tr-1', transferState: 'in_review' } as const
  const late = await anOpenPayout({ ...sent, createdAt: hoursAgo(3) })
  const early = await anOpenPayout({ ...sent, transferRef: 'tr-2', createdAt: hoursAgo(1) })
  const unknown = await anOpenPayout({ createdAt: hoursAgo(1), submitStartedAt: hoursAgo(1), verdict: 'unknown' })
  const young = await anOpenPayout({ createdAt: hoursAgo(0.1), submitStartedAt: hoursAgo(0.1), verdict: 'unknown' })
  const marked = await anOpenPayout({ createdAt: hoursAgo(3) })
  await setAttention(worker.db, marked.id, 'debit_missing')

  expect(await aSweep({ pageSize: 1, pages: 4 })).toMatchObject({ overdue: 2 })
  expect(await aSweep()).toMatchObject({ overdue: 0 })

  expect(await attentions([late, early, unknown, young, marked])).toEqual([
    'settlement_overdue',
    null,
    'outcome_overdue',
    null,
    'debit_missing',
  ])
  const reported = lines.map((line) => JSON.parse(line)).map(({ payout_id, attention }) => [payout_id, attention])
  expect(reported).toEqual([
    [late.id, 'settlement_overdue'],
    [unknown.id, 'outcome_overdue'],
  ])
})

test('a payout that an operator has handled is not reported again for the same period', async () => {
  const row = await anOpenPayout({ createdAt: hoursAgo(3) })
  await aSweep()
  await attended(row, hoursAgo(0))
  expect(await aSweep()).toMatchObject({ overdue: 0 })

  const other = await anOpenPayout({ createdAt: hoursAgo(3) })
  await attended(other, hoursAgo(1))

  expect(await aSweep()).toMatchObject({ overdue: 1 })
  expect(await attentions([row, other])).toEqual([null, 'outcome_overdue'])
})

test('the sweep connects a sandbox wallet that is still simulated', async () => {
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

test('the sweep and the API start the same workflow, so a second start finds the first', async () => {
  const row = await anOpenPayout()
  const { id: payoutId, slug } = { ...row, slug: 'acme' }
  const start = starts.payout({ ...row, payoutId, slug }, { queuePrefix: worker.queuePrefix, pollMs: [1_000] })
  const first = await startWorkflow(worker.client, start)

  expect(await aSweep()).toMatchObject({ looked: 1, started: 0 })

  expect((await describe(idOf(row))).runId).toBe(first.firstExecutionRunId)
})

/** An open payout. No worker polls its queue, so its workflow stays in its initial state. */
async function anOpenPayout(fields: Partial<StoredPayout> = {}, from?: WalletRow): Promise<StoredPayout> {
  const row = await aPayout(worker.db, { createdAt: systemClock.now(), ...fields }, from ?? (await aWallet(worker.db)))
  if (fields.releasedAt === undefined && fields.completedAt === undefined) started.push(idOf(row))
  await wait(2)
  return row
}

/** A client that cannot start one workflow. All other calls succeed. */
function refusing(workflowId: string): Client {
  return new Client({
    connection: worker.client.connection,
    interceptors: {
      workflow: [
        {
          start: (input, next) => {
            if (input.options.workflowId === workflowId) throw new Error('the server refuses this workflow')
            return next(input)
          },
        },
      ],
    },
  })
}

/** Acts as a worker of the payout queue: polls the next workflow task and fails it. */
async function failTask(failure: Json): Promise<void> {
  const { workflowService } = worker.client
  const about = { namespace: 'default', identity: 'test' }
  const taskQueue = { name: payoutQueue('sandbox', worker.queuePrefix) }
  const { taskToken } = await workflowService.pollWorkflowTaskQueue({ ...about, taskQueue })
  await workflowService.respondWorkflowTaskFailed({ ...about, taskToken, ...failure })
}

async function startByHand(payoutId: string): Promise<void> {
  const workflowId = `${worker.queuePrefix}-by-hand`
  started.push(workflowId)
  await worker.client.workflow.start('payout', {
    workflowId,
    taskQueue: payoutQueue('sandbox', worker.queuePrefix),
    typedSearchAttributes: [{ key: payoutSearchAttributes.payoutId, value: payoutId }],
  })
}

async function signalsOf(row: StoredPayout): Promise<unknown[]> {
  const { events } = await worker.client.workflow.getHandle(idOf(row)).fetchHistory()
  return (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName)
}

async function attended({ id }: StoredPayout, at: Date): Promise<void> {
  await worker.db.dataSource.query('UPDATE payouts SET attention = NULL WHERE id = $1', [id])
  await worker.db.dataSource.query(
    `INSERT INTO payout_events (payout_id, at, kind, status, made_by) VALUES ($1, $2, 'attended', 'pending', 'ops:grace')`,
    [id, at],
  )
}

async function attentions(rows: readonly StoredPayout[]): Promise<(string | null)[]> {
  const found: { id: string; attention: string | null }[] = await worker.db.dataSource.query(
    'SELECT id, attention FROM payouts',
  )
  return rows.map(({ id }) => found.find((row) => row.id === id)?.attention ?? null)
}

function hoursAgo(hours: number): Date {
  return new Date(systemClock.now().getTime() - hours * 3_600_000)
}

function idOf(row: StoredPayout | undefined): string {
  if (row === undefined) throw new Error('there is no such row')
  const { environment, partnerId, idempotencyKey, attempt } = row
  return payoutWorkflowId({ environment, partnerId, idempotencyKey, attempt })
}

function describe(workflowId: string) {
  return worker.client.workflow.getHandle(workflowId).describe()
}
