// The client distinguishes calls that failed before any byte was sent from calls that may have reached the bank.
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type Client, createClient } from '../../../rail/provider/client'
import { aClock, json, shortTimeouts, timeouts, useScriptedBank } from '../../support/bank/scripted'

const bank = useScriptedBank()
const clients: Client[] = []
const servers: Server[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

describe('the client reports that nothing was sent', () => {
  test('when the connection is refused', async () => {
    const server = await listen(createServer())
    const url = urlOf(server)
    await new Promise((resolve) => server.close(resolve))

    expect(await post(url)).toMatchObject({ stage: 'unconnected', cause: { code: 'ECONNREFUSED' } })
  })

  test('when the name does not resolve', async () => {
    expect(await post('http://bank.invalid/v0')).toMatchObject({ stage: 'unconnected' })
  })

  test('when the connection is not established in time', async () => {
    // The server never answers the TLS handshake. To the client, this looks like a TCP connection that never opens.
    const { server, received } = await listenAndRecord()

    const answer = await post(urlOf(server).replace('http:', 'https:'), { limits: shortTimeouts })

    expect(answer).toMatchObject({ stage: 'unconnected' })
    expect(received()).not.toContain('POST')
  })

  test('when the server does not use TLS', async () => {
    const { server, received } = await listenAndRecord('HTTP/1.1 400 Bad Request\r\n\r\n')

    const answer = await post(urlOf(server).replace('http:', 'https:'))

    expect(answer).toMatchObject({ stage: 'unconnected' })
    expect(received()).not.toContain('POST')
  })
})

describe('the client reports that the request may have arrived', () => {
  test('when the bank accepts the request and closes the connection', async () => {
    bank.answer((_, response) => response.destroy())

    expect(await post(bank.url)).toMatchObject({ stage: 'sent' })
    expect(bank.requests).toHaveLength(1)
  })

  test('when the bank does not answer in time', async () => {
    bank.answer(() => {})

    expect(await post(bank.url, { limits: shortTimeouts })).toMatchObject({
      stage: 'sent',
      cause: { message: 'no answer in time' },
    })
  })

  test('when the response is cut off', async () => {
    bank.answer((_, response) => {
      response.writeHead(201, { 'Content-Length': '100' })
      response.write('{"id":')
      setTimeout(() => response.destroy(), 20)
    })

    expect(await post(bank.url)).toMatchObject({ stage: 'sent' })
  })

  test('when the response arrives too slowly for the call timeout', async () => {
    bank.answer((_, response) => {
      response.writeHead(201)
      const drip = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(drip))
    })

    expect(await post(bank.url, { limits: shortTimeouts })).toMatchObject({ stage: 'sent' })
  })

  test('when a kept-alive connection is closed during the request', async () => {
    const client = aClient(bank.url)
    bank.answer((_, response) => json(response, 200, {}))
    await client.call({ method: 'GET', path: '/x' })
    bank.answer((_, response) => response.destroy())

    expect(await client.call({ method: 'POST', path: '/transfers', key: 'k', body: '{}' })).toMatchObject({
      stage: 'sent',
    })
  })

  test('when the response is too long', async () => {
    bank.answer((_, response) => response.end('x'.repeat(5 * 1024 * 1024)))

    expect(await post(bank.url)).toMatchObject({ stage: 'sent', cause: { message: 'the answer is too long' } })
  })
})

describe('a response', () => {
  test('is read with its status and JSON, and its request has both keys and the exact body', async () => {
    bank.answer((_, response) => json(response, 201, { id: 'tr_1' }))

    const answer = await post(bank.url, { body: '{"a":"é"}' })

    expect(answer).toEqual({
      stage: 'answered',
      status: 201,
      body: { id: 'tr_1' },
      retryAfterMs: null,
      date: expect.any(Date),
    })
    expect(bank.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v0/transfers',
        body: '{"a":"é"}',
        headers: { 'api-key': 'sk-test-1', 'idempotency-key': 'k' },
      },
    ])
  })

  test('is not followed if it redirects', async () => {
    bank.answer((_, response) => json(response, 302, {}, { Location: `${bank.url}/elsewhere` }))

    expect(await post(bank.url)).toMatchObject({ stage: 'answered', status: 302 })
    expect(bank.requests.map(({ path }) => path)).toEqual(['/v0/transfers'])
  })

  test('has no body if it is not JSON', async () => {
    bank.answer((_, response) => response.writeHead(201).end('{"id":'))

    expect(await post(bank.url)).toMatchObject({ stage: 'answered', status: 201, body: undefined })
  })

  test.each([
    ['7', 7_000],
    ['Mon, 01 Mar 2027 12:00:05 GMT', 5_000],
    ['soon', null],
  ])('has the retry delay from its Retry-After header: %s', async (header, retryAfterMs) => {
    bank.answer((_, response) => json(response, 429, {}, { 'Retry-After': header }))

    expect(await post(bank.url)).toMatchObject({ retryAfterMs })
  })

  test('arrives on the same kept-alive connection as the previous ones', async () => {
    const client = aClient(bank.url)
    const ports = new Set<number | undefined>()
    bank.answer((_, response) => {
      ports.add(response.socket?.remotePort)
      json(response, 200, {})
    })

    for (let call = 0; call < 5; call += 1) await client.call({ method: 'GET', path: '/x' })

    expect(ports.size).toBe(1)
  })
})

function aClient(baseUrl: string, limits = timeouts): Client {
  const client = createClient({ baseUrl, apiKey: 'sk-test-1', clock: aClock, timeouts: limits })
  clients.push(client)
  return client
}

function post(baseUrl: string, { body = '{}', limits = timeouts } = {}) {
  return aClient(baseUrl, limits).call({ method: 'POST', path: '/transfers', key: 'k', body })
}

async function listenAndRecord(greeting = ''): Promise<{ server: Server; received: () => string }> {
  const chunks: Buffer[] = []
  const server = await listen(
    createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        socket.write(greeting)
      })
    }),
  )
  return { server, received: () => Buffer.concat(chunks).toString('latin1') }
}

async function listen<T extends Server>(server: T): Promise<T> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function urlOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v0`
}
