// Verifies that the bank signed an event recently, and reads which object the event concerns.
import { createHash, type KeyObject, verify } from 'node:crypto'
import { isVisibleLine } from '../../domain/limits'
import type { Clock } from '../../runtime/clock'
import { BadSignature, type WebhookEvent } from '../rail'
import { optionalTextAt, textAt, Unreadable } from './fields'

interface ReceivedWebhook {
  /** The X-Webhook-Signature header. */
  readonly signature: string | undefined
  /** The raw body, because the signature covers every byte. */
  readonly rawBody: Buffer
  /** The key of this environment's webhook. Parsing its PEM text takes longer than the verification, so parse it once. */
  readonly publicKey: KeyObject
  readonly clock: Clock
}

const walletActivity = 'bridge_wallet.activity'

export const webhookCategories = ['transfer', 'customer', 'kyc_link', walletActivity] as const

/**
 * Throws BadSignature if the signature is not valid. A signed event that is unreadable or does not concern us is
 * ignored, and the bank receives a 200.
 */
export function readWebhook({ signature, rawBody, publicKey, clock }: ReceivedWebhook): WebhookEvent {
  const { at, bytes } = parseHeader(signature)
  if (Math.abs(clock.now().getTime() - Number(at)) > maxAgeMs) throw new BadSignature('the timestamp is not recent')

  // The bank signs a SHA-256 digest, and the signature algorithm hashes it again. The bank's published example
  // verifies only in this form.
  const digest = createHash('sha256').update(`${at}.`).update(rawBody).digest()
  if (!verify('RSA-SHA256', digest, publicKey, bytes)) throw new BadSignature('it does not match')
  return readEvent(rawBody)
}

const maxAgeMs = 600_000
const header = /^t=(\d{1,15}),v0=([A-Za-z0-9+/]{1,2000}={0,2})$/

function parseHeader(signature: string | undefined): { at: string; bytes: Buffer } {
  const [, at = '', encoded = ''] = header.exec(signature ?? '') ?? []
  const bytes = Buffer.from(encoded, 'base64')
  if (at === '' || bytes.toString('base64') !== encoded) throw new BadSignature('the header cannot be read')
  return { at, bytes }
}

function readEvent(rawBody: Buffer): WebhookEvent {
  try {
    const event: unknown = JSON.parse(rawBody.toString('utf8'))
    const category = textAt(event, 'event_category')
    if (!webhookCategories.some((each) => each === category)) return { outcome: 'ignored' }
    const state = optionalTextAt(event, category === walletActivity ? 'event_object.type' : 'event_object_status')
    return {
      outcome: 'event',
      eventId: storable(textAt(event, 'event_id')),
      category,
      // The bank has no endpoint for a single movement, so the event refers to the movement's wallet.
      objectRef: storable(
        textAt(event, category === walletActivity ? 'event_object.bridge_wallet_id' : 'event_object_id'),
      ),
      payoutId: category === 'transfer' ? optionalTextAt(event, 'event_object.client_reference_id') : null,
      // For a movement, the state is its direction.
      state: state === null ? null : storable(state),
    }
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError) return { outcome: 'ignored' }
    throw error
  }
}

const maxTextLength = 200

/** PostgreSQL rejects U+0000, and two different IDs with invalid characters would be stored as the same ID. */
function storable(text: string): string {
  if (text.length > maxTextLength || !isVisibleLine(text)) throw new Unreadable('text')
  return text
}
