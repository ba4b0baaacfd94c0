// Which span of which trace something belongs to, and how that travels: the traceparent of W3C Trace Context.

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Whether its spans are kept. */
  readonly sampled: boolean
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** Null for everything that the standard tells to ignore. */
export function parseTraceparent(text: string): TraceContext | null {
  const [, version = '', traceId = '', spanId = '', flags = '', more = ''] = pattern.exec(text) ?? []
  // A later version may add fields, this one has none.
  if (version === '' || version === 'ff' || (version === '00' && more !== '')) return null
  if (isZero(traceId) || isZero(spanId)) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}
