// Delivers events to webhooks. Each attempt has a new signature. Failed attempts are retried with backoff, by default
// for two days.
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { Bank } from '../bank'
import type { Timers } from '../clock/clock'
import type { Settings } from '../settings'
import { type BankEvent, type Delivery, type Environment, environments, type Webhook } from '../storage/records'
import { signatureHeader } from './events'

interface Deliverer {
  stop(): Promise<void>
}

interface Attempted {
  readonly status: number | null
  readonly outcome: string
}

const concurrency = 32
/** Older than any timestamp that a receiver should accept. */
const expiredMs = 11 * 60_000

export function startDeliverer({ bank, timers }: { bank: Bank; timers: Timers }): Deliverer {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const queue: (() => void)[] = []
  const held = new Map<string, Delivery>()

  function watch(environment: Environment, delivery: Delivery): void {
    const waits = delivery.status === 'waiting'
    if (waits && delivery.order === 'overtaken') held.set(delivery.id, delivery)
    else held.delete(delivery.id)
    timers.set(`delivery/${delivery.id}`, waits ? delivery.nextAt : null, () => enqueue(environment, delivery.id))
  }

  function enqueue(environment: Environment, id: string): void {
    queue.push(() => {
      const attempt = attemptOne(environment, id).finally(() => {
        running.delete(attempt)
        queue.shift()?.()
      })
      running.add(attempt)
    })
    if (running.size < concurrency) queue.shift()?.()
  }

  async function attemptOne(environment: Environment, id: string): Promise<void> {
    const { books } = bank
    const delivery = books[environment].deliveries.get(id)
    const webhook = delivery && books[environment].webhooks.get(delivery.webhookId)
    const event = delivery && books[environment].events.get(delivery.eventId)
    if (!delivery || stopping.signal.aborted) return
    const wanted = webhook?.status === 'active' && event
    const attempted = wanted
      ? await send({ bank, webhook, event, stopping: stopping.signal })
      : { status: null, outcome: 'the webhook is no longer active' }
    // The bank is stopping. It repeats the attempt after its restart.
    if (stopping.signal.aborted) return
    record(environment, delivery, attempted, wanted ? event.createdAt : 0)
    if (wanted && attempted.outcome === 'delivered') releaseOvertaken(environment, event)
  }

  function record(environment: Environment, delivery: Delivery, attempted: Attempted, eventAt: number): void {
    const now = bank.clock.nowMs()
    const attempts = delivery.attempts + 1
    const nextAt = now + backoffMs(bank.settings, delivery.attempts)
    const over = attempted.outcome === 'delivered' || nextAt > eventAt + bank.settings.webhookGiveUpMs
    const { webhookId, eventId } = delivery
    bank.commit(environment, 'webhook.attempted', [
      ['deliveries', { ...delivery, attempts, nextAt, order: 'as it comes', status: over ? 'over' : 'waiting' }],
      ['deliveryLogs', { id: randomUUID(), webhookId, eventId, attempt: attempts, ...attempted, createdAt: now }],
    ])
  }

  function releaseOvertaken(environment: Environment, by: BankEvent): void {
    for (const delivery of held.values()) {
      const event = bank.books[environment].events.get(delivery.eventId)
      if (event?.objectId !== by.objectId || event.sequence >= by.sequence) continue
      const now = bank.clock.nowMs()
      bank.commit(environment, 'webhook.overtaken', [
        ['deliveries', { ...delivery, order: 'as it comes', nextAt: now }],
      ])
    }
  }

  for (const environment of environments) {
    for (const delivery of bank.books[environment].deliveries.all()) watch(environment, delivery)
  }
  bank.onCommit(({ environment, puts }) => {
    for (const [name, object] of puts) if (name === 'deliveries') watch(environment, object)
  })

  return {
    async stop() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

async function send(order: {
  bank: Bank
  webhook: Webhook
  event: BankEvent
  stopping: AbortSignal
}): Promise<Attempted> {
  const { bank, webhook, event, stopping } = order
  // An event must not report a change that a crash could still undo.
  await bank.settled()
  const expired = bank.faults.take(['webhook_expired'], event.about)
  const forged = bank.faults.take(['webhook_bad_signature'], event.about)
  const signedAt = bank.clock.nowMs() - (expired ? (expired.ms ?? expiredMs) : 0)
  const signature = await signatureHeader(forged ? `${event.body} ` : event.body, signedAt, webhook.privateKey)
  const timeout = AbortSignal.timeout(bank.settings.webhookTimeoutMs)
  try {
    const status = await post(webhook.url, event.body, signature, AbortSignal.any([stopping, timeout]))
    return { status, outcome: status >= 200 && status < 300 ? 'delivered' : 'refused' }
  } catch {
    return { status: null, outcome: timeout.aborted ? 'timeout' : 'unreachable' }
  }
}

/** Returns the status of the response. Follows no redirect. Keeps connections open, which costs less than `fetch`. */
function post(url: string, body: string, signature: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith('https:')
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Webhook-Signature': signature,
    }
    const options = { method: 'POST', headers, signal, agent: isSecure ? secureConnections : connections }
    const sent = (isSecure ? secureRequest : request)(url, options, (response) => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Shorter than servers usually keep idle connections, so that no event is sent on one that the server is closing. */
const idleMs = 2_000
const connections = new Agent({ keepAlive: true, timeout: idleMs })
const secureConnections = new SecureAgent({ keepAlive: true, timeout: idleMs })

/** Doubles with every attempt, up to a limit. */
function backoffMs({ webhookRetryMs, webhookRetryMaxMs }: Settings, attemptsBefore: number): number {
  return Math.min(webhookRetryMaxMs, webhookRetryMs * 2 ** Math.min(attemptsBefore, 30))
}
