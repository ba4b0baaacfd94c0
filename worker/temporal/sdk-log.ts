// Forwards the Temporal SDK's log to ours: maps levels, and limits repeated messages while the server is unreachable.

import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'

/** The SDK's info level has every state change of a worker, which is our debug level. */
export function sdkLogger(log: Log, clock: Clock): Logger {
  let quietUntil = 0
  const isRepeated = ({ target }: LogMetadata) => {
    if (target !== 'temporalio_client::retry') return false
    const now = clock.now().getTime()
    if (now < quietUntil) return true
    quietUntil = now + quietMs
    return false
  }
  const write = (level: LogLevel, message: string, fields: LogMetadata = {}) => {
    if (message !== meant && !isRepeated(fields)) log[levels[level]](fields, message)
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

/** The mail worker has no workflows, on purpose. */
const meant = 'No workflows registered, not polling for workflow tasks'

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const

/** Each of a worker's twenty pollers logs every retry, four lines a second. One a minute suffices. */
const quietMs = 60_000
