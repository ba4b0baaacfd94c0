// `npm start`: the whole system on one machine, from a lock on its data to one screen that says where everything is.

import { once } from 'node:events'
import { join } from 'node:path'
import { environment } from '../runtime/config/config'
import { takeLock } from './lock'
import { makePlan, requireFreePort } from './plan'
import { clearLeftovers, createParts } from './process/parts'
import { stopSignal } from './process/stop-signal'
import { publish, unpublish } from './published'
import { startSystem } from './system'
import { createSteps } from './terminal/steps'

async function main(): Promise<void> {
  const plan = await makePlan(environment())
  const { dataDir, api } = plan
  const lock = takeLock(join(dataDir, 'lock.json'), { api })
  if (lock.outcome === 'held') {
    const where = `in ${dataDir} (process ${lock.holder.pid}) at ${lock.holder.api}`
    throw new Error(`Payouts already runs ${where}; stop it, or set DATA_DIR and PORT for another one.`)
  }
  const parts = createParts(dataDir)
  const hurry = () => {
    parts.killAll()
    process.exit(1)
  }
  const signal = stopSignal({ hurry, parent: plan.env.npm_lifecycle_event ? process.ppid : null })
  const run = async () => {
    unpublish(plan)
    await clearLeftovers(dataDir)
    await requireFreePort(plan)
    publish(plan, await startSystem({ plan, parts, signal, steps: createSteps(process.stdout, signal) }))
    const { name, logFile, tail } = await parts.firstEnd()
    throw new Error(`${name} has ended, so everything stops. Its last words, from ${logFile}:\n${tail()}`)
  }
  try {
    await Promise.race([run(), once(signal, 'abort')])
  } catch (error) {
    if (!signal.aborted) fail(error)
  }
  if (signal.aborted) process.stdout.write('\nStopping …\n')
  await parts.stopAll()
  unpublish(plan)
  lock.release()
}

function fail(error: unknown): void {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

// Whoever reads our output may go away earlier than we do; that is no reason to stop.
process.stdout.on('error', () => {})
void main()
  .catch(fail)
  .then(() => process.exit())
