// A rail is paused for longer than the bank stores idempotency keys. A waiting payout is looked up and then sent
// once, or cancelled.
import { expect, test } from '@jest/globals'
import { useWorld } from '../../support/system/world'
import { until } from '../../support/until'

const dayMs = 25 * 3_600_000
const minuteMs = 60_000
// The poll interval is long, so that only the test wakes the workflows.
const world = useWorld({ aheadMs: 0, env: { PAYOUT_POLL_MS: String(10 * minuteMs) } })

test('after a day-long pause, the API, the command line and Temporal can each cancel a payout, and another is sent once', async () => {
  const before = await world.balance()
  await world.ops('rail', 'pause', '--environment', 'sandbox')
  const keys = ['order-by-api', 'order-by-ops', 'order-in-temporal', 'order-to-send'] as const
  const [byApi, byOps, inTemporal, toSend] = await Promise.all(
    keys.map(async (key) => (await world.pay({}, { key })).body.id),
  )

  await world.goAhead(dayMs)
  await world.ops('rail', 'resume', '--environment', 'sandbox')
  for (const key of keys)
    await until(`${key} is due for a lookup`, async () => (await detailsOf(key)).includes('unsent for a day'))
  const cancelled = await world.cancel(byApi)
  await world.ops('payout', 'cancel', '--payout', byOps)
  await handle('order-in-temporal').cancel()

  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
  for (const id of [byApi, byOps, inTemporal]) {
    expect(await world.settled(id)).toMatchObject({ status: 'cancelled' })
    expect(await world.transfersOf(id)).toHaveLength(0)
  }
  await pollUntilClosed('order-to-send', toSend)
  expect(await world.row(toSend)).toMatchObject({ status: 'completed' })
  expect(await world.transfersOf(toSend)).toHaveLength(1)
  expect(before - (await world.balance())).toBe(153_300_000n)
})

test('a cancel that is refused after the call to the bank neither repeats the call nor cancels the payout later', async () => {
  const key = 'order-lost-answer'
  await world.bank.fault({ kind: 'reset', stage: 'before', times: 1, match: { method: 'POST', path: '/v0/transfers' } })
  const { body } = await world.pay({}, { key })
  expect(body.status).toBe('pending')

  const refused = await world.cancel(body.id)
  const eventsBefore = (await eventsOf(key)).length
  await handle(key).cancel()
  await until('the cancel was decided', async () => (await eventsOf(key)).slice(eventsBefore).some(isMarker))

  expect([refused.status, refused.body.error.details.status]).toEqual([409, 'pending'])
  expect((await eventsOf(key)).some(({ activityTaskScheduledEventAttributes: regular }) => regular)).toBe(false)
  expect(await world.transfersOf(body.id)).toHaveLength(0)

  // Pauses the rail while the worker looks for the transfer. The refused cancels must stay refused.
  await world.ops('rail', 'pause', '--environment', 'sandbox')
  await handle(key).signal('bankSpoke')
  await until('the bank was asked', async () =>
    (await eventsOf(key)).some((each) => each.activityTaskCompletedEventAttributes),
  )
  await world.ops('rail', 'resume', '--environment', 'sandbox')
  await pollUntilClosed(key, body.id)
  expect(await world.row(body.id)).toMatchObject({ status: 'completed' })
  expect(await world.transfersOf(body.id)).toHaveLength(1)
  await world.judge()
})

function handle(key: string) {
  return world.temporal.workflow.getHandle(world.workflowId(key))
}

/** Signals the workflow repeatedly: each signal causes one poll, which can time out on a busy machine. */
async function pollUntilClosed(key: string, payoutId: string): Promise<void> {
  await until(`${key} is closed`, async () => {
    await handle(key)
      .signal('bankSpoke')
      .catch(() => null)
    return (await world.row(payoutId)).closed_at !== null
  })
}

async function detailsOf(key: string): Promise<string> {
  const metadata = await handle(key).query<{ currentDetails?: string }>('__temporal_workflow_metadata')
  return metadata.currentDetails ?? ''
}

async function eventsOf(key: string) {
  const { events } = await handle(key).fetchHistory()
  return events ?? []
}

function isMarker({ markerRecordedEventAttributes: marker }: { markerRecordedEventAttributes?: unknown }): boolean {
  return marker !== null && marker !== undefined
}
