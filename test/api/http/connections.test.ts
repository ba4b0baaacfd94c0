// Silent, slow and non-reading clients are disconnected, and other clients are served throughout.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from '@jest/globals'
import { limitAnswer } from '../../../api/server'
import { type Api, startApi, useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'
import { keptLog } from '../../support/kept-logs'
import { until } from '../../support/until'

const api = useApi()

beforeAll(async () => {
  noteAccepted(api)
})

test('clients that are silent, send slowly or do not read are disconnected, and others are served throughout', async () => {
  const post = `POST /v1/quotes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
  const clients = [
    ...Array.from({ length: 50 }, () => openHostile('')),
    ...Array.from({ length: 50 }, () => openHostile('GET / HTTP/1.1\r\nX: ', 'x')),
    ...Array.from({ length: 50 }, () => openHostile(post, ' ')),
    // The responses contain more data than the buffers on both sides can hold.
    ...Array.from({ length: 5 }, () => openHostile('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100))),
    openHostile('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'x'),
    openHostile('HELLO\r\n\r\n', 'x'),
  ]
  const held = await Promise.all(clients.map((client) => client.accepted()))

  const left = () => held.filter(({ destroyed }) => !destroyed).length
  const statuses = new Set<number>()
  for (const end = performance.now() + 120_000; left() > 0 && performance.now() < end; await sleep(100))
    statuses.add((await fetch(`${api.url}/healthz`)).status)
  const stayed = left()
  for (const client of clients) client.close()

  expect(stayed).toBe(0)
  expect([...statuses]).toEqual([200])
})

test('a client that waits for a slow answer is not mistaken for one that does not read', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  const slow = await startApi({ database: api.databaseUrl, answerTimeoutMs: 16_000 })

  // No worker is running, so the API waits for its full answer timeout.
  const { status } = await slow.post('/v1/sandbox/top-ups', { usdc: '1.00' }, { key })
  await slow.close()

  expect(status).toBe(502)
})

test('a long response continues while the client reads, and is cut off when the client reads too slowly', async () => {
  const megabyte = 1024 * 1024
  const send = async (response: ServerResponse) => {
    for (let piece = 0; piece < 15; piece++) {
      response.write(Buffer.alloc(megabyte))
      await sleep(300)
    }
    response.end()
  }
  const server = createServer((_request, response) => {
    limitAnswer(response, 2_000)
    void send(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}`

  const whole = await (await fetch(url)).arrayBuffer()
  const accepted = once(server, 'connection').then(([socket]: Socket[]) => socket)
  const client = openHostile('GET / HTTP/1.1\r\nHost: x\r\n\r\n', undefined, url)
  const reading = setInterval(() => client.socket.read(1_000), 50)
  await until('it is cut off', async () => (await accepted)?.destroyed)
  clearInterval(reading)
  client.close()
  server.close()

  expect(whole.byteLength).toBe(15 * megabyte)
})

test('the API continues to run after a client resets a refused CONNECT', async () => {
  const client = openHostile('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')
  const held = await client.accepted()
  await once(client.socket, 'readable')

  client.socket.resetAndDestroy()
  await until('the socket is gone', () => held.destroyed)

  expect((await fetch(`${api.url}/healthz`)).status).toBe(200)
})

test('connections above the limit are closed immediately and logged', async () => {
  const lines: string[] = []
  const small = await startApi({
    database: api.databaseUrl,
    log: keptLog({ level: 'warn', write: (line) => void lines.push(line) }),
  })
  expect(small.server.maxConnections).toBeGreaterThan(0)
  small.server.maxConnections = 2
  noteAccepted(small)
  const clients = Array.from({ length: 2 }, () => openHostile('', undefined, small.url))
  await Promise.all(clients.map((client) => client.accepted()))

  await expect(fetch(`${small.url}/healthz`)).rejects.toThrow('fetch failed')
  for (const client of clients) client.close()
  await small.close()

  expect(lines.join('')).toContain('refused connection: too many are open')
})

/** The server's end of every connection, by the client's port. */
const sockets = new Map<number, Socket>()

function noteAccepted({ server }: Api): void {
  server.on('connection', (socket: Socket) => sockets.set(socket.remotePort ?? 0, socket))
}

interface Hostile {
  readonly socket: Socket
  /** Waits for the server's end of the connection. */
  readonly accepted: () => Promise<Socket>
  readonly close: () => void
}

/** Sends the text and then, twice a second, the drip. Reads almost nothing and never closes the connection. */
function openHostile(text: string, drip?: string, url = api.url): Hostile {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => {})
  const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 500)
  const connected = once(socket, 'connect').then(() => socket.write(text))
  return {
    socket,
    async accepted() {
      await connected
      return until('it is accepted', () => sockets.get(socket.localPort ?? 0))
    },
    close() {
      clearInterval(dripping)
      socket.destroy()
    },
  }
}
