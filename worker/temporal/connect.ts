// The worker's way to the Temporal server.

import { NativeConnection, Runtime, type RuntimeOptions } from '@temporalio/worker'
import { systemClock } from '../../runtime/clock'
import { ConfigError, type TemporalConfig } from '../../runtime/config/config'
import type { Log } from '../../runtime/log'
import { refusalOf } from '../../runtime/temporal/refusal'
import { serverOf } from '../../runtime/temporal/server'
import { sdkLogger } from './sdk-log'

/** Connects at once, or throws; a server that goes away later is waited for by the SDK itself. */
export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(serverOf(config))
  } catch (error) {
    throw new Error(refusalOf(error) ?? reasonOf(error), { cause: error })
  }
}

/** Once per process, before the first connection. Signals are left to worker/main.ts, which also has a database to close. */
export function installRuntime(log: Log, metricsAddress: string | null = null): void {
  const options: RuntimeOptions = {
    logger: sdkLogger(log.child({ part: 'temporal' }), systemClock),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress === null
        ? {}
        : { metrics: { prometheus: { bindAddress: metricsAddress, ...metricsFormat } } }),
    },
    shutdownSignals: [],
  }
  try {
    Runtime.install(options)
  } catch (error) {
    if (metricsAddress === null) throw error
    throw new ConfigError([`WORKER_METRICS_PORT: ${metricsAddress} can not be opened; choose another one.`])
  }
}

/** Names and units as Prometheus wants them: temporal_request_total, seconds. */
const metricsFormat = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true }

/** The SDK prints the inside of its Rust error; what people can act on is the system's message at its heart. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return /message: "([^"]+)"/.exec(text)?.[1] ?? text
}
