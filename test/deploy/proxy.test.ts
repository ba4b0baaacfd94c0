// deploy/nginx.conf in a real nginx, with an upstream that can delay its answers. Skipped where nginx is not installed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { ApiError, type ErrorCode, presentError } from '../../api/http/errors'
import { projectDir } from '../../local/files'
import { portOf } from '../support/api/client'
import { until } from '../support/until'

const isInstalled = spawnSync('nginx', ['-v']).status === 0
const connectionsPerAddress = 256

let folder: string
let upstream: Server
let nginx: ChildProcess
let port: number
let sockets: Socket[]
let held: ServerResponse[]
let seen: IncomingMessage[]

const describeWithNginx = isInstalled ? describe : describe.skip
describeWithNginx('the proxy', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-proxy-'))
    ;[sockets, held, seen] = [[], [], []]
    upstream = createServer(answerUpstream)
    port = await freePort()
    const upstreamPort = await listenOn(upstream)
    writeFileSync(join(folder, 'nginx.conf'), configuration(port, upstreamPort))
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'ignore' })
    await until('the proxy answers', async () => (await ask('/healthz').catch(() => null))?.status === 200)
    seen = []
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    for (const response of held) response.destroy()
    const gone = nginx.exitCode === null ? once(nginx, 'exit') : null
    nginx.kill('SIGTERM')
    await gone
    upstream.closeAllConnections()
    upstream.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('limits the requests from one address, with errors in the API’s format', async () => {
    const started = performance.now()
    const answers: Answer[] = []
    const client = async () => {
      for (let i = 0; i < 200; i++) answers.push(await ask('/v1/balance'))
    }
    await Promise.all(Array.from({ length: 20 }, client))

    const seconds = (performance.now() - started) / 1000
    const passed = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    expect(passed.length + refused.length).toBe(4_000)
    expect(passed.length).toBeLessThanOrEqual(201 + Math.ceil(seconds * 200))
    expect(refused[0]).toMatchObject({ body: bodyOf('rate_limited'), headers: { 'retry-after': '1' } })
  })

  test('limits the open requests from one address, and serves the address again when they end', async () => {
    await until('the address has all its requests open', () => {
      if (held.length < connectionsPerAddress)
        for (let i = 0; i < 10; i++) open('GET /hold HTTP/1.1\r\nHost: a\r\n\r\n')
      return held.length >= connectionsPerAddress
    })
    const more: Answer[] = []
    for (let i = 0; i < 20; i++) more.push(await ask('/v1/balance'))

    expect(held).toHaveLength(connectionsPerAddress)
    expect(more.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 429))

    for (const response of held) response.end()
    await until('the address is served again', async () => (await ask('/v1/balance')).status === 200)
  })

  test('cuts off clients that stop sending or reading, and serves others', async () => {
    const silent = open('')
    const headers = open('POST /v1/payouts HTTP/1.1\r\nHost: a\r\nX-Dripping: ')
    const body = open('POST /v1/payouts HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"amount')
    const reader = open('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n')
    reader.pause()
    const endless = await until('the API writes', () => seen.find(({ url }) => url === '/endless'))

    // A client that does not read does not notice the disconnect, but the proxy ends its own request to the API.
    await Promise.all([silent, headers, body, endless].map(closed))

    expect((await ask('/v1/balance')).status).toBe(200)
    expect(seen.map(({ url }) => url)).not.toContain('/v1/payouts')
    // Without our settings, nginx would wait for a minute and exceed this limit.
  }, 30_000)

  test('answers a large body and an unavailable API with errors in the API’s format', async () => {
    const large = await ask('/v1/payouts', { method: 'POST', body: 'x'.repeat(129 * 1024) })
    upstream.closeAllConnections()
    upstream.close()
    const unavailable = await ask('/v1/balance')

    expect(large).toMatchObject({ status: 413, body: bodyOf('payload_too_large') })
    expect(unavailable).toMatchObject({
      status: 503,
      body: bodyOf('service_unavailable'),
      headers: { 'retry-after': '5' },
    })
    expect(unavailable.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
  })

  test('forwards the client address that it sees, not one that the client sends', async () => {
    await ask('/v1/balance', { headers: { 'X-Forwarded-For': '203.0.113.9', Host: 'payouts.test' } })

    expect(seen[0]?.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', host: 'payouts.test' })
  })
})

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** The deployed file with other addresses and folders, and with timeouts of one second instead of ten. */
function configuration(listenPort: number, upstreamPort: number): string {
  return readFileSync(join(projectDir(), 'deploy/nginx.conf'), 'utf8')
    .replace('listen 8080', `listen 127.0.0.1:${listenPort}`)
    .replace(/^ *resolver .*\n/m, '')
    .replace(/server api-1:3000 resolve/, `server 127.0.0.1:${upstreamPort}`)
    .replace(/^ *server api-2.*\n/m, '')
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll(' 10s;', ' 1s;')
    .replace('error_log /dev/stderr', `error_log ${folder}/error.log`)
}

function answerUpstream(incoming: IncomingMessage, response: ServerResponse): void {
  seen.push(incoming)
  if (incoming.url === '/hold') held.push(response)
  else if (incoming.url === '/endless') writeForEver(response)
  else response.end('{}')
}

/** Writes without end, as fast as the client reads. */
function writeForEver(response: ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
  }
  response.on('drain', write)
  write()
}

function open(start: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(start)
  sockets.push(socket)
  return socket
}

/** Resolves when the stream closes. An error before that is expected. */
function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve()
    stream.on('error', () => undefined).once('close', resolve)
  })
}

function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { body = '', ...rest } = options
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, agent: false, ...rest }, (incoming) => {
      const { statusCode: status, headers } = incoming
      text(incoming).then((answer) => resolve({ status, headers, body: JSON.parse(answer) }), reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function bodyOf(code: ErrorCode): object {
  return presentError(new ApiError(code))
}

async function listenOn(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server.address())
}

async function freePort(): Promise<number> {
  const server = createServer()
  const found = await listenOn(server)
  server.close()
  await once(server, 'close')
  return found
}
