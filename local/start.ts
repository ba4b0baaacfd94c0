// `npm start`: the whole system on one machine, from a lock on its data to one screen that says where everything is.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '../config'
import { takeLock } from './lock'
import { makePlan, type Plan, requireFreePort } from './plan'
import { writePrivate } from './private-file'
import { clearLeftovers, createParts } from './process/parts'
import { whenStopRequested } from './process/stop-request'
import { type System, startSystem } from './system'
import { renderScreen } from './terminal/screen'
import { createSteps } from './terminal/steps'

async function main(): Promise<void> {
  const plan = await makePlan(environment())
  const lock = takeLock(join(plan.dataDir, 'lock.json'), { api: plan.api })
  if (lock.outcome === 'held') {
    const { pid, api } = lock.holder
    throw new Error(
      `Payouts already runs in ${plan.dataDir} (process ${pid}) at ${api}; stop it, or set DATA_DIR and PORT for another.`,
    )
  }
  const parts = createParts(plan.dataDir)
  const { requested } = whenStopRequested(() => {
    parts.killAll()
    process.exit(1)
  })
  const run = async () => {
    forget(plan)
    await clearLeftovers(plan.dataDir)
    await requireFreePort(plan)
    const system = await startSystem({ plan, parts, steps: createSteps(process.stdout) })
    publish(plan, system)
    const ended = await parts.firstEnd
    throw new Error(`${ended.name} has ended. Its last words, from ${ended.logFile}:\n${ended.tail()}`)
  }
  try {
    await Promise.race([run(), requested])
    process.stdout.write('\nStopping …\n')
  } finally {
    await parts.stopAll()
    forget(plan)
    lock.release()
  }
}

function publish({ api, dataDir }: Plan, { temporalAddress, temporalUi, demo }: System): void {
  const docs = `${api}/docs`
  const addresses = { api, docs, temporal: temporalAddress, ...(temporalUi ? { temporal_ui: temporalUi } : {}) }
  process.stdout.write(renderScreen({ api, docs, temporalUi, demo, dataDir }, process.stdout))
  writePrivate(join(dataDir, 'local.json'), { ...addresses, ...demo })
}

/** Nobody shall find the addresses of a system that is not ready yet or not there any more. */
function forget({ dataDir }: Plan): void {
  for (const name of ['local.json', 'env.json']) rmSync(join(dataDir, name), { force: true })
}

// Whoever reads our output may go away earlier than we do; that is no reason to stop.
process.stdout.on('error', () => {})
main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  },
)
