// A load generator that costs little itself: kept-alive sockets, each sending the next request when its answer is complete.
import { connect, type Socket } from 'node:net'

export interface Target {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export async function load(target: Target, options: { clients: number; seconds: number }): Promise<Measured> {
  const request = requestText(target)
  const startedAt = process.hrtime.bigint()
  const endAt = startedAt + BigInt(options.seconds) * 1_000_000_000n
  const clients = Array.from({ length: options.clients }, () => runClient(target.port, request, endAt))
  const latenciesMs = (await Promise.all(clients)).flat().toSorted((a, b) => a - b)
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9
  const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
  return { perSecond: latenciesMs.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

function requestText({ path, headers }: Target): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

function runClient(port: number, request: string, endAt: bigint): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latenciesMs: number[] = []
    const socket: Socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let sentAt = 0n
    let received = ''
    const send = () => {
      sentAt = process.hrtime.bigint()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      if (!received.startsWith('HTTP/1.1 200'))
        return reject(new Error(`the load was answered ${received.slice(0, 60)}`))
      received = ''
      const now = process.hrtime.bigint()
      latenciesMs.push(Number(now - sentAt) / 1e6)
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
