// Bank events are stored together, but one that cannot be stored does not hold up the others.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createEventStore } from '../../../api/bank/webhook'
import { useDatabase } from '../../support/db/database'

const db = useDatabase()

test('an event is stored even if an event that was collected with it cannot be stored', async () => {
  const store = createEventStore({ db })
  const at = new Date()
  const event = { environment: 'sandbox', category: 'transfer', objectRef: 'tr', objectState: 'in_review', at } as const
  const handled = { ...event, outcome: 'not_needed', handledAt: at }

  const results = await Promise.allSettled([
    store({ ...handled, eventId: 'wh-good', payoutId: null }),
    // The payout does not exist.
    store({ ...handled, eventId: 'wh-bad', payoutId: randomUUID() }),
  ])

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await db.sql`SELECT event_id FROM bank_events`).toEqual([{ eventId: 'wh-good' }])
})
