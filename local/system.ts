// Starts the parts of the system in dependency order, and shows each part's progress.

import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { EnvironmentVariables } from '../runtime/config/config'
import { startBank } from './bank'
import { type Demo, isAccepted, isConnected, makeDemo, makeDemoLive, makeDemoWithMonth, readDemo } from './demo'
import { environmentFor } from './environment-for'
import { projectDir, writePrivate } from './files'
import type { Plan } from './plan'
import { choosePort, type KeptPorts, openKeptPorts } from './ports'
import { startPostgres } from './postgres/start'
import type { Server } from './process/guarded'
import { type NodePartOptions, startNodePart } from './process/node-part'
import type { Parts } from './process/parts'
import { loadSecrets, type Secrets } from './secrets'
import { findTemporalCli } from './temporal/find-cli'
import { startTemporal } from './temporal/start'
import type { Steps } from './terminal/steps'

interface Start {
  readonly plan: Plan
  readonly steps: Steps
  readonly parts: Parts
  /** Aborts the start. */
  readonly signal: AbortSignal
}

export interface System {
  readonly temporalAddress: string
  readonly temporalUi: string | null
  /** Null if `npm start` did not start the bank. */
  readonly bank: string | null
  /** Null if `npm start` did not start the mail inbox. */
  readonly mail: LocalInbox | null
  /** Null for an external database, which gets no demo data. */
  readonly demo: Demo | null
}

const migrateLimitMs = 300_000
const readyLimitMs = 30_000
/** Long enough for a slow machine. */
const connectLimitMs = 120_000

export async function startSystem(start: Start): Promise<System> {
  const { plan, steps } = start
  mkdirSync(join(plan.dataDir, 'logs'), { recursive: true })
  const secrets = loadSecrets(plan.dataDir)
  const own: OwnServers = { ...start, ports: openKeptPorts(plan) }
  const [databaseUrl, temporal] = await Promise.all([
    plan.databaseUrl ?? ownPostgres(own, secrets.postgresPassword),
    plan.temporalAddress ? { address: plan.temporalAddress, uiPort: null } : ownTemporal(own),
  ])
  const bank = plan.bank === 'ours' ? { url: await ownBank(own, secrets.bankKeys), keys: secrets.bankKeys } : null
  const mail = plan.mail === 'ours' ? await ownInbox(own) : null
  const { SECRET_KEYS: secretKeys } = secrets
  const temporalUi = temporal.uiPort === null ? null : `http://localhost:${temporal.uiPort}`
  const servers = { databaseUrl, temporalAddress: temporal.address, temporalUi, bank, mail }
  const env = environmentFor(plan, { ...servers, secretKeys })
  writePrivate(join(plan.dataDir, 'env.json'), env.shared)

  const run: Run = { ...start, env: env.full }

  await steps.run(
    'Database',
    () => migrate(run),
    () => 'is up to date',
  )
  const kept = plan.databaseUrl ? null : readDemo(plan.dataDir)
  // Runs before the worker starts: a worker would complete the demo's payouts today, but they belong to past months.
  const made = plan.databaseUrl || kept ? null : await seed(run, 'with-a-finished-month')
  // As in docker-compose.yml: V8 keeps a large young generation once it has grown, in each of the worker's threads.
  await Promise.all([
    ownPart(run, { name: 'Worker', main: 'dist/worker/main.js', nodeOptions: ['--max-semi-space-size=1'] }),
    ownPart(run, { name: 'API', main: 'dist/api/main.js', nodeOptions: ['--max-semi-space-size=4'] }),
  ])
  await untilReady(plan.api)
  const known = kept && !(await isAccepted(plan.api, kept)) ? await seed(run, 'empty') : (made ?? kept)
  const demo = known && bank ? await atBank(run, known) : known
  return {
    temporalAddress: temporal.address,
    temporalUi,
    bank: bank?.url ?? null,
    mail,
    demo,
  }
}

interface OwnServers extends Start {
  readonly ports: KeptPorts
}

/** A start whose servers are running, with the environment variables for the remaining parts. */
interface Run extends Start {
  readonly env: EnvironmentVariables
}

async function ownBank({ plan, steps, parts, ports }: OwnServers, keys: Secrets['bankKeys']): Promise<string> {
  const logFile = join(plan.dataDir, 'logs', 'bank.log')
  const dataDir = join(plan.dataDir, 'sandbox-bank')
  const preferredPort = ports.preferred('bank')
  const work = () => startBank({ dataDir, logFile, keys, preferredPort, env: {}, onSpawn: parts.add })
  const bank = await steps.run('Sandbox bank', work, ({ port }) => `on port ${port}`)
  ports.keep('bank', bank.port)
  return bank.url
}

async function ownInbox({ plan, steps, parts, ports }: OwnServers): Promise<LocalInbox> {
  const logFile = join(plan.dataDir, 'logs', 'mail-inbox.log')
  const dataDir = join(plan.dataDir, 'mail')
  const preferred = { preferredSmtpPort: ports.preferred('smtp'), preferredHttpPort: ports.preferred('inbox') }
  const work = () => startMailInbox({ dataDir, logFile, ...preferred, env: {}, onSpawn: parts.add })
  const mail = await steps.run('Mail inbox', work, ({ inbox }) => `on port ${new URL(inbox).port}`)
  ports.keep('smtp', Number(new URL(mail.smtp).port))
  ports.keep('inbox', Number(new URL(mail.inbox).port))
  return mail
}

interface LocalInbox {
  /** Value for SMTP_URL. */
  readonly smtp: string
  /** The web page. Scripts read `/messages.json` under it. */
  readonly inbox: string
}

interface LocalInboxOptions extends Pick<NodePartOptions, 'logFile' | 'env' | 'onSpawn'> {
  readonly dataDir: string
  readonly preferredSmtpPort: number
  readonly preferredHttpPort: number
}

