// Posts batches to the collector. A post never throws, and ends within its timeout.
import { errorTypeOf } from './span'

export interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** `retry`: the collector may accept the same batch later. `refused`: it never will. */
type Posted = { readonly outcome: 'accepted' } | { readonly outcome: 'retry' | 'refused'; readonly why: string }

interface Sender {
  post(body: string): Promise<Posted>
  /** Aborts the current post and all later ones. */
  end(): void
}

/** Each post has its own signal, because Node 20 leaks signals that are combined with a long-lived one. */
export function createSender(collector: Collector, timeoutMs: number): Sender {
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
      // The headers hold secrets, which must not follow a redirect to another host.
      redirect: 'manual',
      signal,
    })
    // Reading the whole body lets the connection be reused.
    await response.arrayBuffer()
    if (response.ok) return { outcome: 'accepted' }
    return { outcome: retryable.includes(response.status) ? 'retry' : 'refused', why: `HTTP ${response.status}` }
  } catch (error) {
    // The error of fetch is generic; its cause has the details.
    return { outcome: 'retry', why: errorTypeOf(error instanceof Error ? (error.cause ?? error) : error) }
  }
}

/** The statuses that OTLP defines as retryable. */
const retryable: readonly number[] = [429, 502, 503, 504]
