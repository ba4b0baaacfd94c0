// The bank's signature under an event, and what is read from one that holds.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature } from '../../rail/rail'

/** The example that the bank publishes under "Webhook Event Signature Verification". */
const published = {
  at: 1_705_854_411_204,
  body: '{"message":"Hello World!"}',
  publicKey: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt
LX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu
xWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+
O7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU
hG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O
9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+
qwIDAQAB
-----END PUBLIC KEY-----`,
  signature: [
    'jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb',
    '4lWt+TY66LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2',
    'c9D64bGwCEE7QSia+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6',
    'hEEzgiPSff/1nou58dm4bIIazgCWli/mO0NyGcpfFw==',
  ].join(''),
}

const ours = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const now = 1_800_000_000_000

describe('the signature', () => {
  test('of the bank’s published example holds', () => {
    const { body, signature, at } = published
    const event = receive(body, `t=${at},v0=${signature}`, { key: published.publicKey, at: at + 1_000 })

    expect(event()).toEqual({ outcome: 'ignored' })
  })

  test('of the published example does not hold for one byte more', () => {
    const { body, signature, at } = published
    const event = receive(`${body} `, `t=${at},v0=${signature}`, { key: published.publicKey, at })

    expect(event).toThrow(BadSignature)
  })

  test.each([
    ['ten minutes old', 600_000, 'read'],
    ['older', 600_001, 'refused'],
    ['ten minutes early', -600_000, 'read'],
    ['earlier', -600_001, 'refused'],
  ])('that is %s is %s', (_, ageMs, expected) => {
    const event = receive(anEvent(), signed(anEvent(), now - ageMs))

    expect(outcomeOf(event)).toBe(expected)
  })

  test('of another moment than it says does not hold', () => {
    const header = signed(anEvent(), now - 700_000).replace(/t=\d+/, `t=${now}`)

    expect(receive(anEvent(), header)).toThrow(BadSignature)
  })

  test('by somebody else’s key does not hold', () => {
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const digest = createHash('sha256').update(`${now}.${anEvent()}`).digest()
    const forged = sign('RSA-SHA256', digest, stranger.privateKey).toString('base64')

    expect(receive(anEvent(), `t=${now},v0=${forged}`)).toThrow(BadSignature)
  })

  test('that was hashed once does not hold', () => {
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
  ])('in a header like %j does not hold', (header) => {
    expect(receive(anEvent(), header)).toThrow(BadSignature)
  })
})

describe('an event', () => {
  test('of a transfer says which one, whose, and where it stands', () => {
    expect(receive(anEvent(), signed(anEvent(), now))()).toEqual({
      outcome: 'event',
      eventId: 'wh_1',
      category: 'transfer',
      objectRef: 'tr_1',
      payoutId: 'payout-1',
      state: 'payment_processed',
    })
  })

  test('of a wallet says which wallet to ask for', () => {
    const event_object = { id: 'history_1', bridge_wallet_id: 'wallet_1' }
    const body = anEvent({ event_category: 'bridge_wallet.activity', event_object_status: null, event_object })

    expect(receive(body, signed(body, now))()).toMatchObject({ objectRef: 'wallet_1', payoutId: null, state: null })
  })

  test.each([
    ['of a category we do not know', anEvent({ event_category: 'moon_phase' })],
    ['without an id', anEvent({ event_id: undefined })],
    ['that is no JSON', '{'],
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
  return () => readWebhook({ signature, rawBody: Buffer.from(body), publicKey: key, clock })
}

function outcomeOf(event: () => unknown): string {
  try {
    event()
    return 'read'
  } catch {
    return 'refused'
  }
}
