// Tells when this process is asked to stop: by a signal, or because npm, which started it, was killed and can not ask any more.

export interface StopRequest {
  readonly requested: Promise<void>
}

const parentCheckMs = 500
const repeatedAfterMs = 1000

/** npm passes Ctrl-C on, so it may arrive twice at once; asked again later than that, a person means it. */
export function whenStopRequested(hurry: () => void): StopRequest {
  let askedMs: number | undefined
  let resolve: () => void
  const requested = new Promise<void>((done) => {
    resolve = done
  })
  const ask = () => {
    if (askedMs === undefined) resolve()
    else if (performance.now() - askedMs > repeatedAfterMs) hurry()
    askedMs ??= performance.now()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)

  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    ask()
  }, parentCheckMs)
  check.unref()
  return { requested }
}
