// Webhook events: created in the same change as their cause, so that they match the stored state, and signed on
// delivery.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Fault, Subject } from '../control/faults'
import { isoTime, type Moment } from '../http/call'
import type { BankEvent, Delivery, Put, Webhook } from '../storage/records'

interface EventContent {
  readonly category: string
  readonly type: string
  readonly objectId: string
  readonly status: string | null
  readonly object: unknown
  readonly changes: Readonly<Record<string, unknown>>
  /** The fields, besides the category, that a webhook fault can match. */
  readonly about?: Subject
}

/** How long an event waits to be overtaken if no other event follows. */
const overtakenWithinMs = 60_000

export function recordEvent(moment: Moment, content: EventContent): Put[] {
  const webhooks = moment.books.webhooks.all().filter((webhook) => webhook.status !== 'deleted')
  // Without a webhook, no client could read the event.
  if (webhooks.length === 0) return []

  const { faults } = moment.bank
  const subject: Subject = { ...content.about, environment: moment.environment, category: content.category }
  const strange = faults.take(['webhook_unknown_category'], subject)
  const event = buildEvent(moment, content, subject, strange?.category ?? (strange ? 'moon_phase' : content.category))
  if (faults.take(['webhook_lost'], subject)) return [['events', event]]

  const late = faults.take(['webhook_late', 'webhook_reorder'], subject)
  const again = faults.take(['webhook_duplicate'], subject)
  const copies = again ? 1 + (again.copies ?? 1) : 1
  const deliveries = webhooks
    .filter((webhook) => isFor(webhook, content.category))
    .flatMap((webhook) => Array.from({ length: copies }, () => delivery(moment, webhook, event, late)))
  return [['events', event], ...deliveries.map((each): Put => ['deliveries', each])]
}

export function firstDelivery(moment: Moment, webhookId: string, eventId: string): Delivery {
  const { now } = moment
  const id = randomUUID()
  return { id, webhookId, eventId, attempts: 0, nextAt: now, order: 'as it comes', status: 'waiting' }
}

export function presentEvent(event: BankEvent): unknown {
  return JSON.parse(event.body)
}

function buildEvent(moment: Moment, content: EventContent, subject: Subject, category: string): BankEvent {
  const id = `wh_${randomUUID().replaceAll('-', '')}`
  const sequence = moment.bank.nextEventSequence(moment.environment)
  const body = JSON.stringify({
    api_version: 'v0',
    event_id: id,
    event_sequence: sequence,
    event_developer_id: `dev_${moment.environment}`,
    event_category: category,
    event_type: content.type,
    event_object_id: content.objectId,
    event_object_status: content.status,
    event_object: content.object,
    event_object_changes: content.changes,
    event_created_at: isoTime(moment.now),
  })
  const about = Object.fromEntries(Object.entries(subject).filter((pair) => typeof pair[1] === 'string'))
  return { id, objectId: content.objectId, sequence, category, about, body, createdAt: moment.now }
}

function isFor(webhook: Webhook, category: string): boolean {
  return webhook.status === 'active' && (webhook.categories.length === 0 || webhook.categories.includes(category))
}

function delivery(moment: Moment, webhook: Webhook, event: BankEvent, late: Fault | null): Delivery {
  const first = firstDelivery(moment, webhook.id, event.id)
  if (late?.kind === 'webhook_reorder') return { ...first, order: 'overtaken', nextAt: moment.now + overtakenWithinMs }
  return { ...first, nextAt: moment.now + (late?.ms ?? 0) }
}

const signInBackground = promisify(sign)

interface KeyPair {
  readonly publicKey: string
  readonly privateKey: string
}

export function createKeyPair(): KeyPair {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

export function keyPairOf(privateKey: string): KeyPair {
  return { privateKey, publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString() }
}

/** RSA-SHA256 over the SHA-256 digest of "<t>.<body>". The text is hashed twice, as at the real bank. */
export async function signatureHeader(body: string, atMs: number, privateKey: string): Promise<string> {
  const digest = createHash('sha256').update(`${atMs}.${body}`).digest()
  const signature = await signInBackground('RSA-SHA256', digest, parsedKey(privateKey))
  return `t=${atMs},v0=${signature.toString('base64')}`
}

const parsedKeys = new Map<string, KeyObject>()

/** Parsing a key takes longer than signing with it, and a bank has few webhooks. */
function parsedKey(pem: string): KeyObject {
  const parsed = parsedKeys.get(pem) ?? createPrivateKey(pem)
  parsedKeys.set(pem, parsed)
  return parsed
}
