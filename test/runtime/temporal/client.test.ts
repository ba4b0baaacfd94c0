// The Temporal client can start before the server, respects deadlines, and reconnects.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Client, Connection } from '@temporalio/client'
import { type EnvironmentVariables, loadTemporalConfig } from '../../../runtime/config/config'
import { askWithin, connectClient, pingTemporal, serverOf } from '../../../runtime/temporal/client'
import { proxyOf } from '../../support/db/tcp-proxy'
import { testSystem } from '../../support/jest/system'

const config = { namespace: 'default', tls: null, apiKey: null } as const
const clients: Client[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.connection.close()
})

test('a ping succeeds on a server that has our namespace', async () => {
  await expect(pingTemporal(connect(testSystem().temporalAddress), 60_000)).resolves.toBeUndefined()
})

test('a ping fails if the namespace is missing', async () => {
  await expect(pingTemporal(connect(testSystem().temporalAddress, 'nope'), 60_000)).rejects.toThrow(/nope/)
})

test('an unreachable server is reported within the deadline, and used again when it is back', async () => {
  const proxy = await proxyOf(`http://${testSystem().temporalAddress}`)
  await proxy.cut()
  const client = connect(new URL(proxy.url).host)
  const startedAt = performance.now()

  // The error depends on whether the first connection attempt fails before the deadline.
  await expect(pingTemporal(client, 300)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/)
  const tookMs = performance.now() - startedAt
  await proxy.restore()

  expect(tookMs).toBeLessThan(3_000)
  await expect(pingTemporal(client, 60_000)).resolves.toBeUndefined()
  await proxy.cut()
})

test('a call to a server that never answers ends at the deadline', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : null

  await expect(pingTemporal(connect(`127.0.0.1:${port}`), 300)).rejects.toThrow(/DEADLINE_EXCEEDED/)
  silent.close()
  for (const socket of sockets) socket.destroy()
})

test('a client without a pending call does not make Node track promises', async () => {
  const client = connect(testSystem().temporalAddress)
  const inside = askWithin(client, 5_000, async () => isTracked(client))

  await pingTemporal(client, 60_000)

  expect(await inside).toBe(true)
  expect(isTracked(client)).toBe(false)
})

test('a deadline still applies after another call with a deadline has ended', async () => {
  const client = connect(testSystem().temporalAddress)
  const quick = pingTemporal(client, 60_000)
  const late = askWithin(client, 5_000, async () => {
    await quick
    return client.connection instanceof Connection && client.connection.callContextStorage.getStore()?.deadline
  })

  expect(await late).toEqual(expect.any(Number))
})

test('an API key is never sent in plain text', () => {
  const server = (env: EnvironmentVariables) => serverOf(loadTemporalConfig({ TEMPORAL_ADDRESS: 'there:7233', ...env }))

  expect(server({ TEMPORAL_API_KEY: 'k' })).toEqual({ address: 'there:7233', tls: {}, apiKey: 'k' })
  expect(server({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'off' }).tls).toEqual({})
  expect(server({})).toEqual({ address: 'there:7233', tls: false })
})

function connect(address: string, namespace = 'default'): Client {
  const client = connectClient({ ...config, address, namespace })
  clients.push(client)
  return client
}

/** Whether Node tracks every promise in the process because of this client. */
function isTracked({ connection }: Client): unknown {
  return connection instanceof Connection && Reflect.get(connection.callContextStorage, 'enabled')
}
