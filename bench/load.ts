// A load generator with little overhead on keep-alive sockets. In a closed loop, each client sends its next request when
// a response is complete. In an open loop, requests are sent at fixed times.
import { connect, type Socket } from 'node:net'
import { type Load, type Measured, measuredOf } from './measured'

interface Target {
  readonly port: number
  /** Returns the text of the next request, which is due at this value of performance.now(). Each may differ. */
  readonly next: (dueAt: number) => string
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

interface Pace {
  readonly perSecond: number
  readonly seconds: number
}

/** Without a limit, a server that stalls for a second at a high rate uses up the process's file descriptors. */
const mostConnections = 1_000

/**
 * Sends each request when it is due, however slow the server is, and measures its latency from that time. A closed loop
 * sends less while the server is slow, and so hides most of the delay (coordinated omission).
 */
export function runOpenLoop(target: Target, { perSecond, seconds }: Pace): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const planned = Math.max(1, Math.round(perSecond * seconds))
    const startedAt = performance.now()
    const dueAt = (n: number) => startedAt + (n * 1_000) / perSecond
    const idle: Connection[] = []
    const latenciesMs: number[] = []
    let sent = 0
    let opened = 0

    const open = () => {
      opened += 1
      return openConnection(target, reject)
    }
    const send = (due: number) => {
      const connection = idle.pop() ?? open()
      connection.send(target.next(due), () => {
        latenciesMs.push(performance.now() - due)
        idle.push(connection)
        if (latenciesMs.length < planned) return
        for (const each of idle) each.end()
        resolve(measuredOf(latenciesMs, performance.now() - startedAt))
      })
    }
    const sendDue = () => {
      const hasConnection = () => idle.length > 0 || opened < mostConnections
      for (; sent < planned && dueAt(sent) <= performance.now() && hasConnection(); sent++) send(dueAt(sent))
      if (sent < planned) setTimeout(sendDue, Math.max(1, dueAt(sent) - performance.now()))
    }
    sendDue()
  })
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

function runClient(target: Target, endAt: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latenciesMs: number[] = []
    const connection = openConnection(target, reject)
    const send = () => {
      const request = target.next(performance.now())
      const sentAt = performance.now()
      connection.send(request, () => {
        const now = performance.now()
        latenciesMs.push(now - sentAt)
        if (now < endAt) return send()
        connection.end()
        resolve(latenciesMs)
      })
    }
    send()
  })
}

interface Connection {
  /** Must not be called before the previous request was answered. */
  send(request: string, answered: () => void): void
  end(): void
}

function openConnection({ port, status, orStatus = status }: Target, failed: (error: Error) => void): Connection {
  const socket: Socket = connect(port, '127.0.0.1')
  let received = ''
  let answered = () => {}
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('error', failed)
  socket.on('data', (chunk: string) => {
    received += chunk
    if (!isComplete(received)) return
    if (![status, orStatus].some((each) => received.startsWith(`HTTP/1.1 ${each} `)))
      return failed(new Error(`unexpected response to the load: ${received}`))
    received = ''
    answered()
  })
  return {
    send(request, whenAnswered) {
      answered = whenAnswered
      socket.write(request)
    },
    end: () => socket.end(),
  }
}

function isComplete(received: string): boolean {
  const headersEnd = received.indexOf('\r\n\r\n')
  if (headersEnd < 0) return false
  const length = /content-length: (\d+)/i.exec(received.slice(0, headersEnd))?.[1]
  return length !== undefined && received.length >= headersEnd + 4 + Number(length)
}
