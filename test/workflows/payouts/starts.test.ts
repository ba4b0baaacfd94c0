// However often and whenever a payout's workflow is started, the bank gets one transfer. Tested with a real
// Temporal server.
import { expect, test } from '@jest/globals'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { startUnlessRunning, startWorkflow } from '../../../runtime/temporal/workflows'
import { type PayoutStart, type Start, starts } from '../../../workflows/starts'
import { usePayoutWorld } from '../../support/api/payout-world'
import { quick } from '../../support/bank/client'
import { until } from '../../support/until'

const world = usePayoutWorld({ bank: { delaysMs: quick } })
const settings = { queuePrefix: 'no-worker', pollMs: [1_000] }

test('starting or resuming a running payout joins its run', async () => {
  const payout = aPayoutStart('p1', 'running-1')

  const first = await startWorkflow(world.temporal, starts.payout(payout, settings))
  const again = await Promise.all([
    startWorkflow(world.temporal, starts.payout(payout, settings)),
    startWorkflow(world.temporal, starts.resumedPayout(payout, settings)),
    startWorkflow(world.temporal, starts.payout({ ...payout, payoutId: 'another' }, settings)),
  ])

  expect(again.map(({ firstExecutionRunId }) => firstExecutionRunId)).toEqual(
    again.map(() => first.firstExecutionRunId),
  )
  await world.temporal.workflow.getHandle(first.workflowId).terminate()
})

test('a completed payout cannot be started again, and resuming it sends nothing', async () => {
  const payer = await world.aPayer()
  const { body } = await world.pay(payer, {}, { key: 'completed-1' })
  const payout = { ...aPayoutStart(payer.id, 'completed-1'), payoutId: String(body.id) }
  const { taskQueue } = await ended(starts.payout(payout, settings))

  const again = startWorkflow(world.temporal, { ...starts.payout(payout, settings), taskQueue })
  await expect(again).rejects.toBeInstanceOf(WorkflowExecutionAlreadyStartedError)
  const resumed = { ...starts.resumedPayout(payout, settings), taskQueue }

  expect(await startUnlessRunning(world.temporal, resumed)).toBe('COMPLETED')
  await ended(resumed)
  expect(await world.transfersOf(payout.payoutId)).toHaveLength(1)
})

test('payouts, returns and cases have no timeout, and starting one never replaces a run', () => {
  const payout = aPayoutStart('p1', 'policies-1')
  const openCase = { id: 'c1', kind: 'trace', environment: 'live', openedAt: new Date(0), dueAt: new Date(1) } as const
  const lasting = [
    starts.payout(payout, settings),
    starts.resumedPayout(payout, settings),
    starts.payoutReturn(payout, settings),
    starts.payoutCase(openCase, settings),
  ]

  for (const start of lasting) expect(Object.keys(start)).not.toContain('workflowExecutionTimeout')
  for (const start of lasting) expect(Object.keys(start)).not.toContain('workflowRunTimeout')
  expect(lasting.map(({ workflowIdConflictPolicy }) => workflowIdConflictPolicy)).not.toContain('TERMINATE_EXISTING')
})

function aPayoutStart(partnerId: string, idempotencyKey: string): PayoutStart {
  return {
    environment: 'sandbox',
    partnerId,
    idempotencyKey,
    attempt: 1,
    payoutId: '01a1de6a-e6e1-7be3-9f59-39b6dadbb6c8',
    slug: 'acme',
    status: 'pending',
    amountPence: 12_000n,
    accountLast4: '5678',
  }
}

/** The description of the last run, once it has completed. */
function ended({ workflowId }: Start) {
  return until('the payout has ended', async () => {
    const described = await world.temporal.workflow.getHandle(workflowId).describe()
    return described.status.name === 'COMPLETED' ? described : null
  })
}
