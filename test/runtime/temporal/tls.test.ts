// Temporal behind TLS: a client with the right certificate connects, and others get the cause and the remedy.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { withTemporal } from '../../../ops/reach-temporal'
import { type EnvironmentVariables, loadTemporalConfig } from '../../../runtime/config/config'
import { connectClient, pingTemporal } from '../../../runtime/temporal/client'
import { connectWorker } from '../../../worker/temporal/connect'
import { makeAuthority } from '../../support/certificates'
import { testSystem } from '../../support/jest/system'
import { startTlsServer, type TemporalProxy } from '../../support/temporal/a-temporal-proxy'
import { silenceTemporal } from '../../support/temporal/a-worker'

const [servers, clients, otherAuthority] = [
  makeAuthority('servers'),
  makeAuthority('clients'),
  makeAuthority('strangers'),
]
const ours = clients.issue('payouts.test')
const theirs = otherAuthority.issue('payouts.test')

let server: TemporalProxy
let folder = ''
/** Valid mTLS settings. */
let mutual: EnvironmentVariables = {}

beforeAll(async () => {
  silenceTemporal()
  server = await startTlsServer(servers.issue('temporal.test'), clients)
  folder = mkdtempSync(join(tmpdir(), 'payouts-tls-'))
  mutual = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_TLS: 'on',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    TEMPORAL_TLS_CA_FILE: file('ca.pem', servers.certificate),
    TEMPORAL_TLS_CERT_FILE: file('client.pem', ours.certificate),
    TEMPORAL_TLS_KEY_FILE: file('client.key', ours.key),
  }
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

test('the API, ops and the worker connect with a certificate from a file', async () => {
  expect(await reach(mutual)).toEqual({ api: 'in', ops: 'in', worker: 'in' })
})

test("the API, ops and the worker connect with Temporal's own variables", async () => {
  const paths = {
    TEMPORAL_TLS_CLIENT_CERT_PATH: mutual['TEMPORAL_TLS_CERT_FILE'],
    TEMPORAL_TLS_CLIENT_KEY_PATH: mutual['TEMPORAL_TLS_KEY_FILE'],
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: mutual['TEMPORAL_TLS_CA_FILE'],
  }
  const data = {
    TEMPORAL_TLS_CLIENT_CERT_DATA: ours.certificate,
    TEMPORAL_TLS_CLIENT_KEY_DATA: ours.key,
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: servers.certificate,
  }
  const named = { TEMPORAL_ADDRESS: server.address, TEMPORAL_TLS_SERVER_NAME: 'temporal.test' }

  expect(await reach({ ...named, ...paths, TEMPORAL_TLS: 'true' })).toEqual({ api: 'in', ops: 'in', worker: 'in' })
  expect(await reach({ ...named, ...data })).toEqual({ api: 'in', ops: 'in', worker: 'in' })
})

test("the API, ops and the worker connect with a profile from Temporal's configuration file", async () => {
  const config = file(
    'temporal.toml',
    `[profile.prod]
address = "${server.address}"
namespace = "default"
[profile.prod.tls]
server_name = 'temporal.test'
client_cert_path = "${mutual['TEMPORAL_TLS_CERT_FILE']}"
client_key_data = """
${ours.key}"""
server_ca_cert_path = "${mutual['TEMPORAL_TLS_CA_FILE']}"
`,
  )

  const reached = await reach({ TEMPORAL_CONFIG_FILE: config, TEMPORAL_PROFILE: 'prod' })

  expect(reached).toEqual({ api: 'in', ops: 'in', worker: 'in' })
})

const why = {
  issuer:
    "the server's certificate is not from a trusted authority: set TEMPORAL_TLS_CA to the certificate of its authority",
  name: "the server's certificate is for another name: set TEMPORAL_TLS_SERVER_NAME to the name in the certificate",
  client: 'the server requires a client certificate, or rejected ours: check TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY',
  ended:
    'the server closed the connection at once: check that TEMPORAL_TLS, TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY match its settings',
  plain: 'the server does not use TLS: set TEMPORAL_TLS to off, or TEMPORAL_ADDRESS to a port with TLS',
  entry:
    'the server denied access: check TEMPORAL_API_KEY or TEMPORAL_TLS_CERT, and that they are valid for TEMPORAL_NAMESPACE',
}

describe('the error message names the remedy for', () => {
  test.each([
    [
      'a server whose issuer we do not trust',
      { TEMPORAL_TLS_CA_FILE: '', TEMPORAL_TLS_CA: otherAuthority.certificate },
      why.issuer,
    ],
    ['a server without a configured authority', { TEMPORAL_TLS_CA_FILE: '' }, why.issuer],
    ['a server with another name', { TEMPORAL_TLS_SERVER_NAME: 'else.test' }, why.name],
    ['a server without TLS', { TEMPORAL_ADDRESS: '' }, why.plain],
  ])('%s', async (_what, change, sentence) => {
    const env: EnvironmentVariables = { ...mutual, ...change }

    const reached = await reach({ ...env, TEMPORAL_ADDRESS: env['TEMPORAL_ADDRESS'] || testSystem().temporalAddress })

    expect(reached).toEqual({ api: 'out', ops: `Temporal cannot be used: ${sentence}.`, worker: sentence })
  })

  test('a missing certificate', async () => {
    const { api, ops, worker } = await reach({ ...mutual, TEMPORAL_TLS_CERT_FILE: '', TEMPORAL_TLS_KEY_FILE: '' })

    expect(api).toBe('out')
    for (const message of [ops, worker]) expect(message).toMatch(new RegExp(`${why.client}|${why.ended}`))
  })

  test('a rejected API key', async () => {
    const refusing = await startTlsServer(servers.issue('temporal.test'), 'any', 'refuses')
    const env = { ...keyEnv(refusing), TEMPORAL_API_KEY: 'expired' }

    const reached = await reach(env)

    expect(reached).toEqual({ api: 'out', ops: `Temporal cannot be used: ${why.entry}.`, worker: why.entry })
    await refusing.close()
  })
})

test('a client without TLS cannot connect to a server with TLS', async () => {
  const { api, worker } = await reach({ TEMPORAL_ADDRESS: server.address })

  expect({ api, worker }).toEqual({ api: 'out', worker: why.ended })
})

test('a certificate from another authority is rejected', async () => {
  const stranger = { TEMPORAL_TLS_CERT: theirs.certificate, TEMPORAL_TLS_KEY: theirs.key }

  const without = { TEMPORAL_TLS_CERT_FILE: '', TEMPORAL_TLS_KEY_FILE: '' }
  const { api, worker } = await reach({ ...mutual, ...without, ...stranger })

  expect({ api, worker }).toEqual({ api: 'out', worker: why.ended })
})

describe('with an API key', () => {
  let cloud: TemporalProxy

  beforeAll(async () => {
    cloud = await startTlsServer(servers.issue('temporal.test'), 'any')
  })

  afterEach(() => void cloud.calls.splice(0))

  afterAll(() => cloud.close())

  test('every call from the API, ops and the worker sends the key, over TLS even without TEMPORAL_TLS', async () => {
    expect(await reach({ ...keyEnv(cloud), TEMPORAL_API_KEY: 'the-key' })).toEqual({
      api: 'in',
      ops: 'in',
      worker: 'in',
    })

    expect(cloud.calls.length).toBeGreaterThan(2)
    expect(new Set(cloud.calls.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer the-key']))
  })

  test('calls name their namespace, which Temporal Cloud uses for routing', async () => {
    const env = { ...keyEnv(cloud), TEMPORAL_API_KEY: 'the-key', TEMPORAL_NAMESPACE: 'payouts.a1b2c' }

    expect((await reach(env)).api).toBe('out')

    const asked = cloud.calls.filter((call) => call[':path']?.endsWith('DescribeNamespace'))
    expect(new Set(asked.map((call) => call['temporal-namespace']))).toEqual(new Set(['payouts.a1b2c']))
  })
})

function keyEnv({ address }: TemporalProxy): EnvironmentVariables {
  return { TEMPORAL_ADDRESS: address, TEMPORAL_TLS_SERVER_NAME: 'temporal.test', TEMPORAL_TLS_CA: servers.certificate }
}

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

/** Whether the API, ops and the worker can connect, or their error messages. */
async function reach(env: EnvironmentVariables): Promise<{ api: string; ops: string; worker: string }> {
  const config = loadTemporalConfig(env)
  const client = connectClient(config)
  const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
  const [api, ops, worker] = await Promise.all([
    pingTemporal(client, withinMs).then(
      () => 'in',
      () => 'out',
    ),
    withTemporal({ temporal: config }, (asked) => pingTemporal(asked, withinMs)).then(() => 'in', messageOf),
    connectWorker(config).then((connection) => connection.close().then(() => 'in'), messageOf),
  ])
  await client.connection.close()
  return { api, ops, worker }
}

/** Long enough for a handshake on a busy machine. A rejected client retries for this long. */
const withinMs = 3_000
