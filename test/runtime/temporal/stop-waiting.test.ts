// A stopping process does not wait for verdicts, whether the request is already pending or arrives later.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { connectClient } from '../../../runtime/temporal/client'
import { createWorkflows, type Workflows } from '../../../runtime/temporal/workflows'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { payoutWorkflowId } from '../../../workflows/names'
import type { PayoutStart } from '../../../workflows/starts'
import { keptLog } from '../../support/kept-logs'
import { testTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

let temporal: Client
const partnerId = randomUUID()

beforeAll(async () => {
  temporal = connectClient(testTemporal())
  await requireSearchAttributes(temporal, wantedAttributes)
})
afterAll(async () => {
  for (const key of ['waits', 'cancels', 'later']) await handleOf(aPayout(key)).terminate()
  await temporal.connection.close()
})

test('waiting and later requests are answered without a verdict, but their workflows are started', async () => {
  const workflows = workflowsThatWaitLong()
  const waiting = workflows.startPayout(aPayout('waits'))
  const cancelling = workflows.cancelPayout(aPayout('cancels'))
  await untilStarted('waits')
  await untilStarted('cancels')

  workflows.stopWaiting()

  expect(await waiting).toBeNull()
  expect(await cancelling).toBe('undecided')
  expect(await workflows.startPayout(aPayout('later'))).toBeNull()
  await untilStarted('later')
})

/** Workflows whose queue no worker polls, so that no verdict arrives. */
function workflowsThatWaitLong(): Workflows {
  const taskQueuePrefix = `nobody-${randomBytes(6).toString('hex')}`
  const config = {
    taskQueuePrefix,
    verificationPollMs: [1_000],
    payouts: { answerTimeoutMs: 600_000, pollMs: [1_000] },
  }
  return createWorkflows({ temporal, config, log: keptLog() })
}

function aPayout(idempotencyKey: string): PayoutStart {
  return {
    environment: 'sandbox',
    partnerId,
    idempotencyKey,
    attempt: 1,
    payoutId: randomUUID(),
    slug: 'demo',
    status: 'pending',
    amountPence: 12_000n,
    accountLast4: '1234',
  }
}

function handleOf(payout: PayoutStart) {
  return temporal.workflow.getHandle(payoutWorkflowId(payout))
}

async function untilStarted(key: string): Promise<void> {
  const isRunning = async () => (await handleOf(aPayout(key)).describe()).status.name === 'RUNNING'
  await until(`the payout ${key} is started`, () => isRunning().catch(() => false))
}
