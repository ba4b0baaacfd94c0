// Starts the parts of the system in the order they need each other, and says of each what it is doing.

import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { EnvironmentVariables } from '../config'
import { type Demo, isAccepted, makeDemo, readDemo } from './demo'
import { environmentFor } from './environment-for'
import type { Plan } from './plan'
import { startPostgres } from './postgres'
import { writePrivate } from './private-file'
import type { Server } from './process/guarded'
import { startNodePart } from './process/node-part'
import type { Parts } from './process/parts'
import { projectDir } from './project-dir'
import { loadSecrets } from './secrets'
import { startTemporal } from './temporal'
import { findTemporalCli } from './temporal-cli'
import type { Steps } from './terminal/steps'

export interface Start {
  readonly plan: Plan
  readonly steps: Steps
  readonly parts: Parts
  /** Given when the start is to be abandoned. */
  readonly signal: AbortSignal
}

export interface System {
  readonly temporalAddress: string
  readonly temporalUi: string | null
  /** Null where the database is somebody else's: nothing is seeded into that. */
  readonly demo: Demo | null
}

const migrateLimitMs = 300_000
const readyLimitMs = 30_000

export async function startSystem(start: Start): Promise<System> {
  const { plan, steps } = start
  mkdirSync(join(plan.dataDir, 'logs'), { recursive: true })
  const secrets = loadSecrets(plan.dataDir)
  const [databaseUrl, temporal] = await Promise.all([
    plan.databaseUrl ?? ownPostgres(start, secrets.postgresPassword),
    plan.temporalAddress ? { address: plan.temporalAddress, uiPort: null } : ownTemporal(start),
  ])
  const env = environmentFor(plan, { databaseUrl, temporalAddress: temporal.address, secretKeys: secrets.SECRET_KEYS })
  writePrivate(join(plan.dataDir, 'env.json'), env.shared)

  const run: Run = { ...start, env: env.full }

  await steps.run(
    'Database',
    () => migrate(run),
    () => 'is up to date',
  )
  const kept = plan.databaseUrl ? null : readDemo(plan.dataDir)
  const [made] = await Promise.all([
    plan.databaseUrl || kept ? null : seed(run),
    ownPart(run, 'Worker', 'dist/worker/main.js'),
    ownPart(run, 'API', 'dist/api/main.js'),
  ])
  await untilReady(plan.api)
  const demo = kept && !(await isAccepted(plan.api, kept)) ? await seed(run) : (made ?? kept)
  return {
    temporalAddress: temporal.address,
    temporalUi: temporal.uiPort === null ? null : `http://localhost:${temporal.uiPort}`,
    demo,
  }
}

/** A start that knows its servers, and so the environment of everything that uses them. */
interface Run extends Start {
  readonly env: EnvironmentVariables
}

async function ownPostgres({ plan, steps, parts }: Start, password: string): Promise<string> {
  const logFile = join(plan.dataDir, 'logs', 'postgres.log')
  const onSpawn = (server: Server) => parts.add({ ...server, name: 'PostgreSQL', logFile })
  const options = { dataDir: join(plan.dataDir, 'postgres'), preferredPort: 5432, maxConnections: 100 }
  const { url } = await steps.run(
    'PostgreSQL',
    () => startPostgres({ ...options, logFile, onSpawn, password, durable: 'on' }),
    ({ version, port }) => `${version} on port ${port}`,
  )
  return url
}

async function ownTemporal({ plan, steps, parts }: Start): Promise<{ address: string; uiPort: number | null }> {
  const { dataDir, env } = plan
  const logFile = join(dataDir, 'logs', 'temporal.log')
  const onSpawn = (server: Server) => parts.add({ ...server, name: 'Temporal', logFile })
  const options = { dbFile: join(dataDir, 'temporal.db'), preferredPort: 7233, preferredUiPort: 8233 }
  return steps.run(
    'Temporal',
    async (report) => {
      const cli = await findTemporalCli({ env, dataDir, report })
      report('starting')
      return startTemporal({ ...options, cli, logFile, onSpawn })
    },
    ({ address, uiPort }) => `on port ${address.split(':')[1]}, its Web UI on port ${uiPort}`,
  )
}

async function ownPart({ plan, steps, parts, env }: Run, name: string, main: string): Promise<void> {
  const logFile = join(plan.dataDir, 'logs', `${name.toLowerCase()}.log`)
  await steps.run(name, () => startNodePart({ name, main, env, logFile, onSpawn: parts.add }))
}

function seed({ plan, steps, env, signal }: Run): Promise<Demo> {
  return steps.run('Demo partner', () => makeDemo(plan.dataDir, env, signal))
}

async function migrate({ env, signal }: Run): Promise<void> {
  const main = join(projectDir(), 'dist', 'db', 'main.js')
  try {
    await promisify(execFile)(process.execPath, [main], { env, signal, timeout: migrateLimitMs })
  } catch (cause) {
    const words = cause instanceof Error && 'stderr' in cause && cause.stderr ? cause.stderr : cause
    throw new Error(String(words).trim(), { cause })
  }
}

/** Every part is up; this asks whether the API also reaches the others. */
async function untilReady(api: string): Promise<void> {
  const until = performance.now() + readyLimitMs
  for (;;) {
    const answer = await fetch(`${api}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => null)
    if (answer?.ok) return
    if (performance.now() > until) throw new Error(`The API runs but is not ready: ${await answer?.text()}`)
    await sleep(100)
  }
}
