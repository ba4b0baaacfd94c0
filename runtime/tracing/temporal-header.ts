// How a trace travels through Temporal: one header with a traceparent in it, which workflows hand on unread (workflows/trace-context.ts).
import { defaultPayloadConverter, type Headers } from '@temporalio/common'
import { traceHeader } from '../../workflows/trace-context'
import { formatTraceparent, parseTraceparent, type TraceContext } from './context'

export function withContext(headers: Headers, context: TraceContext): Headers {
  return { ...headers, [traceHeader]: defaultPayloadConverter.toPayload(formatTraceparent(context)) }
}

/** Null where there is none, or one that nobody can read. */
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
