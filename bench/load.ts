// A load generator with little overhead: keep-alive sockets that each send the next request when a response is complete.
import { connect, type Socket } from 'node:net'
import { type Load, type Measured, measuredOf } from './measured'

interface Target {
  readonly port: number
  /** Returns the text of the next request. Each request may differ. */
  readonly next: () => string
  /** The expected status. Any other status is a bug in the benchmark, and ends it. */
  readonly status: number
  /** Another accepted status, for a flood that may be refused. */
  readonly orStatus?: number
}

interface RequestParts {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export async function runLoad(target: Target, { clients, seconds }: Load): Promise<Measured> {
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  const running = Array.from({ length: clients }, () => runClient(target, endAt))
  const latenciesMs = (await Promise.all(running)).flat()
  return measuredOf(latenciesMs, performance.now() - startedAt)
}

export function getText({ path, headers }: RequestParts): string {
  return `GET ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n\r\n`
}

export function postText({ path, headers }: RequestParts, body: string): string {
  const length = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
  return `POST ${path} HTTP/1.1\r\n${headerLines({ ...headers, ...length })}\r\n\r\n${body}`
}

function headerLines(headers: RequestParts['headers']): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return lines.join('\r\n')
}

function runClient({ port, next, status, orStatus = status }: Target, endAt: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latenciesMs: number[] = []
    const socket: Socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let sentAt = 0
    let received = ''
    const send = () => {
      const request = next()
      sentAt = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      if (![status, orStatus].some((each) => received.startsWith(`HTTP/1.1 ${each} `)))
        return reject(new Error(`unexpected response to the load: ${received}`))
      received = ''
      const now = performance.now()
      latenciesMs.push(now - sentAt)
      if (now < endAt) return send()
      socket.end()
      resolve(latenciesMs)
    })
  })
}

function isComplete(received: string): boolean {
  const headersEnd = received.indexOf('\r\n\r\n')
  if (headersEnd < 0) return false
  const length = /content-length: (\d+)/i.exec(received.slice(0, headersEnd))?.[1]
  return length !== undefined && received.length >= headersEnd + 4 + Number(length)
}