async function startMailInbox(options: LocalInboxOptions): Promise<LocalInbox> {
  const { dataDir, preferredSmtpPort, preferredHttpPort, logFile, env, onSpawn } = options
  for (let attempt = 1; ; attempt++) {
    const smtpPort = await choosePort(attempt === 1 ? preferredSmtpPort : 0)
    const httpPort = await choosePort(attempt === 1 ? preferredHttpPort : 0)
    const args = ['--smtp-port', String(smtpPort), '--http-port', String(httpPort), '--data-dir', dataDir]
    try {
      const main = join('dist', 'local', 'mail-inbox', 'main.js')
      await startNodePart({ name: 'Mail inbox', main, args, env, logFile, onSpawn })
      return { smtp: `smtp://127.0.0.1:${smtpPort}`, inbox: `http://127.0.0.1:${httpPort}` }
    } catch (error) {
      // Another process took a port between our check and the inbox's start.
      if (attempt === 5 || !/port is in use/.test(String(error))) throw error
    }
  }
}

async function ownPostgres({ plan, steps, parts, ports }: OwnServers, password: string): Promise<string> {
  const logFile = join(plan.dataDir, 'logs', 'postgres.log')
  const onSpawn = (server: Server) => parts.add({ ...server, name: 'PostgreSQL', logFile, restart: null })
  const dataDir = join(plan.dataDir, 'postgres')
  const options = { dataDir, preferredPort: ports.preferred('postgres') }
  const { url, port } = await steps.run(
    'PostgreSQL',
    () => startPostgres({ ...options, logFile, onSpawn, password }),
    (started) => `${started.version} on port ${started.port}`,
  )
  ports.keep('postgres', port)
  return url
}

async function ownTemporal(own: OwnServers): Promise<{ address: string; uiPort: number | null }> {
  const { plan, steps, parts, ports } = own
  const { dataDir, env } = plan
  const logFile = join(dataDir, 'logs', 'temporal.log')
  const onSpawn = (server: Server) => parts.add({ ...server, name: 'Temporal', logFile, restart: null })
  const preferred = { preferredPort: ports.preferred('temporal'), preferredUiPort: ports.preferred('temporalUi') }
  const options = { ...preferred, dbFile: join(dataDir, 'temporal.db') }
  const { address, uiPort } = await steps.run(
    'Temporal',
    async (report) => {
      const cli = await findTemporalCli({ env, dataDir, report })
      report('starting')
      return startTemporal({ ...options, cli, logFile, onSpawn })
    },
    (started) => `on port ${started.address.split(':')[1]}, its Web UI on port ${started.uiPort}`,
  )
  ports.keep('temporal', Number(address.split(':')[1]))
  if (uiPort !== null) ports.keep('temporalUi', uiPort)
  return { address, uiPort }
}

async function ownPart(
  { plan, steps, parts, env }: Run,
  { name, ...program }: Pick<NodePartOptions, 'name' | 'main' | 'nodeOptions'>,
): Promise<void> {
  const logFile = join(plan.dataDir, 'logs', `${name.toLowerCase()}.log`)
  const onRestart = (start: () => Promise<void>) => steps.run(name, start, () => 'had ended and was restarted')
  await steps.run(name, () => startNodePart({ name, ...program, env, logFile, onSpawn: parts.add, onRestart }))
}

function seed({ plan, steps, env, signal }: Run, how: 'with-a-finished-month' | 'empty'): Promise<Demo> {
  const work = async () => {
    const wantsMonth = how === 'with-a-finished-month' && plan.bank === 'ours'
    const used = wantsMonth ? await makeDemoWithMonth(plan.dataDir, env, signal) : null
    if (used !== null) return used
    const demo = await makeDemo(plan.dataDir, env, signal)
    return plan.bank === 'ours' ? makeDemoLive(plan.dataDir, env, demo, signal) : demo
  }
  return steps.run('Demo partner', work)
}

/**
 * Makes the demo partner live if it has no live key yet, and waits until its sandbox wallet is connected to the bank.
 */
function atBank({ plan, steps, env, signal }: Run, demo: Demo): Promise<Demo> {
  const work = async () => {
    const complete = demo.keys.live ? demo : await makeDemoLive(plan.dataDir, env, demo, signal)
    return { complete, connected: await untilConnected(plan.api, demo) }
  }
  const result = ({ connected }: { connected: boolean }) =>
    connected ? 'are connected to the bank' : 'are not connected to the bank yet'
  return steps.run('Demo wallets', work, result).then(({ complete }) => complete)
}

/** Waits so that the first payout goes to the bank. The sandbox simulates payouts until its wallet is connected. */
async function untilConnected(api: string, demo: Demo): Promise<boolean> {
  const until = performance.now() + connectLimitMs
  while (performance.now() < until) {
    if (await isConnected(api, demo)) return true
    await sleep(100)
  }
  return false
}

async function migrate({ env, signal }: Run): Promise<void> {
  const main = join(projectDir(), 'dist', 'db', 'main.js')
  try {
    await promisify(execFile)(process.execPath, [main], { env, signal, timeout: migrateLimitMs })
  } catch (cause) {
    const message = cause instanceof Error && 'stderr' in cause && cause.stderr ? cause.stderr : cause
    throw new Error(String(message).trim(), { cause })
  }
}

/** Waits until the API reports that it reaches all other parts. */
async function untilReady(api: string): Promise<void> {
  const until = performance.now() + readyLimitMs
  for (;;) {
    const answer = await fetch(`${api}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => null)
    if (answer?.ok) return
    if (performance.now() > until) throw new Error(`The API is running but not ready: ${await answer?.text()}`)
    await sleep(100)
  }
}
