// The daily scan of the bank's transfers finds returns for which the bank sent no event, reports contradictions
// with our ledger, and starts no return workflow twice.
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import { readChangedTransfers } from '../../../activities/bank/changed-transfers'
import { findReading, saveReading } from '../../../db/bank/readings'
import { loadStep } from '../../../db/payouts/steps'
import type { Environment } from '../../../domain/environment'
import type { ChangedTransfer } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import { connectClient } from '../../../runtime/temporal/client'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import type { changedTransfers } from '../../../workflows'
import { payoutQueue, payoutReturnId } from '../../../workflows/names'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { accessTo, still, useSandboxBank } from '../../support/bank/client'
import { keptLog } from '../../support/kept-logs'
import { aClaim, aConnectedPartner, stepDeps, useRails } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'
import { testActivities, testTemporal, useWorker } from '../../support/temporal/a-worker'

const dayMs = 86_400_000
const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
const worker = useWorker(() => ({ clock: systemClock, bank: accessTo(bank), log }))
const rails = useRails(bank)
let steps: ReturnType<typeof payoutActivities>
let partnerId: string
let scans = 0

beforeAll(async () => {
  await requireSearchAttributes(worker.client, wantedAttributes)
  const deps = stepDeps(worker.db, rails)
  steps = payoutActivities(deps)
  partnerId = (await aConnectedPartner(worker.db, bank)).id
})
afterEach(async () => {
  lines.length = 0
  await bank.control('DELETE', '/faults')
  await worker.db.dataSource.query('DELETE FROM bank_readings')
})
test.each(['live', 'sandbox'] as const)(
  'the scan starts a return workflow for a completed %s payout that the bank has returned',
  async (environment) => {
    const payout = await aCompleted(environment)
    const other = await aCompleted(environment)
    await move(payout, 'returned')

    expect((await scan())[environment]).toMatchObject({ returns: 1, contradictions: 0, failed: 0 })

    const described = await returnOf(payout).describe()
    expect([described.type, described.taskQueue]).toEqual([
      'payoutReturn',
      payoutQueue(environment, worker.queuePrefix),
    ])
    await expect(returnOf(other).describe()).rejects.toThrow(WorkflowNotFoundError)
    await settle(payout)
  },
)

test('the scan restarts neither a return in progress nor a finished one', async () => {
  const payout = await aCompleted()
  await move(payout, 'returned')
  await scan()
  const { runId } = await returnOf(payout).describe()

  await scan()
  expect((await returnOf(payout).describe()).runId).toBe(runId)

  await settle(payout)
  expect((await scan()).live).toMatchObject({ returns: 0, contradictions: 0 })
})

test('a payout that failed in our ledger but was delivered by the bank needs an operator', async () => {
  const payout = await aSent()
  await move(payout, 'payment_processed')
  const failed = `status = 'failed', failure_reason = 'bank_refused: x', closed_at = now()`
  await worker.db.dataSource.query(`UPDATE payouts SET ${failed} WHERE id = $1`, [payout.payoutId])

  expect((await scan()).live).toMatchObject({ contradictions: 1 })
  expect(await attentionOf(payout)).toBe('bank_contradicts_payment_processed')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { payout_id: payout.payoutId, state: 'payment_processed' },
  ])
  await worker.db.dataSource.query(`UPDATE payouts SET status = 'processing', closed_at = NULL WHERE id = $1`, [
    payout.payoutId,
  ])
  await steps.settle(payout)
})

test('a returned payout that the bank still reports as delivered counts as a contradiction', async () => {
  const payout = await aCompleted()
  await worker.db.dataSource.query(`UPDATE payouts SET status = 'returned', returned_at = now() WHERE id = $1`, [
    payout.payoutId,
  ])

  expect((await scan()).live).toMatchObject({ contradictions: 1 })
  await worker.db.dataSource.query(`UPDATE payouts SET status = 'completed' WHERE id = $1`, [payout.payoutId])
})

test('the first scan covers 92 days, and each later scan starts one day before the previous scan', async () => {
  const asked: Date[] = []
  const before = Date.now()

  await scanWith((at) => void asked.push(at))
  const readUntil = await findReading(worker.db, 'live')
  await scanWith((at) => void asked.push(at))

  const [first, second] = asked
  expect(Math.abs((first?.getTime() ?? 0) - (before - 92 * dayMs))).toBeLessThan(60_000)
  expect(readUntil?.getTime()).toBeGreaterThanOrEqual(before)
  expect(second?.getTime()).toBe((readUntil?.getTime() ?? 0) - dayMs)
})

