// Counts answered requests and calls to the bank, with their durations, by route or operation. URLs are never labels.
import type { Environment } from '../../domain/environment'
import { bankCallBounds, bankCallOutcomes } from '../../rail/rail'
import type { OnBankCall } from '../../rail/rails'
import { createTally, type Metric } from '../../runtime/metrics'

export interface RequestMetrics {
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

export function createRequestMetrics(): RequestMetrics {
  const tally = createTally(bounds)
  return {
    count({ method, route, status, seconds }) {
      // A caller can send any method name, so the label contains the method only for our own routes.
      const timed = { method: route === null ? 'any' : method, route: route ?? 'other' }
      tally.add({ counted: { ...timed, status: String(status) }, timed, seconds })
    },
    metrics: () => [
      {
        name: 'payouts_http_requests_total',
        help: 'Requests answered, by method, route and status.',
        type: 'counter',
        samples: tally.counts(),
      },
      {
        name: 'payouts_http_request_seconds',
        help: 'Duration of requests, by method and route.',
        type: 'histogram',
        samples: tally.times(),
      },
    ],
  }
}

export interface BankMetrics {
  readonly count: OnBankCall
  metrics(): Metric[]
}

/** Expects only environments that have a bank. `read_rate` is the API's only call to the bank. */
export function createBankMetrics(environments: readonly Environment[]): BankMetrics {
  const tally = createTally(bankCallBounds)
  for (const environment of environments)
    for (const outcome of bankCallOutcomes) tally.expect({ environment, operation: 'read_rate', outcome })
  return {
    count({ environment, operation, outcome, seconds }) {
      tally.add({ counted: { environment, operation, outcome }, timed: { environment, operation }, seconds })
    },
    metrics: () => [
      {
        name: 'payouts_bank_requests_total',
        help: 'Requests to the bank, by operation and outcome.',
        type: 'counter',
        samples: tally.counts(),
      },
      {
        name: 'payouts_bank_request_seconds',
        help: 'Duration of a request to the bank.',
        type: 'histogram',
        samples: tally.times(),
      },
    ],
  }
}
