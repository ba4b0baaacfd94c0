// bank-event list shows quarantined events until an operator marks them as handled.
import { beforeAll, expect, test } from '@jest/globals'
import { storeBankEvents } from '../../../db/bank/events'
import { latestActivity } from '../../../db/controls/activity'
import { systemClock } from '../../../runtime/clock'
import { aClaim } from '../../support/stages/payout'
import { useTerminal } from '../../support/terminal'

const terminal = useTerminal()
let partnerId = ''
let payoutId = ''

beforeAll(async () => {
  const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', 'acme', '--email', 'ada@acme.test']
  partnerId = (await terminal.json<{ id: string }>(...argv)).id
  payoutId = (await aClaim(terminal.db, { partnerId })).payoutId
})

async function anEvent(eventId: string, outcome: string, about: string | null): Promise<string> {
  const at = systemClock.now()
  const object = { category: 'transfer', objectRef: 'tr_1', objectState: 'payment_processed', payoutId: about }
  const event = { environment: 'sandbox', eventId, ...object, at, outcome, handledAt: at } as const
  await storeBankEvents(terminal.db, [event])
  const [row] = await terminal.db.sql<{ id: string }>`SELECT id FROM bank_events WHERE event_id = ${eventId}`
  return row?.id ?? ''
}

const listed = async () => (await terminal.json<{ data: { id: string }[] }>('bank-event', 'list')).data

test('events that contradict our ledger or refer to no known payout are listed until they are handled', async () => {
  expect((await terminal.ops('bank-event', 'list')).out).toBe('No bank event is quarantined.\n')
  const contradicting = await anEvent('e-1', 'quarantined', payoutId)
  const unknown = await anEvent('e-2', 'unknown_payout', null)
  await anEvent('e-3', 'told', payoutId)
  await anEvent('e-4', 'not_needed', payoutId)

  expect(await listed()).toEqual([
    {
      id: contradicting,
      received_at: expect.any(String),
      environment: 'sandbox',
      outcome: 'quarantined',
      transfer: 'tr_1',
      state: 'payment_processed',
      payout_id: payoutId,
      event_id: 'e-1',
    },
    expect.objectContaining({ id: unknown, outcome: 'unknown_payout', payout_id: null, event_id: 'e-2' }),
  ])

  const { code, out } = await terminal.ops(
    'bank-event',
    'attended',
    '--event',
    contradicting,
    '--note',
    'Booked by hand',
  )

  expect([code, out]).toEqual([0, `The event ${contradicting} is marked as handled.\n`])
  expect((await listed()).map(({ id }) => id)).toEqual([unknown])
  const [entry] = await latestActivity(terminal.db, partnerId, 1)
  expect(entry).toMatchObject({ action: 'bank_event.attend', detail: payoutId, madeBy: expect.stringMatching(/^ops:/) })
})

test('an event without a partner can also be marked as handled, and no event can be marked twice', async () => {
  const id = await anEvent('e-5', 'unknown_payout', null)
  const attend = () => terminal.ops('bank-event', 'attended', '--event', id, '--note', "Another system's")

  const [first, second] = [await attend(), await attend()]

  expect([first.code, second.code, second.err]).toEqual([0, 2, `No event ${id} is quarantined.\n`])
  const [row] = await terminal.db.dataSource.query('SELECT attended_by, note FROM bank_events WHERE id = $1', [id])
  expect(row).toEqual({ attended_by: expect.stringMatching(/^ops:\S+$/), note: "Another system's" })
})
