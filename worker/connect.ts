// The worker's way to the Temporal server, and the server's and SDK's words on their way into our log.

import { type Logger, type LogLevel, type LogMetadata, NativeConnection, Runtime } from '@temporalio/worker'
import type { TemporalConfig } from '../config'
import type { Log } from '../log'
import { serverOf } from '../temporal'

/** Connects at once, or throws; a server that goes away later is waited for by the SDK itself. */
export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(serverOf(config))
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error })
  }
}

/** Once per process, before the first connection. Signals are left to main.ts, which also has a database to close. */
export function installRuntime(log: Log): void {
  Runtime.install({
    logger: sdkLogger(log.child({ part: 'temporal' })),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  })
}

/** The SDK tells every step of a worker's life at its info level, which is our debug. */
export function sdkLogger(log: Log): Logger {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const
  const write = (level: LogLevel, message: string, fields: LogMetadata = {}) => log[levels[level]](fields, message)
  return {
    log: write,
    trace: (message, fields) => write('TRACE', message, fields),
    debug: (message, fields) => write('DEBUG', message, fields),
    info: (message, fields) => write('INFO', message, fields),
    warn: (message, fields) => write('WARN', message, fields),
    error: (message, fields) => write('ERROR', message, fields),
  }
}

/** The SDK prints the inside of its Rust error; what people can act on is the system's message at its heart. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return /message: "([^"]+)"/.exec(text)?.[1] ?? text
}
