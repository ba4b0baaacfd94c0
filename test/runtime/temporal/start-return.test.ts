// A return workflow is started immediately for a new refund, and at most once an hour for a known one.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { systemClock } from '../../../runtime/clock'
import { startReturnHourly } from '../../../runtime/temporal/workflows'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { payoutReturnId } from '../../../workflows/names'
import { aReturn, movableClock } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'

const minute = 60_000
const worker = useWorker({ clock: systemClock })

beforeAll(async () => {
  await requireSearchAttributes(worker.client, wantedAttributes)
})

test('the same refund starts a return workflow immediately and then once an hour, and a newer refund starts one immediately', async () => {
  const clock = movableClock()
  const payoutId = randomUUID()
  const payout = aReturn(payoutId)
  const { client: temporal, queuePrefix } = worker
  const handle = temporal.workflow.getHandle(payoutReturnId(payout.payoutId))
  // No worker polls the queue, so the test ends each run, as if the bank had been polled.
  const runAfter = async (happenedAt: Date) => {
    await startReturnHourly({ temporal, clock, queuePrefix, pollMs: [minute] }, payout, happenedAt)
    const { runId, status } = await handle.describe()
    if (status.name === 'RUNNING') await handle.terminate()
    return runId
  }
  const refundedAt = new Date(clock.now().getTime() - minute)

  const first = await runAfter(refundedAt)
  expect(await runAfter(refundedAt)).toBe(first)
  const forNewer = await runAfter(new Date(clock.now().getTime() + minute))
  expect(forNewer).not.toBe(first)
  clock.forward(59 * minute)
  expect(await runAfter(refundedAt)).toBe(forNewer)
  clock.forward(minute)
  expect(await runAfter(refundedAt)).not.toBe(forNewer)
})
