// POST /webhooks/bank: an event is verified by its signature, stored once, and only triggers a request to the
// bank.
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { saveBankWebhook } from '../../../db/bank/webhooks'
import { payoutReturnId } from '../../../workflows/names'
import { startApi } from '../../support/api/client'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { railTo } from '../../support/bank/a-connected-partner'
import { keys, until } from '../../support/bank/client'

const minutes = 60_000
// No poll happens within a test, so every change here was triggered by a webhook.
const world = usePayoutWorld({ payouts: { pollMs: [10 * minutes] } })
let payer: Payer
const signers = { sandbox: aSigner(), live: aSigner() }

beforeAll(async () => {
  payer = await world.aPayer()
})
beforeEach(async () => {
  for (const environment of ['sandbox', 'live'] as const) await tellKeyOf(environment, signers[environment].publicKey)
})
describe('a bank event', () => {
  test('wakes the payout, which polls the bank and completes', async () => {
    const { id, transferRef } = await aPaidTransfer()
    const answer = await deliver(anEvent({ payoutId: id, transferRef, state: 'payment_processed' }))

    expect(answer).toBe('200 told')
    await untilStatus(id, 'completed')
  })

  test('is not trusted, because the payout’s state is always fetched from the bank', async () => {
    const payout = await aTransfer()
    const event = anEvent({ ...payout, state: 'payment_processed' })

    expect(await deliver(event)).toBe('200 told')
    const [stored] = await eventsOf(event.event_id)
    expect(stored).toMatchObject({ environment: 'sandbox', payout_id: payout.payoutId, outcome: 'told', sealed: null })
    expect(await statusOf(payout.payoutId)).toBe('processing')
  })

  test('is answered 200 but stored once when it is delivered twice', async () => {
    const payout = await aTransfer()
    const event = anEvent({ ...payout, state: 'payment_processed' })

    expect([await deliver(event), await deliver(event)]).toEqual(['200 told', '200 repeated'])
    expect(await eventsOf(event.event_id)).toHaveLength(1)
  })

  test('is stored once, with its own outcome, when it arrives five times together with others', async () => {
    const payout = await aTransfer()
    const events = [{ ...payout, state: 'payment_processed' }, { ...payout, state: 'funds_received' }, {}].map(anEvent)

    const answers = await Promise.all(Array.from({ length: 5 }, () => events.map((event) => deliver(event))).flat())

    // Any of the five deliveries may be handled first. The others are repeated, or handled in the same way.
    const handled = events.map((_, place) => answers.find((each, n) => n % 3 === place && each !== '200 repeated'))
    expect(handled).toEqual(['200 told', '200 not_needed', '200 unknown_payout'])
    const stored = await Promise.all(events.map((event) => eventsOf(event.event_id)))
    expect(stored.flat().map((row) => row['outcome'])).toEqual(['told', 'not_needed', 'unknown_payout'])
  })

  test.each([
    ['wakes no workflow for a transfer in flight', { state: 'funds_received' }, '200 not_needed'],
    ['wakes the workflow if its state is unknown', { state: 'levitating' }, '200 told'],
  ])('%s', async (_, change, expected) => {
    expect(await deliver(anEvent({ ...(await aTransfer()), ...change }))).toBe(expected)
  })

  test.each([
    ['the ID of a payout that is not ours', { payoutId: randomUUID() }, '200 unknown_payout'],
    ['a malformed payout ID', { payoutId: 'robert; drop table' }, '200 unknown_payout'],
    ['an unknown category', { category: 'weather' }, '200 unknown_category'],
    ['the category customer', { category: 'customer' }, '200 not_needed'],
    ['U+0000 in its ID', { eventId: 'wh\u0000' }, '200 unknown_category'],
    ['U+0000 in its object', { transferRef: 'tr\u0000' }, '200 unknown_category'],
    ['U+0000 in its state', { state: 'payment\u0000' }, '200 unknown_category'],
    ['half a character in its state', { state: 'payment\ud800' }, '200 unknown_category'],
  ])('is answered 200 and stored if it has %s', async (_, change, expected) => {
    const event = anEvent(change)

    expect([await deliver(event), await deliver(event)]).toEqual([expected, '200 repeated'])
  })

  test('does not reach payouts of the other environment', async () => {
    const payout = await aTransfer()
    const event = anEvent({ ...payout, state: 'payment_processed' })

    expect(await deliver(event, { by: signers.live })).toBe('200 unknown_payout')
    expect(await attentionOf(payout.payoutId)).toBeNull()
  })

  test('is quarantined if it names a transfer other than the payout’s own, because that may be a second payment', async () => {
    const { payoutId } = await aTransfer()

    expect(await deliver(anEvent({ payoutId, transferRef: 'tr_another', state: 'payment_submitted' }))).toBe(
      '200 quarantined',
    )
    expect(await attentionOf(payoutId)).toBe('bank_contradicts_payment_submitted')
  })

  test('is quarantined immediately if it reports a transfer in flight for a payout that failed as never sent', async () => {
    const { payoutId, transferRef } = await aTransfer()
    await fail(payoutId, 'not_sent: x', null)

    expect(await deliver(anEvent({ payoutId, transferRef, state: 'payment_submitted' }))).toBe('200 quarantined')
  })

  test('is quarantined and needs an operator if it contradicts a final payout', async () => {
    const { payoutId, transferRef } = await aTransfer()
    await fail(payoutId, 'bank_refused: x', transferRef)

    expect(await deliver(anEvent({ payoutId, transferRef, state: 'payment_processed' }))).toBe('200 quarantined')
    expect(await statusOf(payoutId)).toBe('failed')
    expect(await attentionOf(payoutId)).toBe('bank_contradicts_payment_processed')
  })

  test('is checked with the bank first if it reports a completed payout as returned', async () => {
    const { id, transferRef } = await aCompleted()

    expect(await deliver(anEvent({ payoutId: id, transferRef, state: 'returned' }))).toBe('200 told')
    await untilReturnEnded(id)
    expect([await statusOf(id), await attentionOf(id)]).toEqual(['completed', null])
  })

  test('leads to a return if the bank confirms it, and the next event leads to the refund', async () => {
    const { id, transferRef } = await aCompleted()
    await advance(transferRef, 'returned')
    await deliver(anEvent({ payoutId: id, transferRef, state: 'returned' }))
    await untilStatus(id, 'returned')
    await advance(transferRef, 'refunded')

    expect(await deliver(anEvent({ payoutId: id, transferRef, state: 'refunded' }))).toBe('200 told')
    await untilReturnEnded(id)
    const late = ['payment_processed', 'returned', 'refunded'].map((state) =>
      anEvent({ payoutId: id, transferRef, state }),
    )
    expect(await Promise.all(late.map((event) => deliver(event)))).toEqual(Array(3).fill('200 too_late'))
    expect(await attentionOf(id)).toBeNull()
  })

  test('changes nothing for a payout that is already final', async () => {
    const { id, transferRef } = await aPaidTransfer()
    await deliver(anEvent({ payoutId: id, transferRef, state: 'payment_processed' }))
    await untilStatus(id, 'completed')

    expect(await deliver(anEvent({ payoutId: id, transferRef, state: 'payment_processed' }))).toBe('200 too_late')
    expect(await statusOf(id)).toBe('completed')
  })
})

