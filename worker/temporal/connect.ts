// Installs the Temporal SDK's runtime with our log and metrics, and connects the worker to the server.

import {
  type Logger,
  type LogLevel,
  type LogMetadata,
  NativeConnection,
  Runtime,
  type RuntimeOptions,
} from '@temporalio/worker'
import type { OwnState } from '../../db/controls/workers'
import type { Environment } from '../../domain/environment'
import { bankCallBounds, bankCallOutcomes, bankOperations } from '../../rail/rail'
import type { OnBankCall } from '../../rail/rails'
import { type Clock, systemClock } from '../../runtime/clock'
import { ConfigError, type TemporalConfig } from '../../runtime/config/config'
import type { Log } from '../../runtime/log'
import { serverOf } from '../../runtime/temporal/client'
import { refusalOf } from '../../runtime/temporal/refusal'

/** Connects or throws. The SDK handles later disconnects. */
export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(serverOf(config))
  } catch (error) {
    throw new Error(refusalOf(error) ?? reasonOf(error), { cause: error })
  }
}

/**
 * Must be called once per process, before the first connection. The SDK handles no signals, because worker/main.ts
 * does.
 */
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

const bankSeconds = 'payouts_bank_request_seconds'
/** Metric names and units follow Prometheus conventions, such as temporal_request_total and seconds. */
const metricsFormat = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
  histogramBucketOverrides: { [bankSeconds]: bankCallBounds },
}

/** Extracts the system's message from the SDK's printed Rust error. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return /message: "([^"]+)"/.exec(text)?.[1] ?? text
}

/**
 * Forwards the SDK's log to ours and limits repeated messages while the server is unreachable. The SDK logs every
 * worker state change at info level, which becomes our debug level.
 */
export function sdkLogger(log: Log, clock: Clock): Logger {
  let mutedUntil = 0
  const isRepeated = ({ target }: LogMetadata) => {
    if (target !== 'temporalio_client::retry') return false
    const now = clock.now().getTime()
    if (now < mutedUntil) return true
    mutedUntil = now + repeatAfterMs
    return false
  }
  const write = (level: LogLevel, message: string, fields: LogMetadata = {}) => {
    if (message !== expectedWarning && !isRepeated(fields)) log[levels[level]](fields, message)
  }
  return {
    log: write,
    trace: (message, fields) => write('TRACE', message, fields),
    debug: (message, fields) => write('DEBUG', message, fields),
    info: (message, fields) => write('INFO', message, fields),
    warn: (message, fields) => write('WARN', message, fields),
    error: (message, fields) => write('ERROR', message, fields),
  }
}

/** This warning is expected from the mail worker, which has no workflows. */
const expectedWarning = 'No workflows registered, not polling for workflow tasks'

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const

/**
 * Each of a worker's twenty pollers logs every retry, which adds up to four lines a second. One line a minute suffices.
 */
const repeatAfterMs = 60_000

/**
 * Adds the worker's state to the SDK's metrics, which distinguishes a drained worker from a failing one. Call after
 * installRuntime.
 */
export function openStateGauge(): (state: OwnState) => void {
  const help = 'State of this worker: working, draining, or drained and idle until its process ends.'
  const gauge = Runtime.instance().metricMeter.createGauge('payouts_worker_state', 'int', '', help)
  return (state) => {
    for (const each of shown) gauge.set(each === state ? 1 : 0, { state: each })
  }
}

const shown = ['working', 'draining', 'drained'] as const

/**
 * Adds calls to the banks to the SDK's metrics. Every series starts at 0, because an alert on an increase misses the
 * first value of a new series.
 */
export function openBankMetrics(environments: readonly Environment[]): OnBankCall {
  const meter = Runtime.instance().metricMeter
  const requests = meter.createCounter('payouts_bank_requests', '', 'Requests to the bank, by operation and outcome.')
  const seconds = meter.createHistogram(bankSeconds, 'float', '', 'Duration of a request to the bank.')
  for (const environment of environments)
    for (const operation of bankOperations)
      for (const outcome of bankCallOutcomes) requests.add(0, { environment, operation, outcome })
  return ({ environment, operation, outcome, seconds: took }) => {
    requests.add(1, { environment, operation, outcome })
    seconds.record(took, { environment, operation })
  }
}
