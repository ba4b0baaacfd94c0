// Starts and stops a bank in this process, for main.ts and for tests.
import type { Server } from 'node:http'
import { openBank } from './bank'
import { type Clock, createTimers, systemClock } from './clock/clock'
import { startStateClock } from './clock/moves'
import { createOutages } from './control/outages'
import { createBankServer } from './http/server'
import { defaults, type Settings } from './settings'
import { startDeliverer } from './webhooks/deliverer'

export interface BankOptions extends Partial<Settings> {
  readonly dataDir: string
  readonly clock?: Clock
  /** Called when the journal cannot be written. The bank must then be stopped. */
  readonly onFailure?: (error: unknown) => void
}

export interface RunningBank {
  /** Base URL: the protocol is at `${url}/v0`, the control plane at `${url}/_control`. */
  readonly url: string
  /** URL of the control plane that stays open during an outage. Without a control port, equal to `url`. */
  readonly controlUrl: string
  close(): Promise<void>
}

/** How long open connections may take to finish during a shutdown. */
const graceMs = 2_000

export async function startBank(options: BankOptions): Promise<RunningBank> {
  const { clock = systemClock, onFailure = report, ...given } = options
  const settings: Settings = { ...defaults, port: 0, ...given }
  const bank = await openBank({ settings, clock, onFailure })
  const timers = createTimers({ clock })

  let port = settings.port
  const outages = createOutages(
    () => server,
    async () => void (await listen(server, settings.host, port)),
  )
  const server = createBankServer({ bank, outages, serves: 'all', report })
  const control = createBankServer({ bank, outages, serves: 'control', report })
  try {
    port = await listen(server, settings.host, port)
    const url = addressOf(settings.host, port)
    bank.pagesUrl = settings.publicUrl ?? url
    const controlUrl =
      settings.controlPort === null
        ? url
        : addressOf('127.0.0.1', await listen(control, '127.0.0.1', settings.controlPort))
    startStateClock({ bank, timers })
    const deliverer = startDeliverer({ bank, timers })
    return {
      url,
      controlUrl,
      async close() {
        timers.stop()
        bank.faults.reset()
        await outages.end()
        await Promise.all([stop(server), stop(control), deliverer.stop()])
        await bank.close()
      },
    }
  } catch (error) {
    await Promise.all([stop(server), stop(control)])
    await bank.close()
    throw error
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve()
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function report(error: unknown): void {
  process.stderr.write(`sandbox bank: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
