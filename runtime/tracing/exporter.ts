// Exports finished spans to the collector in batches. A slow collector never delays the caller: spans are dropped
// instead.
import type { Log } from '../log'
import type { TraceContext } from './context'
import { type Attributes, errorTypeOf, type FinishedSpan, type SpanKind } from './tracer'

export interface Exporter {
  /** Never waits and never throws. */
  add(span: FinishedSpan): void
  /** Spans lost since the last recovery. */
  lost(): number
  /** Sends the remaining spans within the time limit. Never throws. */
  close(): Promise<void>
}

interface ExporterOptions {
  readonly collector: Collector
  /** Describes this process. */
  readonly resource: Attributes
  readonly log: Log
  readonly limits?: Partial<Limits>
}

export interface Limits {
  readonly batchMax: number
  /** A span uses about a kilobyte. */
  readonly queueMax: number
  /** An incomplete batch is sent after this time. */
  readonly everyMs: number
  readonly postWithinMs: number
  readonly closeWithinMs: number
}

const defaults: Limits = { batchMax: 512, queueMax: 4_096, everyMs: 1_000, postWithinMs: 5_000, closeWithinMs: 1_000 }

export function createExporter({ collector, resource, log, limits }: ExporterOptions): Exporter {
  const { batchMax, queueMax, everyMs, postWithinMs, closeWithinMs } = { ...defaults, ...limits }
  const queue: FinishedSpan[] = []
  const sender = createSender(collector, postWithinMs)
  let sending: Promise<void> | null = null
  let lost = 0
  let isFailing = false

  function onFailure(why: string): void {
    if (!isFailing) log.warn({ why }, 'cannot send traces; drops them when the queue is full')
    isFailing = true
  }
  /** Logs the recovery only when the queue is at most half full, not with every accepted batch. */
  function onAccepted(): void {
    if (!isFailing || queue.length > queueMax / 2) return
    log.info({ spans_lost: lost }, 'sending traces again')
    isFailing = false
    lost = 0
  }

  /** Sends the spans that are queued now. Later ones wait for the next call. */
  async function sendQueue(): Promise<void> {
    for (let left = queue.length; left > 0; ) {
      const batch = queue.slice(0, Math.min(left, batchMax))
      const posted = await sender.post(exportRequest(resource, batch))
      if (posted.outcome === 'retry') return onFailure(posted.why)
      queue.splice(0, batch.length)
      left -= batch.length
      if (posted.outcome === 'accepted') onAccepted()
      else {
        lost += batch.length
        return onFailure(posted.why)
      }
    }
  }
  function send(): Promise<void> {
    sending ??= sendQueue().finally(() => {
      sending = null
    })
    return sending
  }

  const timer = setInterval(() => void send(), everyMs).unref()
  return {
    add(span) {
      if (queue.length >= queueMax) {
        lost += 1
        return onFailure('queue full')
      }
      queue.push(span)
      if (queue.length >= batchMax && !isFailing) void send()
    },
    lost: () => lost,
    async close() {
      clearInterval(timer)
      const deadline = setTimeout(() => sender.end(), closeWithinMs)
      await sending
      await send()
      clearTimeout(deadline)
      if (queue.length + lost > 0) log.warn({ spans_lost: queue.length + lost }, 'traces were lost')
    },
  }
}

/** The JSON of ExportTraceServiceRequest, with IDs in hex and 64-bit numbers as strings. */
function exportRequest(resource: Attributes, spans: readonly FinishedSpan[]): string {
  const scopeSpans = [{ scope: { name: 'payouts' }, spans: spans.map(spanOf) }]
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] })
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const statusError = 2

function spanOf(span: FinishedSpan) {
  const { context, parentSpanId, link, name, kind, startNano, endNano, attributes, outcome } = span
  return {
    ...idsOf(context),
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: String(startNano),
    endTimeUnixNano: String(endNano),
    attributes: attributesOf(attributes),
    ...(link === null ? {} : { links: [idsOf(link)] }),
    status: outcome === 'failed' ? { code: statusError } : {},
  }
}

function idsOf({ traceId, spanId }: TraceContext) {
  return { traceId, spanId }
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: valueOf(value) }]))
}

function valueOf(value: string | number | boolean) {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: value }
  // A collector rejects the whole batch if an intValue is not an integer.
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** `retry`: the collector may accept the same batch later. `refused`: it will never accept the batch. */
type Posted = { readonly outcome: 'accepted' } | { readonly outcome: 'retry' | 'refused'; readonly why: string }

interface Sender {
  post(body: string): Promise<Posted>
  /** Aborts the current post and all later ones. */
  end(): void
}

/**
 * A post never throws, and ends within its timeout. Each post has its own signal, because Node 20 leaks signals that
 * are combined with a long-lived one.
 */
function createSender(collector: Collector, timeoutMs: number): Sender {
  let attempt = new AbortController()
  let isEnded = false
  return {
    async post(body) {
      const own = new AbortController()
      attempt = own
      if (isEnded) own.abort()
      const timer = setTimeout(() => own.abort(new DOMException('too slow', 'TimeoutError')), timeoutMs)
      const posted = await post(collector, body, own.signal)
      clearTimeout(timer)
      return posted
    },
    end() {
      isEnded = true
      attempt.abort()
    },
  }
}

async function post({ url, headers }: Collector, body: string, signal: AbortSignal): Promise<Posted> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      // The headers contain secrets, which must not follow a redirect to another host.
      redirect: 'manual',
      signal,
    })
    // Reading the whole body lets the connection be reused.
    await response.arrayBuffer()
    if (response.ok) return { outcome: 'accepted' }
    return { outcome: retryable.includes(response.status) ? 'retry' : 'refused', why: `HTTP ${response.status}` }
  } catch (error) {
    // fetch throws a generic error, whose cause has the details.
    return { outcome: 'retry', why: errorTypeOf(error instanceof Error ? (error.cause ?? error) : error) }
  }
}

/** The statuses that OTLP defines as retryable. */
const retryable: readonly number[] = [429, 502, 503, 504]
