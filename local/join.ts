// Preloaded by `npm run worker`: without DATABASE_URL, the worker joins the system that `npm start` runs in DATA_DIR.

import { environment } from '../runtime/config/config'
import { dataDirOf, notRunningMessage, readRunningEnvironment } from './plan'

const variables = environment()
if (!variables.DATABASE_URL && !variables.DATABASE_URL_FILE) join()

function join(): void {
  const running = readRunningEnvironment(dataDirOf(variables))
  if (running !== null) Object.assign(variables, missingIn(running))
  // Without DATA_DIR, the worker itself reports every setting that it lacks.
  else if (variables.DATA_DIR) giveUp()
}

/** Variables of this command have precedence. The metrics port belongs to the first worker. */
function missingIn(running: ReturnType<typeof environment>): Record<string, string | undefined> {
  const isMissing = ([name]: [string, unknown]) => !variables[name] && name !== 'WORKER_METRICS_PORT'
  return Object.fromEntries(Object.entries(running).filter(isMissing))
}

function giveUp(): void {
  process.stderr.write(`${notRunningMessage(variables)}\n`)
  process.exit(1)
}
