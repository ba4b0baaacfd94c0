// A minimal OpenTelemetry collector: an HTTP server that stores the received spans, and can be made to fail.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { portOf } from './api/client'
import type { Json } from './bank/client'

export interface Collected {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
}

export interface ACollector {
  /** The URL to configure for the exporter. */
  readonly endpoint: string
  readonly taken: readonly Collected[]
  /** The number of requests, accepted or not. */
  asked(): number
  behave(how: Behaviour): void
  /** Returns the accepted spans, each with its service name. */
  spans(): Json[]
  close(): Promise<void>
}

/** Answer with this status, never answer (`silent`), or close the connection (`away`). */
type Behaviour = number | 'silent' | 'away'

export async function aCollector(): Promise<ACollector> {
  const taken: Collected[] = []
  let asked = 0
  let how: Behaviour = 200

  function answer(collected: Collected, response: ServerResponse): void {
    asked += 1
    if (how === 'silent') return
    if (how === 'away') return void response.destroy()
    if (how === 200) taken.push(collected)
    response.writeHead(how, { 'Content-Type': 'application/json', Location: '/elsewhere' }).end('{}')
  }
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request
    void json(request).then((body) => answer({ path, headers, body }, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${portOf(server.address())}`,
    taken,
    asked: () => asked,
    behave: (wanted) => {
      how = wanted
    },
    spans: () => taken.flatMap(({ body }) => body.resourceSpans.flatMap(spansOf)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function spansOf({ resource, scopeSpans }: Json): Json[] {
  const service = attributesOf(resource)['service.name']
  return scopeSpans.flatMap(({ spans }: Json) => spans.map((span: Json) => ({ ...span, service })))
}

/** Returns the attributes as a plain object, with integers converted to numbers. */
export function attributesOf({ attributes }: Json): Json {
  return Object.fromEntries(
    attributes.map(({ key, value }: Json) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  )
}
