// Each path of reading wallets and of emailing admins runs once. Its history replays, and contains no personal data.
// RECORD_HISTORIES=1 records the histories again. Use it only after a change that does not affect running workflows.
import { expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { addNotice } from '../../../db/partners/notices'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { startOrWake } from '../../../runtime/temporal/workflows'
import type { notices, walletReading, walletReadings } from '../../../workflows'
import { bankSpokeSignal, walletReadingId } from '../../../workflows/names'
import { starts } from '../../../workflows/starts'
import { accessTo, still, useSandboxBank } from '../../support/bank/client'
import { aConnectedPartner } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'
import { type Paths, payloadsOf, replayed } from '../../support/temporal/replayed'
import { until } from '../../support/until'

const toHistory = { method: 'GET', path: '/v0/wallets/*/history' }
const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
const worker = useWorker(() => ({ clock: systemClock, bank: accessTo(bank) }))

/** The functions that run the paths, by the names of the recordings. */
const paths: Paths = {
  async 'wallet-reading/read'() {
    const { id } = await aWallet()
    await startOrWake(worker.client, starts.walletReading(id, worker))
    return worker.client.workflow.getHandle(walletReadingId(id))
  },
  async 'wallet-reading/again'() {
    return withEventDuringRead(100)
  },
  async 'wallet-reading/continued'() {
    const handle = await withEventDuringRead(1)
    return worker.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId)
  },
  async 'wallet-reading/not-read'() {
    const wallet = await aWallet()
    const fault = await bank.fault({ kind: 'status', status: 503, times: null, match: toHistory })
    const handle = await aReading(wallet, 100)
    expect(await handle.result()).toBe('not_read')
    await bank.control('DELETE', `/faults/${fault}`)
    return handle
  },
  'wallet-readings/completed': () => readings({ pageSize: 50, pages: 100 }),
  'wallet-readings/continued': () => readings({ pageSize: 1, pages: 1 }),
  async 'notices/sent'() {
    const { partnerId } = await aWallet()
    for (const kind of ['verification', 'top_up'] as const) {
      await addNotice(worker.db, { partnerId, environment: 'live', kind, about: 'approved', at: systemClock.now() })
    }
    return worker.client.workflow.start<typeof notices>('notices', {
      workflowId: `${worker.queuePrefix}-notices`,
      taskQueue: worker.taskQueue,
      args: [{ pageSize: 1, pages: 100 }],
    })
  },
}
const names = Object.keys(paths)

const fresh = replayed(paths)

test('an event during a read of the history causes another read', () => {
  const count = (name: string) => (fresh.get(name)?.match(/EVENT_TYPE_ACTIVITY_TASK_SCHEDULED/g) ?? []).length

  expect([count('wallet-reading/read'), count('wallet-reading/again')]).toEqual([1, 2])
})

test.each(['wallet-reading/continued', 'wallet-readings/continued'])('%s continues as new', (name) => {
  expect(fresh.get(name)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW')
})

test.each(names)('the history of %s contains no personal data', (name) => {
  const text = payloadsOf(fresh.get(name))

  expect(text).toMatch(/walletId|pageSize/)
  expect(text).not.toMatch(/Acme|ada@|Lovelace/)
})

async function aWallet(): Promise<WalletRow> {
  const wallet = await findWallet(worker.db, (await aConnectedPartner(worker.db, bank)).id, 'live')
  if (wallet === null) throw new Error('a partner must have a wallet')
  return wallet
}

type ReadingHandle = Awaited<ReturnType<typeof aReading>>

function aReading({ id: walletId }: WalletRow, readings: number) {
  return worker.client.workflow.start<typeof walletReading>('walletReading', {
    workflowId: walletReadingId(walletId),
    taskQueue: worker.taskQueue,
    args: [{ walletId, readings }],
  })
}

/** Runs a read during which an event arrives: the bank answers with 503 until then. */
async function withEventDuringRead(readings: number): Promise<ReadingHandle> {
  const wallet = await aWallet()
  const fault = await bank.fault({ kind: 'status', status: 503, times: null, match: toHistory })
  const handle = await aReading(wallet, readings)
  await until('the bank was asked', async () => (await bank.counts(fault)).fired > 0)
  await handle.signal(bankSpokeSignal)
  await bank.control('DELETE', `/faults/${fault}`)
  return handle
}

async function readings(how: { pageSize: number; pages: number }): Promise<WorkflowHandle> {
  const workflowId = `${worker.queuePrefix}-wallet-readings-${how.pages}`
  const { firstExecutionRunId } = await worker.client.workflow.start<typeof walletReadings>('walletReadings', {
    workflowId,
    taskQueue: worker.taskQueue,
    args: [how],
  })
  // Returns the first run, not the run that continues it.
  return worker.client.workflow.getHandle(workflowId, firstExecutionRunId)
}
