// Starts a Temporal development server on this machine, for `npm start` and for tests.

import { setTimeout as sleep } from 'node:timers/promises'
import { choosePort } from '../ports'
import { type Server, startGuarded } from '../process/guarded'
import { servesNamespace } from './ready'
import { type Address, chooseHiddenAddress, serveWebUi } from './web-ui'

interface TemporalOptions {
  /** Path of the program, from findTemporalCli. */
  readonly cli: string
  readonly logFile: string
  /** Called as soon as the process exists, before it is ready, and again after a restart. */
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

const startLimitMs = 60_000
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
  // Without it, a timer shorter than a second fires after a second.
  'history.timerProcessorMaxTimeShift': '10ms',
  // Without it, a partner's payouts wait behind all earlier payouts of other partners.
  'matching.enableFairness': true,
  // Fairness holds within a partition of a queue, and one server needs only one.
  'matching.numTaskqueueWritePartitions': 1,
  // The server always opens an HTTP API that accepts POST requests from any web page. No Host header can contain a space,
  // so this value makes it refuse every request. We use gRPC.
  'frontend.httpAllowedHosts': ['no host'],
}

/** A database file of an earlier version may have tasks in four partitions. */
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
 * another server may have taken the port first. So the server must have logged that it is ready, or have stayed alive for a while.
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
