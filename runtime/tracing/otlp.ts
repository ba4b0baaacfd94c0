// Spans in the words of OTLP: the JSON of ExportTraceServiceRequest, with ids in hex and 64-bit numbers as strings.
import type { TraceContext } from './context'
import type { Attributes, FinishedSpan, SpanKind } from './span'

export function exportRequest(resource: Attributes, spans: readonly FinishedSpan[]): string {
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
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value }
}
