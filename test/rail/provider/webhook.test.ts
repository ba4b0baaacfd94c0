// The signature of a bank event, and the content of a valid event.
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { readWebhook } from '../../../rail/provider/webhook'
import { BadSignature } from '../../../rail/rail'
import { published } from '../../support/bank/published-signature'

const ours = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const now = 1_800_000_000_000

describe('the signature', () => {
  test('is valid for the bank’s published example', () => {
    const { body, signature, at } = published
    const event = receive(body, `t=${at},v0=${signature}`, { key: published.publicKey, at: at + 1_000 })

    expect(event()).toEqual({ outcome: 'ignored' })
  })

  test('is not valid for the published example with one more byte', () => {
    const { body, signature, at } = published
    const event = receive(`${body} `, `t=${at},v0=${signature}`, { key: published.publicKey, at })

    expect(event).toThrow(BadSignature)
  })

  test.each([
    ['ten minutes ago', 600_000, 'read'],
    ['more than ten minutes ago', 600_001, 'refused'],
    ['ten minutes in the future', -600_000, 'read'],
    ['more than ten minutes in the future', -600_001, 'refused'],
  ])('has a time limit: an event signed %s (%d ms ago) is %s', (_, ageMs, expected) => {
    const event = receive(anEvent(), signed(anEvent(), now - ageMs))

    expect(outcomeOf(event)).toBe(expected)
  })

  test('is not valid with another timestamp', () => {
    const header = signed(anEvent(), now - 700_000).replace(/t=\d+/, `t=${now}`)

    expect(receive(anEvent(), header)).toThrow(BadSignature)
  })

  test('is not valid when made with another key', () => {
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const digest = createHash('sha256').update(`${now}.${anEvent()}`).digest()
    const forged = sign('RSA-SHA256', digest, stranger.privateKey).toString('base64')

    expect(receive(anEvent(), `t=${now},v0=${forged}`)).toThrow(BadSignature)
  })

  test('is not valid when hashed only once', () => {
    const once = sign('RSA-SHA256', Buffer.from(`${now}.${anEvent()}`), ours.privateKey).toString('base64')

    expect(receive(anEvent(), `t=${now},v0=${once}`)).toThrow(BadSignature)
  })

  test.each([
    [undefined],
    [''],
    ['t=1'],
    [`t=${now},v0=`],
    [`t=${now},v0=***`],
    [`t=${now},v1=AAAA`],
    [`t=1e12,v0=AAAA`],
    [`t=${now},v0=AAAAA`],
    [`${signed(anEvent(), now)},v0=AAAA`],
  ])('is not valid in a header like %j', (header) => {
    expect(receive(anEvent(), header)).toThrow(BadSignature)
  })
})

describe('an event', () => {
  test('about a transfer has its ID, its payout and its state', () => {
    expect(receive(anEvent(), signed(anEvent(), now))()).toEqual({
      outcome: 'event',
      eventId: 'wh_1',
      category: 'transfer',
      objectRef: 'tr_1',
      payoutId: 'payout-1',
      state: 'payment_processed',
    })
  })

  test('about a wallet has the wallet’s ID', () => {
    const event_object = { id: 'history_1', bridge_wallet_id: 'wallet_1' }
    const body = anEvent({ event_category: 'bridge_wallet.activity', event_object_status: null, event_object })

    expect(receive(body, signed(body, now))()).toMatchObject({ objectRef: 'wallet_1', payoutId: null, state: null })
  })

  test.each([
    ['with an unknown category', anEvent({ event_category: 'moon_phase' })],
    ['without an ID', anEvent({ event_id: undefined })],
    ['with U+0000 in its ID', anEvent({ event_id: 'a\u0000b' })],
    ['with U+0000 in its object', anEvent({ event_object_id: 'tr_\u0000' })],
    ['with U+0000 in its state', anEvent({ event_object_status: '\u0000' })],
    ['with half of a surrogate pair in its ID', anEvent({ event_id: 'a\ud800' })],
    ['with a huge ID', anEvent({ event_id: 'x'.repeat(201) })],
    ['with a huge state', anEvent({ event_object_status: 'x'.repeat(201) })],
    ['that is not JSON', '{'],
    ['that is a list', '[]'],
  ])('%s is ignored', (_, body) => {
    expect(receive(body, signed(body, now))()).toEqual({ outcome: 'ignored' })
  })
})

function anEvent(change: Record<string, unknown> = {}): string {
  return JSON.stringify({
    api_version: 'v0',
    event_id: 'wh_1',
    event_category: 'transfer',
    event_type: 'transfer.updated.status_transitioned',
    event_object_id: 'tr_1',
    event_object_status: 'payment_processed',
    event_object: { id: 'tr_1', client_reference_id: 'payout-1' },
    ...change,
  })
}

function signed(body: string, at: number): string {
  const digest = createHash('sha256').update(`${at}.${body}`).digest()
  return `t=${at},v0=${sign('RSA-SHA256', digest, ours.privateKey).toString('base64')}`
}

function receive(body: string, signature: string | undefined, { key = publicKey, at = now } = {}) {
  const clock = { now: () => new Date(at) }
  return () => readWebhook({ signature, rawBody: Buffer.from(body), publicKey: createPublicKey(key), clock })
}

function outcomeOf(event: () => unknown): string {
  try {
    event()
    return 'read'
  } catch {
    return 'refused'
  }
}