test('if a scan cannot start every workflow, the next scan covers the same period again', async () => {
  const payout = await aCompleted()
  await move(payout, 'returned')

  expect(await scanWith(() => {}, 'away')).toMatchObject({ returns: 0, failed: 1 })
  expect(await findReading(worker.db, 'live')).toBeNull()
  expect((await scan()).live).toMatchObject({ returns: 1, failed: 0 })
  await settle(payout)
})

test('unrelated transfers do not stop the scan', async () => {
  const payout = await aCompleted()
  await move(payout, 'returned')
  const unknownRefs = [null, 'not-ours', '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4']

  expect(await scanWith(() => {}, 'there', unknownRefs)).toMatchObject({ returns: 1, failed: 0 })
  expect([await findReading(worker.db, 'live'), lines]).toEqual([expect.any(Date), []])
  await settle(payout)
})

test('the scan logs an unreadable transfer of a payout, handles the other transfers, and covers the same period again', async () => {
  const [payout, unreadable] = [await aCompleted(), await aCompleted()]
  await move(payout, 'returned')

  expect(await scanWith(() => {}, 'there', [unreadable.payoutId])).toMatchObject({ returns: 1, failed: 1 })
  expect(await findReading(worker.db, 'live')).toBeNull()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ payout_id: unreadable.payoutId }])
  await settle(payout)
})

test.each([
  [1.9, 0],
  [2.1, 1],
])('a scan %d days after the previous one logs %d errors', async (days, errors) => {
  await saveReading(worker.db, 'live', new Date(Date.now() - days * dayMs))

  await scanWith(() => {})

  expect(lines.filter((line) => line.includes('for days'))).toHaveLength(errors)
})

test('nothing is scanned without a configured bank', async () => {
  const none = testActivities({ ...worker, clock: systemClock, log, bank: { sandbox: null, live: null } })

  expect(await none.activities.readChangedTransfers({ environment: 'live' })).toMatchObject({ looked: 0 })
  none.close()
  expect(await findReading(worker.db, 'live')).toBeNull()
})

/** Scans once, and passes the start of the period to `onRead`. The other parameters simulate failures. */
function scanWith(
  onRead: (at: Date) => void,
  temporal: 'there' | 'away' = 'there',
  unreadable: readonly (string | null)[] = [],
) {
  async function* changedSince(at: Date): AsyncGenerator<ChangedTransfer> {
    onRead(at)
    for (const payoutId of unreadable) yield { outcome: 'unreadable', payoutId }
    yield* rails.provider_production.changedSince(at)
  }
  const limits = {
    olderThanMs: 0,
    settleWithinMs: 0,
    knownWithinMs: 0,
    sandboxBank: 'absent',
    pollMs: [1_000],
  } as const
  const reached = temporal === 'there' ? worker.client : connectClient({ ...testTemporal(), address: '127.0.0.1:1' })
  const about = { db: worker.db, clock: systemClock, log, temporal: reached, queuePrefix: worker.queuePrefix }
  const deps = { ...about, ...limits, banks: { sandbox: null, live: { changedSince } } }
  return readChangedTransfers(deps, { environment: 'live' })
}

async function scan() {
  return worker.client.workflow
    .execute<typeof changedTransfers>('changedTransfers', {
      workflowId: `changed-transfers-${worker.queuePrefix}-${scans++}`,
      taskQueue: worker.taskQueue,
      args: [],
    })
    .then(({ sandbox, live }) => ({ sandbox: sandbox ?? undefined, live: live ?? undefined }))
}

function returnOf({ payoutId }: PayoutRef) {
  return worker.client.workflow.getHandle(payoutReturnId(payoutId))
}

/** Refunds the payout and handles its return, as a payout worker would. */
async function settle(payout: PayoutRef): Promise<void> {
  await move(payout, 'refunded')
  await steps.pollReturn(payout)
  await returnOf(payout).terminate()
}

async function aSent(environment: Environment = 'live'): Promise<PayoutRef> {
  const payout = await aClaim(worker.db, { partnerId, environment })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  return payout
}

async function aCompleted(environment: Environment = 'live'): Promise<PayoutRef> {
  const payout = await aSent(environment)
  await move(payout, 'payment_processed')
  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'completed' })
  return payout
}

async function move({ payoutId }: PayoutRef, state: string): Promise<void> {
  const { transferRef } = await loadStep(worker.db, payoutId)
  await bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
}

async function attentionOf({ payoutId }: PayoutRef): Promise<unknown> {
  const [row] = await worker.db.dataSource.query('SELECT attention FROM payouts WHERE id = $1', [payoutId])
  return row.attention
}