async function aCompleted(): Promise<{ id: string; transferRef: string }> {
  const paid = await aPaidTransfer()
  await deliver(anEvent({ payoutId: paid.id, transferRef: paid.transferRef, state: 'payment_processed' }))
  await untilStatus(paid.id, 'completed')
  return paid
}

async function advance(transferRef: string, state: string): Promise<void> {
  await world.bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
}

async function untilReturnEnded(id: string): Promise<void> {
  const handle = world.temporal.workflow.getHandle(payoutReturnId(id))
  await until('the return was handled', async () => (await handle.describe()).status.name === 'COMPLETED')
}

describe('an event is refused if it is', () => {
  test.each([
    ['signed with another key', { by: aSigner() }],
    ['signed eleven minutes ago', { ageMs: 11 * minutes }],
    ['signed eleven minutes in the future', { ageMs: -11 * minutes }],
    ['not signed', { signature: '' }],
    ['signed in another format', { signature: 't=1,v0=AAAA' }],
  ])('%s', async (_, how) => {
    const event = anEvent({})

    expect(await deliver(event, how)).toBe('400 bad_request')
    expect(await eventsOf(event.event_id)).toEqual([])
  })

  test('changed by one byte after signing', async () => {
    const event = anEvent({})
    const text = JSON.stringify(event)

    expect(await post(text.replace('transfer', 'transfeR'), signatureOf(text, signers.sandbox.privateKey, 0))).toBe(
      '400 bad_request',
    )
  })

  test('larger than 64 KiB', async () => {
    expect(await deliver({ ...anEvent({}), note: 'x'.repeat(70_000) })).toBe('413 payload_too_large')
  })
})

