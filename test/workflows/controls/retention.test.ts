// The nightly erasure: if one kind of data cannot be erased, the other is still erased, and the run fails.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { WorkflowFailedError } from '@temporalio/client'
import { bankEvent } from '../../../db/bank/events'
import { newId } from '../../../db/id'
import type { retention } from '../../../workflows'
import { useWorker } from '../../support/temporal/a-worker'

const now = new Date('2026-11-15T03:30:00.000Z')
const old = new Date('2026-09-15T03:30:00.000Z')
const worker = useWorker({ clock: { now: () => now }, retention: { recipientDays: 30, bankEventDays: 30 } })

test('bank events are erased even if the erasure of bank details fails, and the run fails', async () => {
  const event = { environment: 'live', eventId: 'old', category: 'transfer', outcome: 'signalled' } as const
  const { dataSource } = worker.db
  await dataSource.getRepository(bankEvent).insert({ id: newId(old), ...event, receivedAt: old, handledAt: old })
  await dataSource.query('ALTER TABLE sealed_recipients RENAME TO sealed_recipients_away')

  const handle = await worker.client.workflow.start<typeof retention>('retention', {
    workflowId: `retention-${randomUUID()}`,
    taskQueue: worker.taskQueue,
    args: [{ batchSize: 10, batches: 10 }],
  })

  await expect(handle.result()).rejects.toThrow(WorkflowFailedError)
  expect(await dataSource.query('SELECT FROM bank_events')).toEqual([])
})
