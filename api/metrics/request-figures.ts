// How many requests were answered how, and how fast: counted as they are answered, by route and never by URL.
import { createDistribution, type Distribution } from './distribution'
import type { Metric } from './text'

export interface RequestFigures {
  /** The route is null for whatever is not in the table of routes. */
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
  const byRoute = new Map<string, Distribution>()
  return {
    count({ method, route, status, seconds }) {
      // A method can be anything a caller makes up; those of our routes are few.
      const labels = { method: route === null ? 'any' : method, route: route ?? 'other', status: String(status) }
      const key = `${labels.method} ${labels.route} ${labels.status}`
      const counted = byAnswer.get(key)
      if (counted === undefined) byAnswer.set(key, { labels, value: 1 })
      else counted.value += 1
      let times = byRoute.get(labels.route)
      if (times === undefined) byRoute.set(labels.route, (times = createDistribution(bounds)))
      times.add(seconds)
    },
    metrics: () => [
      {
        name: 'payouts_http_requests_total',
        help: 'Requests answered, by route and status.',
        type: 'counter',
        samples: [...byAnswer.values()].map(({ labels, value }) => ({ labels, value })),
      },
      {
        name: 'payouts_http_request_seconds',
        help: 'How long an answer took, by route.',
        type: 'histogram',
        samples: [...byRoute].flatMap(([route, times]) => times.samples({ route })),
      },
    ],
  }
}
