// Starts a Temporal development server of our own on this machine, for `npm start` and for the tests.

import { setTimeout as sleep } from 'node:timers/promises'
import { choosePort } from '../ports'
import { type Server, startGuarded } from '../process/guarded'
import { servesNamespace } from './ready'
import { type Address, chooseHiddenAddress, serveWebUi } from './web-ui'

export interface TemporalOptions {
  /** The program, as findTemporalCli found it. */
  readonly cli: string
  readonly logFile: string
  /** Called as soon as there is a process, long before it is ready; again when it had to be started again. */
  readonly onSpawn?: (server: Server) => void
  readonly preferredPort: number
  /** Null keeps everything in memory and forgets it at the end. */
  readonly dbFile: string | null
  /** Null starts no Web UI. */
  readonly preferredUiPort: number | null
}

export interface TemporalServer extends Server {
  readonly address: string
  /** Of the proxy in this process, which checks for whom it is. */
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
      throw new Error(`The Temporal server did not start. It said:\n${words.split('\n').slice(0, 15).join('\n')}`)
    }
    preferred = 0
  }
}

const dynamicConfig = {
  // Without it a timer of less than a second fires after a second.
  'history.timerProcessorMaxTimeShift': '10ms',
  // The server always opens an HTTP API and takes a post from any web page there. No Host header can contain a space, so this
  // makes it refuse every call. We use gRPC.
  'frontend.httpAllowedHosts': ['no host'],
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
    ...Object.entries(dynamicConfig).map(([name, value]) => `--dynamic-config-value=${name}=${JSON.stringify(value)}`),
    ...(ui === null ? ['--headless'] : []),
  ]
}

/**
 * An open port is not enough, because the server listens before it can answer; nor is an answer, because it may be another
 * server's that took the port first. So it must have said itself that it serves, or have stayed alive for a while.
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
