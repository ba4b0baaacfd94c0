// Quarantined bank events, which contradict our ledger or name none of our payouts. They are listed until an operator
// has handled them.
import { attendEvent, listQuarantined, type QuarantinedEvent } from '../../db/bank/events'
import { type Command, defineCommand, done, refused } from '../command'
import { recordChange } from '../connect'
import { exampleId, note, required, uuid } from '../options'
import { shownAtOnce, table } from '../print'

const list = defineCommand('bank-event list', {
  about: `Shows quarantined bank events, which contradict our books or name none of our payouts; at most ${shownAtOnce}.`,
  async run({ db }) {
    const events = (await listQuarantined(db, shownAtOnce)).map(presentEvent)
    const header = ['ID', 'RECEIVED', 'ENVIRONMENT', 'OUTCOME', 'TRANSFER', 'STATE', 'PAYOUT', 'EVENT']
    const rows = events.map((event) => Object.values(event))
    return done(
      { object: 'list', data: events },
      rows.length > 0 ? table(header, rows) : 'No bank event is quarantined.',
    )
  },
})

const attended = defineCommand('bank-event attended', {
  about: 'Records that a quarantined event was handled.',
  options: {
    event: required(uuid, 'The ID of the event, from `bank-event list`.'),
    note: required(note, 'What you did, without names or account numbers.'),
  },
  example: ['--event', exampleId, '--note', 'A transfer from another system'],
  async run(ops, given) {
    const { db, clock, madeBy } = ops
    const at = clock.now()
    const found = await db.transaction(async (tx) => {
      const event = await attendEvent(tx, { id: given.event, note: given.note, madeBy, at })
      if (event?.partnerId) {
        const { partnerId, environment, payoutId: detail } = event
        await recordChange(ops, tx, { partnerId, environment, at, action: 'bank_event.attend', detail })
      }
      return event
    })
    if (found === null) return refused('not_found', `No event ${given.event} is quarantined.`)
    return done({ id: given.event, attended: true }, `The event ${given.event} is marked as handled.`)
  },
})

export const commands: readonly Command[] = [list, attended]

// The order of the fields is the order of the list's columns.
function presentEvent(event: QuarantinedEvent) {
  return {
    id: event.id,
    received_at: event.receivedAt.toISOString(),
    environment: event.environment,
    outcome: event.outcome,
    transfer: event.objectRef,
    state: event.objectState,
    payout_id: event.payoutId,
    event_id: event.eventId,
  }
}
