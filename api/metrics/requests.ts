// How many requests were answered how, and how fast: counted as they are answered, by route and never by URL.
import { createDistribution, type Distribution, type Metric } from '../../runtime/metrics'

export interface RequestFigures {
  /** The route is null if no route matches. */
  count(request: {
    readonly method: string
    readonly route: string | null
    readonly status: number
    readonly seconds: number
  }): void
  metrics(): Metric[]
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createRequestFigures(): RequestFigures {
  const byAnswer = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>()
  const byRoute = new Map<string, { labels: Readonly<Record<string, string>>; times: Distribution }>()
  return {
    count({ method, route, status, seconds }) {
      // A method can be anything a caller makes up; those of our routes are few.
      const labels = { method: route === null ? 'any' : method, route: route ?? 'other' }
      const key = `${labels.method} ${labels.route}`
      const counted = byAnswer.get(`${key} ${status}`)
      if (counted === undefined)
        byAnswer.set(`${key} ${status}`, { labels: { ...labels, status: String(status) }, value: 1 })
      else counted.value += 1
      let timed = byRoute.get(key)
      if (timed === undefined) byRoute.set(key, (timed = { labels, times: createDistribution(bounds) }))
      timed.times.add(seconds)
    },
    metrics: () => [
      {
        name: 'payouts_http_requests_total',
        help: 'Requests answered, by method, route and status.',
        type: 'counter',
        samples: [...byAnswer.values()].map(({ labels, value }) => ({ labels, value })),
      },
      {
        name: 'payouts_http_request_seconds',
        help: 'How long an answer took, by method and route.',
        type: 'histogram',
        samples: [...byRoute.values()].flatMap(({ labels, times }) => times.samples(labels)),
      },
    ],
  }
}
