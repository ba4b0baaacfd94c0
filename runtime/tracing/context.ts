// The trace context of a span, and how it is passed on: as a W3C traceparent, and in a Temporal header that workflows
// forward without reading it.
import { defaultPayloadConverter, type Headers } from '@temporalio/common'
import { traceHeader } from '../../workflows/trace-context'

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Whether the trace's spans are exported. */
  readonly sampled: boolean
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** Null for a header that must be ignored according to the standard. */
export function parseTraceparent(text: string): TraceContext | null {
  const [, version = '', traceId = '', spanId = '', flags = '', more = ''] = pattern.exec(text) ?? []
  // A later version may add fields. Version 00 has none.
  if (version === '' || version === 'ff' || (version === '00' && more !== '')) return null
  if (isZero(traceId) || isZero(spanId)) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function withContext(headers: Headers, context: TraceContext): Headers {
  return { ...headers, [traceHeader]: defaultPayloadConverter.toPayload(formatTraceparent(context)) }
}

/** Null if there is no trace header, or if it cannot be parsed. */
export function contextIn(headers: Headers): TraceContext | null {
  const payload = headers[traceHeader]
  if (payload === undefined) return null
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload)
    return typeof value === 'string' ? parseTraceparent(value) : null
  } catch {
    return null
  }
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}
