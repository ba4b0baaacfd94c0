// What the Temporal SDK has to say, on its way into our log: our levels, and no flood while the server is away.

import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'

/** The SDK tells every step of a worker's life at its info level, which is our debug. */
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

/** Mails have a worker without workflows, on purpose. */
const meant = 'No workflows registered, not polling for workflow tasks'

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const

/** Each of a worker's twenty polls reports every retry, four lines a second; one a minute tells as much. */
const quietMs = 60_000
