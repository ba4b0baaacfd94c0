// A worker waits for its Schedules only for a limited time, and then works without them.
import { expect, test } from '@jest/globals'
import { connectClient } from '../../../runtime/temporal/client'
import { putSchedules } from '../../../worker/schedules/put'
import { keptLog } from '../../support/kept-logs'
import { testConfig, testTemporal } from '../../support/temporal/a-worker'

const log = keptLog()

test('a worker starts without Schedules that cannot be created, and gives up on them when it is stopped', async () => {
  // Nothing listens at this address.
  const temporal = { ...testTemporal(), address: '127.0.0.1:1' }
  const client = connectClient(temporal)
  const stop = new AbortController()
  const waiting = { log, signal: stop.signal }

  const { over } = await putSchedules(client, { ...testConfig(), temporal }, { waiting, waitMs: 100 })
  let isOver = false
  void over.then(() => (isOver = true))
  await Promise.resolve()

  expect(isOver).toBe(false)
  stop.abort()
  await over
  await client.connection.close()
})

test('a worker that is stopped while it waits for its Schedules does not start working', async () => {
  const temporal = { ...testTemporal(), address: '127.0.0.1:1' }
  const client = connectClient(temporal)
  const stop = new AbortController()

  const put = putSchedules(client, { ...testConfig(), temporal }, { waiting: { log, signal: stop.signal } })
  stop.abort()

  await expect(put).rejects.toThrow('aborted')
  await client.connection.close()
})
