// The worker process: `node dist/worker/main.js`, against the PostgreSQL and Temporal that the configuration names.

import { ConfigError, loadConfig } from '../config'
import { createLog } from '../log'
import { runWorker } from './run'
import { SchemaBehind } from './schema'
import { SearchAttributesWrong } from './search-attributes'

async function main(): Promise<void> {
  const config = loadConfig()
  const log = createLog({ level: config.logLevel, name: 'worker' })
  const stop = new AbortController()
  // SIGTERM and Ctrl-C ask for it, and so does the end of the process that started this one.
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => stop.abort())
  // Longer than a worker's own patience with what is under way; servers that are gone must not hold it for ever.
  stop.signal.addEventListener('abort', () => setTimeout(() => process.exit(1), endWithinMs).unref())
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected')
    process.exit(1)
  })
  try {
    await runWorker(config, log, stop.signal, () => {
      log.info('working')
      process.send?.({ ready: true })
    })
  } catch (error) {
    const stoppedWhileWaiting = stop.signal.aborted && error instanceof Error && error.name === 'AbortError'
    if (!stoppedWhileWaiting) throw error
  }
  log.info('stopped')
  process.exit(0)
}

const endWithinMs = 30_000

/** What its operator can put right is a sentence for them; anything else is unexpected, and goes to the log above. */
function giveUp(error: unknown): void {
  const kinds = [ConfigError, SchemaBehind, SearchAttributesWrong]
  if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

main().catch(giveUp)
