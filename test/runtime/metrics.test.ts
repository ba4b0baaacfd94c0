// The Prometheus text format: names, labels and buckets.
import { expect, test } from '@jest/globals'
import { createRequestMetrics } from '../../api/metrics/requests'
import { asText, createDistribution } from '../../runtime/metrics'

test('a metric has its help, its type and one line for each sample', () => {
  const samples = [{ labels: { environment: 'live', odd: 'a "b" \\ c\nd' }, value: 3 }, { value: 0.5 }]

  expect(asText([{ name: 'payouts_open', help: 'Open ones.', type: 'gauge', samples }])).toBe(
    '# HELP payouts_open Open ones.\n# TYPE payouts_open gauge\n' +
      'payouts_open{environment="live",odd="a \\"b\\" \\\\ c\\nd"} 3\npayouts_open 0.5\n',
  )
})

test('each bucket counts the values up to its bound, and the last bucket counts all', () => {
  const distribution = createDistribution([1, 5])
  for (const seconds of [0.5, 1, 1.5, 60]) distribution.add(seconds)

  const samples = distribution.samples({})

  expect(samples.map(({ suffix, labels, value }) => [suffix, labels?.['le'], value])).toEqual([
    ['_bucket', '1', 2],
    ['_bucket', '5', 3],
    ['_bucket', '+Inf', 4],
    ['_sum', undefined, 63],
    ['_count', undefined, 4],
  ])
})

test('unknown routes share one series, because callers could invent any number of methods and paths', () => {
  const requests = createRequestMetrics()
  for (const method of ['GET', 'BREW', 'X-1']) requests.count({ method, route: null, status: 404, seconds: 0.001 })

  const [counted] = requests.metrics()

  expect(counted?.samples).toEqual([{ labels: { method: 'any', route: 'other', status: '404' }, value: 3 }])
})

test('durations are recorded by method, so that fast reads do not hide slow writes', () => {
  const requests = createRequestMetrics()
  for (const method of ['GET', 'POST']) requests.count({ method, route: '/v1/payouts', status: 200, seconds: 0.001 })

  const counts = requests.metrics()[1]?.samples.filter(({ suffix }) => suffix === '_count')

  expect(counts?.map(({ labels }) => labels)).toEqual([
    { method: 'GET', route: '/v1/payouts' },
    { method: 'POST', route: '/v1/payouts' },
  ])
})
