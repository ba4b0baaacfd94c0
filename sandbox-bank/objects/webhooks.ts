// Webhooks, their events and their delivery logs. A webhook is created disabled, with its own key pair, and enabled by
// PUT.
import { randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Outcome, post, put, type Route, remove } from '../http/call'
import { invalid, notFound } from '../http/errors'
import { optionalChoice, optionalText, requiredChoice, requiredText, valueAt } from '../http/fields'
import { listPage } from '../http/lists'
import type { BankEvent, DeliveryLog, Webhook } from '../storage/records'
import { createKeyPair, firstDelivery, keyPairOf, presentEvent } from '../webhooks/events'

export const webhookRoutes: readonly Route[] = [
  post('/webhooks', createWebhook),
  get('/webhooks', listWebhooks),
  get('/webhooks/:webhook', (call) => present(webhookOf(call))),
  put('/webhooks/:webhook', changeWebhook),
  remove('/webhooks/:webhook', (call) => changed(call, { ...webhookOf(call), status: 'deleted' })),
  get('/webhooks/:webhook/events', listEvents),
  get('/webhooks/:webhook/logs', listLogs),
  post('/webhooks/:webhook/send', sendEvent),
]

function createWebhook(call: Call): Outcome {
  const url = readUrl(requiredText(call.body, 'url', { max: 2_048 }))
  const epoch = requiredChoice(call.body, 'event_epoch', ['webhook_creation', 'beginning_of_time'])
  const webhook: Webhook = {
    id: `wep_${randomUUID().replaceAll('-', '')}`,
    url,
    status: 'disabled',
    epoch,
    categories: readCategories(call.body) ?? [],
    ...nextKeyPair(call),
    createdAt: call.now,
  }
  return { status: 201, body: present(webhook), what: 'webhook.created', puts: [['webhooks', webhook]] }
}

/** Deleted webhooks count too, so that no two webhooks share a key. */
function nextKeyPair({ bank: { books, settings } }: Call) {
  const given = settings.webhookKeys[books.sandbox.webhooks.all().length + books.live.webhooks.all().length]
  return given === undefined ? createKeyPair() : keyPairOf(given)
}

function changeWebhook(call: Call): Outcome {
  const before = webhookOf(call)
  const url = optionalText(call.body, 'url', { min: 1, max: 2_048 })
  const status = optionalChoice(call.body, 'status', ['active', 'disabled', 'deleted']) ?? before.status
  const categories = readCategories(call.body) ?? before.categories
  return changed(call, { ...before, status, categories, url: url === null ? before.url : readUrl(url) })
}

function changed(_call: Call, webhook: Webhook): Outcome {
  return { status: 200, body: present(webhook), what: 'webhook.changed', puts: [['webhooks', webhook]] }
}

/** Requires https, as the real bank does, except on this machine, where no one can intercept the traffic. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const local =
    url !== null && (url.hostname === 'localhost' || url.hostname === '[::1]' || url.hostname.startsWith('127.'))
  if (url?.protocol === 'https:' || (local && url.protocol === 'http:')) return text
  throw invalid('url', 'url must be an https address.')
}

function readCategories(body: unknown): string[] | null {
  const given = valueAt(body, 'event_categories')
  if (given === undefined || given === null) return null
  const names: unknown[] = Array.isArray(given) && given.length <= 50 ? given : [null]
  return names.map((name) => {
    if (typeof name === 'string' && name.length <= 100) return name
    throw invalid('event_categories', 'event_categories must be a list of names.')
  })
}

function listWebhooks(call: Call) {
  const rows = call.books.webhooks.all().filter(({ status }) => status !== 'deleted')
  return listPage(call, rows, present)
}

function listEvents(call: Call) {
  const webhook = webhookOf(call)
  const rows = call.books.events.all().filter((event) => isOf(webhook, event))
  return listPage(call, rows, presentEvent)
}

function listLogs(call: Call) {
  return listPage(call, call.books.deliveryLogs.of(webhookOf(call).id), presentLog)
}

/** Sends an event again, regardless of earlier deliveries. */
function sendEvent(call: Call): Outcome {
  const webhook = webhookOf(call)
  const event = call.books.events.get(requiredText(call.body, 'event_id'))
  if (!event) throw invalid('event_id', 'event_id is not an event of this webhook.')
  const puts = [['deliveries', firstDelivery(call, webhook.id, event.id)]] as const
  return { status: 200, body: { message: 'The event will be sent.' }, what: 'webhook.sent', puts }
}

function isOf(webhook: Webhook, event: BankEvent): boolean {
  const since = webhook.epoch === 'webhook_creation' ? webhook.createdAt : 0
  return event.createdAt >= since && (webhook.categories.length === 0 || webhook.categories.includes(event.category))
}

function webhookOf(call: Call): Webhook {
  const webhook = call.books.webhooks.get(call.param('webhook'))
  if (!webhook || webhook.status === 'deleted') throw notFound('webhook')
  return webhook
}

function present(webhook: Webhook): Record<string, unknown> {
  return {
    id: webhook.id,
    url: webhook.url,
    status: webhook.status,
    public_key: webhook.publicKey,
    event_epoch: webhook.epoch,
    event_categories: webhook.categories,
    created_at: isoTime(webhook.createdAt),
  }
}

function presentLog(log: DeliveryLog): Record<string, unknown> {
  const { id, eventId: event_id, attempt, status: response_status, outcome } = log
  return { id, event_id, attempt, response_status, outcome, created_at: isoTime(log.createdAt) }
}