test('a newly registered signing key is accepted', async () => {
  const fresh = aSigner()
  await deliver(anEvent({}))
  await tellKeyOf('sandbox', fresh.publicKey)

  const answer = await until('the event with the new key is accepted', async () => {
    const given = await deliver(anEvent({}), { by: fresh })
    return given.startsWith('200') && given
  })
  expect(answer).toBe('200 unknown_payout')
})

test('if both environments use one signing key, an event is handled in the environment of its object', async () => {
  const [sandbox, live] = [await aTransfer(), await aTransfer('live')]
  for (const environment of ['sandbox', 'live'] as const) await tellKeyOf(environment, signers.sandbox.publicKey)
  // A new API process reads the changed keys on its first call.
  const api = await startApi({ database: world.api.databaseUrl })
  const wallets: { environment: string; wallet: string; customer: string }[] = await world.api.db.dataSource.query(
    'SELECT environment, wallet_ref AS wallet, customer_ref AS customer FROM wallets WHERE partner_id = $1',
    [payer.id],
  )
  const cases = [
    { environment: 'sandbox', event: anEvent({ ...sandbox, state: 'funds_received' }) },
    { environment: 'live', event: anEvent({ ...live, state: 'funds_received' }) },
    { environment: 'sandbox', event: anEvent({ transferRef: sandbox.transferRef }) },
    { environment: 'live', event: anEvent({ transferRef: live.transferRef }) },
    ...wallets.flatMap(({ environment, wallet, customer }) => [
      { environment, event: { ...anEvent({ category: 'bridge_wallet.activity' }), event_object: withdrawal(wallet) } },
      { environment, event: anEvent({ category: 'customer', transferRef: customer }) },
    ]),
    { environment: 'live', event: anEvent({ payoutId: randomUUID() }) },
    { environment: 'live', event: anEvent({ payoutId: 'no uuid', transferRef: 'tr_unknown' }) },
  ]

  const answers: string[] = []
  for (const { event } of cases) {
    const text = JSON.stringify(event)
    answers.push(await post(text, signatureOf(text, signers.sandbox.privateKey, 0), api.url))
  }
  await api.close()

  expect(answers.slice(0, 2)).toEqual(['200 not_needed', '200 not_needed'])
  const stored = await Promise.all(cases.map(({ event }) => eventsOf(event.event_id)))
  expect(stored.map(([row]) => row?.['environment'])).toEqual(cases.map(({ environment }) => environment))
  expect(stored.slice(0, 2).map(([row]) => row?.['payout_id'])).toEqual([sandbox.payoutId, live.payoutId])
})

test('only the IDs, the category and the state of an event are stored', async () => {
  const event = { ...anEvent({}), event_object: { client_reference_id: null, name: 'Canary Bird', iban: 'CANARY' } }
  await deliver(event)

  const rows = await world.api.db.dataSource.query('SELECT e::text AS event FROM bank_events e')
  expect(JSON.stringify(rows)).not.toMatch(/canary/i)
})

test('the bank’s own events complete a payout', async () => {
  const rail = railTo(world.bank.url, { apiKey: keys.sandbox })
  const { publicKey } = await rail.registerWebhook({ url: `${world.api.url}/webhooks/bank`, key: randomUUID() })
  await tellKeyOf('sandbox', publicKey)

  // The API refuses the bank's events until it has read the new key. The bank sends refused events again.
  const { id } = await aPaidTransfer()

  expect(await untilStatus(id, 'completed')).toBe(true)
  rail.close()
})

