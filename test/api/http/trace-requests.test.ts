// Each request starts its own trace, named after its route. Only server errors mark the trace as failed, and only
// our own ratio decides whether it is sampled.

import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from '@jest/globals'
import Koa from 'koa'
import { traceRequests } from '../../../api/http/middleware'
import type { RequestState } from '../../../api/http/route'
import { systemClock } from '../../../runtime/clock'
import { createTracer, type FinishedSpan } from '../../../runtime/tracing/tracer'
import { portOf } from '../../support/api/client'

const theirs = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }
let server: Server | null = null

afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

test.each([
  [200, 'fine', undefined],
  [404, 'fine', undefined],
  [499, 'fine', undefined],
  [500, 'failed', '500'],
  [503, 'failed', '503'],
])('the trace of a request answered with %s is %s', async (status, outcome, errorType) => {
  const [span] = await tracesOf({ ratio: 1, status })

  expect(span).toMatchObject({ outcome, kind: 'server', parentSpanId: null, link: null })
  expect(span?.attributes['http.response.status_code']).toBe(status)
  expect(span?.attributes['error.type']).toBe(errorType)
})

test('the trace of a request that matches no route is named after the method alone', async () => {
  const [span] = await tracesOf({ ratio: 1, status: 404 })

  expect(span?.name).toBe('GET')
  expect(JSON.stringify(span?.attributes)).not.toMatch(/Ada|Lovelace/)
})

test.each([
  ['01', 0, []],
  ['00', 1, [{ ...theirs, sampled: false }]],
  ['01', 1, [{ ...theirs, sampled: true }]],
])('with traceparent flags %s and a ratio of %s, the ratio decides the sampling', async (flags, ratio, links) => {
  const traceparent = `00-${theirs.traceId}-${theirs.spanId}-${flags}`

  const spans = await tracesOf({ ratio, status: 200, headers: { traceparent } })

  expect(spans.map(({ link }) => link)).toEqual(links)
  expect(spans.filter(({ context }) => context.traceId === theirs.traceId)).toEqual([])
})

test('a malformed traceparent changes nothing', async () => {
  const [span] = await tracesOf({ ratio: 1, status: 200, headers: { traceparent: '00-Ada-Lovelace-01' } })

  expect(span).toMatchObject({ link: null, outcome: 'fine' })
})

interface Asked {
  readonly ratio: number
  readonly status: number
  readonly headers?: Record<string, string>
}

async function tracesOf({ ratio, status, headers = {} }: Asked): Promise<FinishedSpan[]> {
  const finished: FinishedSpan[] = []
  const app = new Koa<RequestState>()
  app.use(traceRequests(createTracer({ clock: systemClock, ratio, onFinished: (span) => finished.push(span) })))
  app.use((context) => {
    Object.assign(context.state, { requestId: 'r1', route: null, caller: null, subject: null })
    context.status = status
    context.body = '{}'
  })
  const listening = createServer((request, response) => void app.callback()(request, response))
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  await fetch(`http://127.0.0.1:${portOf(listening.address())}/v1/of-Ada?name=Lovelace`, { headers })
  return finished
}
