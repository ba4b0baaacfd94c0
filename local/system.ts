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

  await steps.run(
    'Database',
    () => migrate(env.full),
    () => 'is up to date',
  )
  const kept = plan.databaseUrl ? null : readDemo(plan.dataDir)
  const [made] = await Promise.all([
    plan.databaseUrl || kept ? null : seed(start, env.full),
    ownPart(start, { name: 'Worker', main: 'dist/worker/main.js', env: env.full }),
    ownPart(start, { name: 'API', main: 'dist/api/main.js', env: env.full }),
  ])
  await untilReady(plan.api)
  const demo = kept && !(await isAccepted(plan.api, kept)) ? await seed(start, env.full) : (made ?? kept)
  return {
    temporalAddress: temporal.address,
    temporalUi: temporal.uiPort === null ? null : `http://localhost:${temporal.uiPort}`,
    demo,
  }
}

async function ownPostgres({ plan, steps, parts }: Start, password: string): Promise<string> {
  const logFile = join(plan.dataDir, 'logs', 'postgres.log')
  const dataDir = join(plan.dataDir, 'postgres')
  const work = () =>
    startPostgres({ dataDir, logFile, password, preferredPort: 5432, durable: 'on', maxConnections: 100 })
  const postgres = await steps.run('PostgreSQL', work, ({ version, port }) => `${version} on port ${port}`)
  parts.add({ ...postgres, name: 'PostgreSQL', logFile })
  return postgres.url
}

async function ownTemporal({ plan, steps, parts }: Start): Promise<{ address: string; uiPort: number | null }> {
  const { dataDir, env } = plan
  const logFile = join(dataDir, 'logs', 'temporal.log')
  const temporal = await steps.run(
    'Temporal',
    async (report) => {
      const cli = await findTemporalCli({ env, dataDir, report })
      report('starting')
      const dbFile = join(dataDir, 'temporal.db')
      return startTemporal({ cli, logFile, dbFile, preferredPort: 7233, preferredUiPort: 8233 })
    },
    ({ address, uiPort }) => `on port ${address.split(':')[1]}, its Web UI on port ${uiPort}`,
  )
  parts.add({ ...temporal, name: 'Temporal', logFile })
  return temporal
}

async function ownPart(
  { plan, steps, parts }: Start,
  part: { readonly name: string; readonly main: string; readonly env: EnvironmentVariables },
): Promise<void> {
  const logFile = join(plan.dataDir, 'logs', `${part.name.toLowerCase()}.log`)
  parts.add(await steps.run(part.name, () => startNodePart({ ...part, logFile })))
}

function seed({ plan, steps }: Start, env: EnvironmentVariables): Promise<Demo> {
  return steps.run('Demo partner', () => makeDemo(plan.dataDir, env))
}

async function migrate(env: EnvironmentVariables): Promise<void> {
  const main = join(projectDir(), 'dist', 'db', 'main.js')
  try {
    await promisify(execFile)(process.execPath, [main], { env, timeout: migrateLimitMs })
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