test('an event is answered with 503 while Temporal is unavailable, and handled when the bank sends it again', async () => {
  const withoutTemporal = await startApi({ database: world.api.databaseUrl, temporalAddress: '127.0.0.1:1' })
  const event = anEvent({ ...(await aTransfer()), state: 'payment_processed' })
  const text = JSON.stringify(event)

  const refused = await post(text, signatureOf(text, signers.sandbox.privateKey, 0), withoutTemporal.url)
  await withoutTemporal.close()

  expect(refused).toBe('503 service_unavailable')
  expect(await eventsOf(event.event_id)).toEqual([expect.objectContaining({ handled_at: null })])
  expect(await deliver(event)).toBe('200 told')
})

async function aTransfer(
  environment: 'sandbox' | 'live' = 'sandbox',
): Promise<{ payoutId: string; transferRef: string }> {
  const { body } = await world.pay(payer, {}, { environment })
  const [transfer] = await world.transfersOf(String(body['id']))
  return { payoutId: String(body['id']), transferRef: String(transfer.id) }
}

async function fail(payoutId: string, reason: string, transferRef: string | null): Promise<void> {
  await world.api.db.dataSource.query(
    `UPDATE payouts SET status = 'failed', failure_reason = $2, transfer_ref = $3, closed_at = now() WHERE id = $1`,
    [payoutId, reason, transferRef],
  )
}

async function aPaidTransfer(): Promise<{ id: string; transferRef: string }> {
  const { payoutId: id, transferRef } = await aTransfer()
  for (const state of ['funds_received', 'payment_submitted', 'payment_processed']) {
    await world.bank.control('POST', `/transfers/${transferRef}/advance`, { state })
  }
  return { id, transferRef }
}

async function attentionOf(id: string): Promise<unknown> {
  const [row] = await world.api.db.dataSource.query('SELECT attention FROM payouts WHERE id = $1', [id])
  return row.attention
}

async function statusOf(id: string): Promise<unknown> {
  return (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.sandbox })).body['status']
}

function untilStatus(id: string, status: string, withinMs?: number): Promise<unknown> {
  return until(`${id} ${status}`, async () => (await statusOf(id)) === status, withinMs)
}

type EventChange = Partial<Record<'eventId' | 'payoutId' | 'transferRef' | 'state' | 'category', string>>

function anEvent({ payoutId, transferRef = 'tr_1', state = 'pending', ...rest }: EventChange) {
  const { eventId = `wh_${randomUUID()}`, category = 'transfer' } = rest
  return {
    event_id: eventId,
    event_category: category,
    event_object_id: transferRef,
    event_object_status: state,
    event_object: { id: transferRef, client_reference_id: payoutId ?? null },
  }
}

const withdrawal = (wallet: string) => ({ id: randomUUID(), bridge_wallet_id: wallet, type: 'withdrawal' })

interface Signer {
  readonly privateKey: KeyObject
  readonly publicKey: string
}

function aSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

function signatureOf(text: string, privateKey: KeyObject, ageMs: number): string {
  const at = Date.now() - ageMs
  const digest = createHash('sha256').update(`${at}.${text}`).digest()
  return `t=${at},v0=${sign('RSA-SHA256', digest, privateKey).toString('base64')}`
}

function deliver(
  event: object,
  { by = signers.sandbox, ageMs = 0, signature }: { by?: Signer; ageMs?: number; signature?: string } = {},
): Promise<string> {
  const text = JSON.stringify(event)
  return post(text, signature ?? signatureOf(text, by.privateKey, ageMs))
}

async function post(text: string, signature: string, url = world.api.url): Promise<string> {
  const response = await fetch(`${url}/webhooks/bank`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Webhook-Signature': signature },
    body: text,
  })
  const { outcome, error } = JSON.parse(await response.text())
  return `${response.status} ${outcome ?? error.code}`
}

async function eventsOf(eventId: string): Promise<Record<string, unknown>[]> {
  return world.api.db.dataSource.query('SELECT * FROM bank_events WHERE event_id = $1', [eventId])
}

function tellKeyOf(environment: 'sandbox' | 'live', publicKey: string): Promise<void> {
  const about = { environment, url: 'http://payouts.test/webhooks/bank', webhookRef: randomUUID() }
  return saveBankWebhook(world.api.db, { ...about, publicKey }, new Date())
}
