// `npm start`: runs the complete system on one machine. Locks the data folder, starts every part and prints the
// addresses.
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '../runtime/config/config'
import type { Demo } from './demo'
import { writePrivate } from './files'
import { takeLock } from './lock'
import { makePlan, type Plan, requireFreePorts } from './plan'
import { clearLeftovers, createParts, restartsMax } from './process/parts'
import { type System, startSystem } from './system'
import { createSteps, paint } from './terminal/steps'

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

/**
 * Prints the addresses and writes them to local.json. Writes the file last, so that a script that waits for it finds
 * the system ready.
 */
function publish({ api, dataDir }: Plan, { temporalAddress, temporalUi, bank, mail, demo }: System): void {
  const docs = `${api}/docs`
  // The demo partner would otherwise see its live environment first. The tour and the printed command use the sandbox.
  const dashboard = `${api}/dashboard${demo ? '?environment=sandbox' : ''}`
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

/** Removes the files of a system that is not ready yet or no longer running. */
function unpublish({ dataDir }: Plan): void {
  for (const name of ['local.json', 'env.json']) rmSync(join(dataDir, name), { force: true })
}

interface StopOptions {
  /**
   * The npm process, whose end also stops the system. Null if npm did not start the system: a system that a shell started
   * may stay in the background after the shell has ended.
   */
  readonly parent: number | null
  /** Called on a second request to stop, which skips the orderly shutdown. */
  readonly forceStop: () => void
}

/**
 * Aborts when this process receives a signal or npm ends. npm forwards Ctrl-C, so the signal may arrive twice in quick
 * succession. Only a later signal counts as a second request.
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

interface ScreenContent {
  readonly api: string
  readonly docs: string
  readonly dashboard: string
  readonly temporalUi: string | null
  readonly bank: string | null
  readonly mailInbox: string | null
  readonly demo: Demo | null
  readonly dataDir: string
}

/** The text that is printed once everything is running. */
function renderScreen(content: ScreenContent, out: NodeJS.WriteStream): string {
  const { api, docs, dashboard, temporalUi, bank, mailInbox, demo, dataDir } = content
  const colour = paint(out)
  const row = (name: string, value: string | null | undefined) => (!value ? [] : [`  ${name.padEnd(17)}${value}`])
  return [
    '',
    `  ${colour.bold('Payouts is running.')}`,
    '',
    ...row('Dashboard', `${colour.cyan(dashboard)}${demo ? ` (sign in as ${demo.partner.email})` : ''}`),
    ...row('API', colour.cyan(api)),
    ...row('API reference', colour.cyan(docs)),
    ...row('Temporal Web UI', temporalUi && colour.cyan(temporalUi)),
    ...row('Sandbox bank', bank && `${bank} (simulated, for live too: no real money moves)`),
    ...row('Mail inbox', mailInbox && `${colour.cyan(mailInbox)} (receives every mail, including sign-in codes)`),
    ...(demo
      ? [
          '',
          ...row('Demo partner', demo.partner.slug),
          ...row('Sandbox key', demo.keys.sandbox),
          ...row('Live key', demo.keys.live && `${demo.keys.live} (simulated)`),
        ]
      : []),
    ...(demo ? ['', '  Try it:', '', `    ${curlLine(api, demo)}`] : []),
    '',
    colour.dim(`  State and logs are in ${dataDir}. Ctrl-C stops everything.`),
    '',
    '',
  ].join('\n')
}

function curlLine(api: string, demo: Demo): string {
  return `curl ${api}/v1/balance -H 'Authorization: Bearer ${demo.keys.sandbox}'`
}
