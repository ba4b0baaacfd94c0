// Tells when this process is asked to stop: by a signal, or because npm, which started it, was killed and can not ask any more.

const parentCheckMs = 500
const repeatedAfterMs = 1000

/** npm passes Ctrl-C on, so it may arrive twice at once; asked again later than that, a person is in a hurry. */
export function stopSignal(hurry: () => void): AbortSignal {
  const stop = new AbortController()
  let askedMs: number | undefined
  const ask = () => {
    if (askedMs !== undefined && performance.now() - askedMs > repeatedAfterMs) hurry()
    askedMs ??= performance.now()
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)

  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    ask()
  }, parentCheckMs)
  check.unref()
  return stop.signal
}
