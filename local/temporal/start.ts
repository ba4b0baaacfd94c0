// Starts a Temporal development server on this machine, for `npm start` and for tests.

import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { choosePort } from '../ports'
import { type Server, startGuarded } from '../process/guarded'
import { type Address, chooseHiddenAddress, serveWebUi } from './web-ui'

interface TemporalOptions {
  /** Path of the program, from findTemporalCli. */
  readonly cli: string
  readonly logFile: string
  /** Called for each attempt to start the server, as soon as its process exists and before it is ready. */
  readonly onSpawn?: (server: Server) => void
  readonly preferredPort: number
  /** Null: everything is in memory only. */
  readonly dbFile: string | null
  /** Null: no Web UI. */
  readonly preferredUiPort: number | null
}

export interface TemporalServer extends Server {
  readonly address: string
  /** Port of the proxy in this process, which checks the Host header. */
  readonly uiPort: number | null
}

const startLimitMs = 120_000
const silentServerMs = 5000
const portTaken = /address already in use|can't (set|bind)/i

export async function startTemporal(options: TemporalOptions): Promise<TemporalServer> {
  const { preferredUiPort } = options
  let preferred = options.preferredPort
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(preferred)
    const ui = preferredUiPort === null ? null : await chooseHiddenAddress()
    const server = await startGuarded({
      name: 'Temporal',
      command: options.cli,
      args: flags(options, port, ui),
      stopSignal: 'TERM',
      logFile: options.logFile,
      onSpawn: options.onSpawn,
    })
    const address = `127.0.0.1:${port}`
    if (await isReady(server, port)) {
      if (ui === null || preferredUiPort === null) return { ...server, address, uiPort: null }
      const webUi = await serveWebUi(ui, preferredUiPort)
      const stop = (limitMs?: number) => {
        webUi.close()
        return server.stop(limitMs)
      }
      return { ...server, address, uiPort: webUi.port, stop }
    }
    await server.stop()
    const words = server.output()
    if (attempt === 5 || !portTaken.test(words)) {
      throw new Error(`The Temporal server did not start. Its output:\n${words.split('\n').slice(0, 15).join('\n')}`)
    }
    preferred = 0
  }
}

const dynamicConfig = {
  // Without this setting, a timer shorter than a second fires after a second.
  'history.timerProcessorMaxTimeShift': '10ms',
  // Without this setting, a partner's payouts wait behind all earlier payouts of other partners.
  'matching.enableFairness': true,
  // Fairness applies only within a queue partition, and a single server needs only one partition.
  'matching.numTaskqueueWritePartitions': 1,
  // The server always opens an HTTP API that accepts POST requests from any web page. No Host header can contain a
  // space, so this value makes the HTTP API refuse every request. We use gRPC.
  'frontend.httpAllowedHosts': ['no host'],
}

/** A database file from an earlier version may have tasks in four partitions. */
function readPartitions(dbFile: string | null) {
  return { 'matching.numTaskqueueReadPartitions': dbFile === null ? 1 : 4 }
}

function flags({ dbFile }: TemporalOptions, port: number, ui: Address | null): string[] {
  const all: Record<string, string | number | null> = {
    ip: '127.0.0.1',
    port,
    'ui-ip': ui?.host ?? null,
    'ui-port': ui?.port ?? null,
    'db-filename': dbFile,
    'log-level': 'error',
  }
  const given = Object.entries(all).filter(([, value]) => value !== null)
  return [
    'server',
    'start-dev',
    ...given.map(([name, value]) => `--${name}=${value}`),
    ...Object.entries({ ...dynamicConfig, ...readPartitions(dbFile) }).map(
      ([name, value]) => `--dynamic-config-value=${name}=${JSON.stringify(value)}`,
    ),
    ...(ui === null ? ['--headless'] : []),
  ]
}

/**
 * An open port is not enough, because the server listens before it can answer. A response is not enough either, because
 * another server may have taken the port first. So the server must have logged that it is ready, or have kept running
 * for a while.
 */
async function isReady(server: Server, port: number): Promise<boolean> {
  const started = performance.now()
  let answered: number | null = null
  while (!server.hasExited() && performance.now() - started < startLimitMs) {
    const itSaysSo = new RegExp(`Server: +\\S+:${port}\\b`).test(server.output())
    if (await servesNamespace(`127.0.0.1:${port}`, 'default')) answered ??= performance.now()
    if (answered !== null && (itSaysSo || performance.now() - answered > silentServerMs)) return !server.hasExited()
    await sleep(50)
  }
  return false
}

const callLimitMs = 2000

/** Makes the gRPC call by hand, because loading the SDK takes longer. */
export function servesNamespace(address: string, namespace: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const settle = (serves: boolean) => {
      clearTimeout(limit)
      session.destroy()
      resolve(serves)
    }
    const limit = setTimeout(() => settle(false), callLimitMs)
    session.once('error', () => settle(false))

    const call = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    // An error without a body has its status in the headers; a response has it in the trailers.
    call.once('response', (headers) => 'grpc-status' in headers && settle(headers['grpc-status'] === '0'))
    call.once('trailers', (trailers) => settle(trailers['grpc-status'] === '0'))
    call.once('error', () => settle(false))
    call.resume()
    call.end(describeNamespace(namespace))
  })
}

/** A gRPC frame (not compressed, length) around a protobuf message whose field 1 is the name. */
function describeNamespace(namespace: string): Buffer {
  const name = Buffer.from(namespace)
  const message = Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(message.length, 1)
  return Buffer.concat([frame, message])
}
