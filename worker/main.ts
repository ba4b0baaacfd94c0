// The worker process: `node dist/worker/main.js`.

import { SchemaBehind } from '../db/migrate'
import { ConfigError, loadConfig } from '../runtime/config/config'
import { createLog, type Log } from '../runtime/log'
import { runWorker } from './run'
import { SearchAttributesWrong } from './temporal/search-attributes'

async function main(): Promise<void> {
  const config = loadConfig()
  const log = createLog({ level: config.logLevel, name: 'worker' })
  const stop = new AbortController()
  // SIGTERM, Ctrl-C and the end of the parent process stop the worker.
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => stop.abort())
  endWithin(stopWithinMs, stop.signal, log)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error')
    process.exit(1)
  })
  try {
    await runWorker(config, log, stop.signal, (worker) => {
      log.info({ worker }, 'working')
      process.send?.({ ready: true })
    })
  } catch (error) {
    const stoppedWhileWaiting = stop.signal.aborted && error instanceof Error && error.name === 'AbortError'
    if (!stoppedWhileWaiting) throw error
  }
  log.info('stopped')
  process.exit(0)
}

/** Must be longer than the worker's own shutdown time, and at most the time that its supervisor allows. */
const stopWithinMs = 30_000

/** Prints a configuration error as one sentence. All other errors reach the uncaughtException handler above. */
function giveUp(error: unknown): void {
  const kinds = [ConfigError, SchemaBehind, SearchAttributesWrong]
  if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

/** Kills the process instead of exiting: an exit waits for SDK threads, which may wait for an unresponsive server. */
function endWithin(ms: number, signal: AbortSignal, log: Log): void {
  const kill = () => {
    log.error(`not stopped within ${ms} ms; killing the process`)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), logFlushMs)
  }
  signal.addEventListener('abort', () => setTimeout(kill, ms - logFlushMs).unref(), { once: true })
}

/** Gives the log thread time to write, because a kill does not wait for it. */
const logFlushMs = 1_000

main().catch(giveUp)
