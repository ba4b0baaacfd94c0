// Only expired data is erased. The ledger, the audit chain and idempotent replays do not depend on erased data.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { bind } from '../../../activities/bind'
import { eraseBankEvents, eraseRecipients } from '../../../activities/controls/retention'
import { bankEvent } from '../../../db/bank/events'
import { verifyAudit } from '../../../db/controls/audit/verify'
import { shredRecipient } from '../../../db/controls/retention'
import { newId } from '../../../db/id'
import { addPayoutNote, listPayoutNotes } from '../../../db/payouts/cases/notes'
import { systemClock } from '../../../runtime/clock'
import { requireValidLedger } from '../../referee/ledger-rules'
import { testKeyring } from '../../support/api/client'
import { aRequest, type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { quick, until } from '../../support/bank/client'
import { sealAll } from '../../support/db/seal-all'

const dayMs = 86_400_000
const retention = { recipientDays: 30, bankEventDays: 20 }
const all = { limit: 1_000 }
const world = usePayoutWorld({ bank: { delaysMs: quick } })
let payer: Payer

beforeEach(async () => {
  payer = await world.aPayer()
  await query('DELETE FROM sealed_recipients')
  await query('DELETE FROM bank_recipients')
  await query('DELETE FROM bank_events')
  await query('DELETE FROM payout_notes')
})

test('bank details of old final payouts are erased, but their idempotency keys still answer 200 and the ledger is valid', async () => {
  const key = `order-${randomUUID()}`
  const request = aRequest()
  const first = await world.pay(payer, request, { key, environment: 'live' })
  await until('it is completed', async () => (await closedOf(first.body.id)) !== null)
  await sealAll(world.api.db, systemClock.now())

  expect(await stepsAt(29).eraseRecipients(all)).toBe(0)
  // Two rows: the recipient of the payout, and the bank's ID for the recipient's account.
  expect(await stepsAt(31).eraseRecipients(all)).toBe(2)
  expect(await stepsAt(31).eraseRecipients(all)).toBe(0)

  const again = await world.pay(payer, request, { key, environment: 'live' })
  expect([first.status, again.status]).toEqual([201, 200])
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  expect(again.body).toMatchObject({ id: first.body.id, status: 'completed', recipient: first.body.recipient })
  const other = await world.pay(payer, { ...request, amount_gbp: '121.00' }, { key, environment: 'live' })
  expect([other.status, other.body.error?.code]).toEqual([422, 'idempotency_key_reused'])
  expect(await world.transfersOf(first.body.id)).toHaveLength(1)
  await requireValidLedger(world.api.db.dataSource)
  expect((await verifyAudit(world.api.db)).fault).toBeNull()
})

test('an open payout keeps its bank details, however old it is', async () => {
  await world.bank.fault({ kind: 'stuck', state: 'payment_submitted', times: 1, match: {} })
  const { status } = await world.pay(payer, {}, { environment: 'live' })
  expect(status).toBe(201)

  await stepsAt(4_000).eraseRecipients(all)

  expect(await query('SELECT FROM sealed_recipients')).toHaveLength(1)
})

test('many rows are erased in batches', async () => {
  const paid = await Promise.all([1, 2, 3].map(() => world.pay(payer, {}, { environment: 'live' })))
  for (const { body } of paid) await until('the payout is closed', async () => (await closedOf(body.id)) !== null)
  const steps = stepsAt(31)

  await query('DELETE FROM bank_recipients')
  expect([await steps.eraseRecipients({ limit: 2 }), await steps.eraseRecipients({ limit: 2 })]).toEqual([2, 1])
})

test('a note is erased only when both the note and its payout’s final status are old enough', async () => {
  const today = systemClock.now().getTime()
  const day = (days: number) => new Date(today + days * dayMs)
  const id = await aPaid()
  const note = (days: number) => aNote(id, day(days))
  await note(0)
  await note(10)
  await stepsAt(31).eraseRecipients({ limit: 2 })

  expect(await stepsAt(31).eraseRecipients(all)).toBe(1)

  expect(await notesOf(id)).toEqual([day(10).toISOString().slice(0, 10)])
  expect(await stepsAt(41).eraseRecipients(all)).toBe(1)
})

test('the notes of an open payout are kept, however old they are', async () => {
  await world.bank.fault({ kind: 'stuck', state: 'payment_submitted', times: 1, match: {} })
  const { body: open } = await world.pay(payer, {}, { environment: 'live' })
  await aNote(String(open.id), systemClock.now())

  await stepsAt(4_000).eraseRecipients(all)

  expect(await notesOf(String(open.id))).toHaveLength(1)
})

test('shredding also erases the notes, even if the bank details are already erased', async () => {
  const id = await aPaid()
  const shred = () => world.api.db.transaction((tx) => shredRecipient(tx, testKeyring, id))
  await aNote(id, systemClock.now())
  const first = await shred()
  await aNote(id, systemClock.now())

  expect([first, await shred(), await shred()]).toEqual([expect.anything(), expect.anything(), null])
  expect(await notesOf(id)).toEqual([])
})

test('handled bank events are erased, and those that wait for an operator are kept', async () => {
  const old = new Date(systemClock.now().getTime() - 21 * dayMs)
  const young = new Date(systemClock.now().getTime() - 19 * dayMs)
  const attended = { attendedAt: old, attendedBy: 'ops:test', note: 'seen' }
  await anEvent('handled', { receivedAt: old, handledAt: old, outcome: 'signalled' })
  await anEvent('attended', { receivedAt: old, handledAt: old, outcome: 'quarantined', ...attended })
  await anEvent('quarantined', { receivedAt: old, handledAt: old, outcome: 'quarantined' })
  await anEvent('unknown', { receivedAt: old, handledAt: old, outcome: 'unknown_payout' })
  await anEvent('unhandled', { receivedAt: old })
  await anEvent('young', { receivedAt: young, handledAt: young, outcome: 'signalled' })

  expect(await stepsAt(0).eraseBankEvents(all)).toBe(2)

  const left = await query<{ id: string }>('SELECT event_id AS id FROM bank_events ORDER BY event_id')
  expect(left.map(({ id }) => id)).toEqual(['quarantined', 'unhandled', 'unknown', 'young'])
})

async function aPaid(): Promise<string> {
  const { body } = await world.pay(payer, {}, { environment: 'live' })
  await until('the payout is closed', async () => (await closedOf(body.id)) !== null)
  return String(body.id)
}

function aNote(payoutId: string, at: Date): Promise<unknown> {
  const note = { payoutId, at, madeBy: 'ada@acme.test', text: 'The supplier called.', key: randomUUID() }
  return world.api.db.transaction((tx) => addPayoutNote(tx, testKeyring, note, 10))
}

/** The days on which the payout's notes were written. */
async function notesOf(payoutId: string): Promise<string[]> {
  return (await listPayoutNotes(world.api.db, testKeyring, payoutId)).map(({ at }) => at.toISOString().slice(0, 10))
}

/** The activities, with a clock that is this many days ahead. */
function stepsAt(days: number) {
  const clock = { now: () => new Date(systemClock.now().getTime() + days * dayMs) }
  return bind({ db: world.api.db, clock, retention }, { eraseRecipients, eraseBankEvents })
}

function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return world.api.db.dataSource.query(sql, values)
}

async function closedOf(payoutId: unknown): Promise<Date | null> {
  const [row] = await query<{ at: Date | null }>('SELECT closed_at AS at FROM payouts WHERE id = $1', [payoutId])
  return row?.at ?? null
}

async function anEvent(
  eventId: string,
  fields: { receivedAt: Date; handledAt?: Date; outcome?: string },
): Promise<void> {
  const about = { environment: 'live', category: 'transfer', objectRef: 'tr_1', objectState: 'refunded' } as const
  const row = { id: newId(fields.receivedAt), eventId, ...about, ...fields }
  await world.api.db.dataSource.getRepository(bankEvent).insert(row)
}
