// Connects the worker to the Temporal server.

import { NativeConnection, Runtime, type RuntimeOptions } from '@temporalio/worker'
import { systemClock } from '../../runtime/clock'
import { ConfigError, type TemporalConfig } from '../../runtime/config/config'
import type { Log } from '../../runtime/log'
import { serverOf } from '../../runtime/temporal/client'
import { refusalOf } from '../../runtime/temporal/refusal'
import { sdkLogger } from './sdk-log'

/** Connects at once or throws. Later disconnects are handled by the SDK. */
export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(serverOf(config))
  } catch (error) {
    throw new Error(refusalOf(error) ?? reasonOf(error), { cause: error })
  }
}

/** Once per process, before the first connection. worker/main.ts handles signals, because it also closes the database. */
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
    throw new ConfigError([`WORKER_METRICS_PORT: ${metricsAddress} cannot be opened; choose another one.`])
  }
}

/** Names and units by Prometheus conventions: temporal_request_total, seconds. */
const metricsFormat = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true }

/** Extracts the system's message from the SDK's printed Rust error. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return /message: "([^"]+)"/.exec(text)?.[1] ?? text
}
