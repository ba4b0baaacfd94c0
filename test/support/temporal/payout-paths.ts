// Runs every path of the payout workflow once in a complete system, and reads its history.
import { hostname } from 'node:os'
import type { WorkflowHandle } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils'
import { createWorkflows } from '../../../runtime/temporal/workflows'
import { keptLog } from '../kept-logs'
import { aClaim } from '../stages/payout'
import type { World } from '../system/world'
import { until } from '../until'

const toTransfers = { method: 'POST', path: '/v0/transfers' }

/** Functions that run each path, by name. Each returns the payout's Idempotency-Key. */
export const payoutPaths: Readonly<Record<string, (world: World) => Promise<string>>> = {
  async completed(world) {
    await world.pay({}, { key: 'path-completed' })
    return 'path-completed'
  },
  /** Exists because `completed` was recorded before charging became a separate activity. */
  async charged(world) {
    await world.pay({}, { key: 'path-charged' })
    return 'path-charged'
  },
  async refunded(world) {
    await world.pay({ accountNumber: '12340000' }, { key: 'path-refunded' })
    return 'path-refunded'
  },
  async 'insufficient-funds'(world) {
    const idempotencyKey = 'path-insufficient'
    const key = { partnerId: world.partner.id, environment: 'sandbox', idempotencyKey } as const
    // The API refuses an obvious overdraft itself. The workflow refuses only if two payouts compete for the balance.
    const claimed = await aClaim(world.db, { ...key, amountPence: 2_000_000n })
    await workflowsOf(world).startPayout({ ...key, ...claimed, ...aboutIn(world), amountPence: 2_000_000n })
    return idempotencyKey
  },
  async 'not-sent'(world) {
    await world.bank.fault({ kind: 'status', status: 401, times: 1, match: toTransfers })
    await world.pay({}, { key: 'path-not-sent' })
    return 'path-not-sent'
  },
  async 'unknown-then-found'(world) {
    // The bank's event could lead to the transfer before the call is repeated.
    await world.bank.fault({ kind: 'webhook_lost', times: null })
    await world.bank.fault({ kind: 'reset', stage: 'after', times: 2, match: toTransfers })
    const { body } = await world.pay({}, { key: 'path-unknown' })
    // Does not wait for the second fault: on a slow machine, the time for repetitions may be over before it is used.
    await world.settled(body.id)
    await world.bank.control('DELETE', '/faults')
    return 'path-unknown'
  },
  /** Exists because `unknown-then-found` was recorded before workflows set the search attribute `PayoutKey`. */
  async 'unknown-with-key'(world) {
    await world.bank.fault({ kind: 'reset', stage: 'after', times: 1, match: toTransfers })
    await world.pay({}, { key: 'path-unknown-with-key' })
    return 'path-unknown-with-key'
  },
  async 'never-sent'(world) {
    await world.bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
    const { body } = await world.pay({}, { key: 'path-never-sent' })
    await world.settled(body.id)
    await world.bank.control('DELETE', '/faults')
    return 'path-never-sent'
  },
  async cancelled(world) {
    await world.worker.stop()
    await world.pay({}, { key: 'path-cancelled' })
    await world.temporal.workflow.getHandle(world.workflowId('path-cancelled')).cancel()
    await world.worker.start()
    return 'path-cancelled'
  },
  async 'cancelled-by-update'(world) {
    const idempotencyKey = 'path-cancelled-by-update'
    await world.worker.stop()
    const { body } = await world.pay({}, { key: idempotencyKey })
    const key = { partnerId: world.partner.id, environment: 'sandbox', idempotencyKey, attempt: 1 } as const
    const cancelled = workflowsOf(world).cancelPayout({ ...key, ...aboutIn(world), payoutId: body.id })
    await world.worker.start()
    await cancelled
    return idempotencyKey
  },
  // Recorded with an earlier worker, in which a refused cancel woke the workflow.
  async 'cancel-refused'(world) {
    const idempotencyKey = 'path-cancel-refused'
    await world.bank.fault({ kind: 'reset', stage: 'before', times: 2, match: toTransfers })
    const { body } = await world.pay({}, { key: idempotencyKey })
    const key = { partnerId: world.partner.id, environment: 'sandbox', idempotencyKey, attempt: 1 } as const
    await workflowsOf(world).cancelPayout({ ...key, ...aboutIn(world), payoutId: body.id })
    await world.temporal.workflow.getHandle(world.workflowId(idempotencyKey)).cancel()
    return idempotencyKey
  },
  async 'cancelled-late'(world) {
    const idempotencyKey = 'path-cancelled-late'
    await world.ops('rail', 'pause', '--environment', 'sandbox')
    const { body } = await world.pay({}, { key: idempotencyKey })
    await world.db.dataSource.query(`UPDATE payouts SET created_at = created_at - interval '1 day' WHERE id = $1`, [
      body.id,
    ])
    const key = { partnerId: world.partner.id, environment: 'sandbox', idempotencyKey, attempt: 1 } as const
    await workflowsOf(world).cancelPayout({ ...key, ...aboutIn(world), payoutId: body.id })
    await world.ops('rail', 'resume', '--environment', 'sandbox')
    return idempotencyKey
  },
}

function workflowsOf({ temporal, queuePrefix }: World) {
  const payouts = { answerTimeoutMs: 8_000, pollMs: [50] }
  const config = { taskQueuePrefix: queuePrefix, verificationPollMs: [50], payouts }
  return createWorkflows({ temporal, config, log: keptLog() })
}

function aboutIn({ partner }: World) {
  return { slug: partner.slug, status: 'pending', amountPence: 12_000n, accountLast4: '5678' } as const
}

/** Returns the history from the server, without names that identify this machine. */
export async function historyOf(world: World, key: string): Promise<string> {
  const handle = world.temporal.workflow.getHandle(world.workflowId(key))
  await until('it has ended', async () => (await handle.describe()).status.name === 'COMPLETED')
  return asRecorded(handle)
}

export async function asRecorded(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<string> {
  return withoutNames(historyToJSON(await handle.fetchHistory()))
}

function withoutNames(history: string): string {
  return history
    .replaceAll(/"identity": ?"[^"]*"/g, '"identity": "worker"')
    .replaceAll(/"stackTrace": ?"(?:[^"\\]|\\.)*"/g, '"stackTrace": ""')
    .replaceAll(/\d+@[\w.-]+/g, 'worker')
    .replaceAll(hostname(), 'host')
}
