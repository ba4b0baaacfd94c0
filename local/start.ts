// `npm start`: runs the whole system on one machine. Locks the data folder, starts every part and prints the addresses.

import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '../runtime/config/config'
import { writePrivate } from './files'
import { takeLock } from './lock'
import { makePlan, type Plan, requireFreePorts } from './plan'
import { clearLeftovers, createParts, restartsMax } from './process/parts'
import { type System, startSystem } from './system'
import { renderScreen } from './terminal/screen'
import { createSteps } from './terminal/steps'

const parentCheckMs = 500
const repeatedAfterMs = 1000

async function main(): Promise<void> {
  const plan = await makePlan(environment())
  const { dataDir, api } = plan
  const lock = takeLock(join(dataDir, 'lock.json'), { api })
  if (lock.outcome === 'held') {
    const where = `in ${dataDir} (process ${lock.holder.pid}) at ${lock.holder.api}`
    throw new Error(`Payouts is already running ${where}; stop it, or set DATA_DIR and PORT to start a second system.`)
  }
  const parts = createParts(dataDir)
  const forceStop = () => {
    parts.killAll()
    process.exit(1)
  }
  const signal = stopSignal({ forceStop, parent: plan.env.npm_lifecycle_event ? process.ppid : null })
  const run = async () => {
    unpublish(plan)
    await clearLeftovers(dataDir)
    await requireFreePorts(plan)
    publish(plan, await startSystem({ plan, parts, signal, steps: createSteps(process.stdout, signal) }))
    const { name, logFile, tail, restart } = await parts.firstEnd()
    const end = restart === null ? 'has ended' : `has ended again after ${restartsMax} restarts within a minute`
    throw new Error(`${name} ${end}, so everything stops. Last lines of ${logFile}:\n${tail()}`)
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

/** Prints the addresses and writes them to local.json. The file comes last, so that a script that waits for it finds the system ready. */
function publish({ api, dataDir }: Plan, { temporalAddress, temporalUi, bank, mail, demo }: System): void {
  const docs = `${api}/docs`
  const dashboard = `${api}/dashboard`
  process.stdout.write(
    renderScreen(
      { api, docs, dashboard, temporalUi, bank, mailInbox: mail?.inbox ?? null, demo, dataDir },
      process.stdout,
    ),
  )
  const addresses = {
    api,
    docs,
    dashboard,
    temporal: temporalAddress,
    ...(temporalUi ? { temporal_ui: temporalUi } : {}),
    ...(bank ? { bank } : {}),
    ...(mail ? { mail } : {}),
  }
  writePrivate(join(dataDir, 'local.json'), { ...addresses, ...demo })
}

/** Removes the files of a system that is not ready yet or no longer runs. */
function unpublish({ dataDir }: Plan): void {
  for (const name of ['local.json', 'env.json']) rmSync(join(dataDir, name), { force: true })
}

interface StopOptions {
  /** The npm process, whose end also stops the system. Null without npm, because a shell may leave the system in the background. */
  readonly parent: number | null
  /** Called on a second request: skip the orderly stop. */
  readonly forceStop: () => void
}

/**
 * Aborts when a signal or the end of npm asks this process to stop. npm forwards Ctrl-C, so the signal may arrive twice
 * in quick succession. Only a later signal counts as a second request.
 */
function stopSignal({ parent, forceStop }: StopOptions): AbortSignal {
  const stop = new AbortController()
  let askedMs: number | undefined
  const ask = () => {
    if (askedMs !== undefined && performance.now() - askedMs > repeatedAfterMs) forceStop()
    askedMs ??= performance.now()
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)

  if (parent !== null) setInterval(() => process.ppid !== parent && stop.abort(), parentCheckMs).unref()
  return stop.signal
}

// The reader of our output may close it early, which must not stop the system.
process.stdout.on('error', () => {})
void main()
  .catch(fail)
  .then(() => process.exit())
