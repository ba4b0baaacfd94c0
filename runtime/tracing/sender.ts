// Hands one batch after another to the collector: an attempt never throws, and is over in time.
import { errorTypeOf } from './span'

export interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** `later`: the same batch may be taken another time. `refused`: it never will. */
export type Posted = { readonly outcome: 'taken' } | { readonly outcome: 'later' | 'refused'; readonly why: string }

export interface Sender {
  post(body: string): Promise<Posted>
  /** Gives up what is under way and all that follows. */
  end(): void
}

/** A signal for each attempt: on Node 20 what is joined to a lasting one is not forgotten. */
export function createSender(collector: Collector, withinMs: number): Sender {
  let attempt = new AbortController()
  let isOver = false
  return {
    async post(body) {
      const own = new AbortController()
      attempt = own
      if (isOver) own.abort()
      const giveUp = setTimeout(() => own.abort(new DOMException('too slow', 'TimeoutError')), withinMs)
      const posted = await post(collector, body, own.signal)
      clearTimeout(giveUp)
      return posted
    },
    end() {
      isOver = true
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
      // Wherever else it leads to was not told our secrets.
      redirect: 'manual',
      signal,
    })
    // Read to its end, so that the connection can be used again.
    await response.arrayBuffer()
    if (response.ok) return { outcome: 'taken' }
    return { outcome: passing.includes(response.status) ? 'later' : 'refused', why: `HTTP ${response.status}` }
  } catch (error) {
    // What fetch throws says nothing itself; its cause is what went wrong.
    return { outcome: 'later', why: errorTypeOf(error instanceof Error ? (error.cause ?? error) : error) }
  }
}

/** Those that OTLP calls retryable. */
const passing: readonly number[] = [429, 502, 503, 504]
