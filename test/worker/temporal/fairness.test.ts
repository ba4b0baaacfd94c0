// Temporal hands waiting tasks to workers fairly: partners take turns, and work that a user waits for comes first.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connectClient } from '../../../runtime/temporal/client'
import { startWorkflow } from '../../../runtime/temporal/workflows'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { type Start, starts } from '../../../workflows/starts'
import { testTemporal } from '../../support/temporal/a-worker'

const system = { queuePrefix: `fair-${randomBytes(6).toString('hex')}`, pollMs: [1_000] }
const client = connectClient(testTemporal())
const started: string[] = []

beforeAll(async () => {
  await requireSearchAttributes(client, wantedAttributes)
})

afterAll(async () => {
  await Promise.all(started.map((workflowId) => client.workflow.getHandle(workflowId).terminate()))
  await client.connection.close()
})

test("a partner's payout does not wait for all earlier payouts of another partner", async () => {
  await Promise.all(many(120, (n) => start(aPayout('flood', n))))
  const quiet = aPayout('quiet', 1)
  await start(quiet)

  expect(await handedOut(quiet.taskQueue, 60)).toContain(quiet.workflowId)
})

test('a sign-up does not wait for background work', async () => {
  await Promise.all(many(80, (n) => start(starts.walletReading(`${system.queuePrefix}-${n}`, system))))
  const signUp = starts.signUp(system.queuePrefix, system)
  await start(signUp)

  expect(await handedOut(signUp.taskQueue, 40)).toContain(signUp.workflowId)
})

function many<T>(length: number, make: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => make(n + 1))
}

function aPayout(partnerId: string, n: number): Start<'payout'> {
  return starts.payout(
    {
      environment: 'sandbox',
      partnerId: `${system.queuePrefix}-${partnerId}`,
      idempotencyKey: `order-${n}`,
      attempt: 1,
      payoutId: `${partnerId}-${n}`,
      slug: partnerId,
      status: 'pending',
      amountPence: 12_000n,
      accountLast4: '5678',
    },
    system,
  )
}

async function start(workflow: Start): Promise<void> {
  await startWorkflow(client, workflow)
  started.push(workflow.workflowId)
}

/**
 * Polls as a worker does, but never completes a task. The tests poll for half of the tasks: without fairness, the task
 * that was added last would be handed out last.
 */
async function handedOut(name: string, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const task = await client.workflowService.pollWorkflowTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name },
      identity: 'fairness.test',
    })
    if (task.workflowExecution?.workflowId) ids.push(task.workflowExecution.workflowId)
  }
  return ids
}
