// Tells when this process is asked to stop: by a signal, or because npm, which started it, was killed and can not ask any more.

const parentCheckMs = 500
const repeatedAfterMs = 1000

export interface StopOptions {
  /** The process whose end is a request too: npm's. Null for a start without npm, whose shell may leave it in the background. */
  readonly parent: number | null
  /** Asked again: nobody wants to wait for an orderly end. */
  readonly hurry: () => void
}

/** npm passes Ctrl-C on, so it may arrive twice at once; only what comes later than that was asked for again. */
export function stopSignal({ parent, hurry }: StopOptions): AbortSignal {
  const stop = new AbortController()
  let askedMs: number | undefined
  const ask = () => {
    if (askedMs !== undefined && performance.now() - askedMs > repeatedAfterMs) hurry()
    askedMs ??= performance.now()
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)

  if (parent !== null) setInterval(() => process.ppid !== parent && stop.abort(), parentCheckMs).unref()
  return stop.signal
}
