// Preloaded by `npm run worker`: without DATABASE_URL, the worker joins the system that `npm start` runs in DATA_DIR.

import { environment } from '../runtime/config/config'
import { dataDirOf, notRunningMessage, readRunningEnvironment } from './plan'

const variables = environment()
if (!variables.DATABASE_URL && !variables.DATABASE_URL_FILE) join()

function join(): void {
  const running = readRunningEnvironment(dataDirOf(variables))
  if (running !== null) Object.assign(variables, missingIn(running))
  // Without DATA_DIR, the worker itself reports every missing setting.
  else if (variables.DATA_DIR) giveUp()
}

/**
 * This command's own variables take precedence. The metrics port is not inherited, because the first worker uses it.
 */
function missingIn(running: ReturnType<typeof environment>): Record<string, string | undefined> {
  const isMissing = ([name]: [string, unknown]) => !variables[name] && name !== 'WORKER_METRICS_PORT'
  return Object.fromEntries(Object.entries(running).filter(isMissing))
}

function giveUp(): void {
  process.stderr.write(`${notRunningMessage(variables)}\n`)
  process.exit(1)
}
