// Starts the PostgreSQL and Temporal servers of all test files, and builds what they share.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../../db/migrate'
import { removeCluster } from '../../../local/postgres/cluster'
import { startPostgres } from '../../../local/postgres/start'
import { isAlive } from '../../../local/process/identity'
import { findTemporalCli } from '../../../local/temporal/find-cli'
import { startTemporal } from '../../../local/temporal/start'
import { environment } from '../../../runtime/config/config'
import { bundleWorkflows } from '../../../worker/bundle'
import { templateDatabase, templateUrl } from '../db/database'
import { openLogsFolder, requireNothingPersonal } from '../kept-logs'
import stopAll, { onStop } from './stop'
import { announce } from './system'

export default async function start(): Promise<void> {
  removeAbandoned()
  const folder = mkdtempSync(join(tmpdir(), `payouts-test-${process.pid}-`))
  // As root PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o755)
  onStop(async () => rmSync(folder, { recursive: true, force: true }))
  const logsFolder = openLogsFolder()
  onStop(() => requireNothingPersonal(logsFolder))
  try {
    const [databaseUrl, temporalAddress, workflowBundlePath] = await Promise.all([
      postgres(folder),
      temporal(folder),
      bundle(folder),
    ])
    announce({ databaseUrl, temporalAddress, workflowBundlePath, logsFolder })
  } catch (error) {
    // Jest calls the tear-down only after a successful set-up.
    await stopAll()
    throw error
  }
}

/** A killed run could not remove its folder. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^payouts-test-(\d+)-/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

async function postgres(folder: string): Promise<string> {
  const dataDir = join(folder, 'postgres')
  onStop(async () => removeCluster(dataDir))
  const server = await startPostgres({
    dataDir,
    logFile: join(folder, 'postgres.log'),
    preferredPort: 0,
    password: randomBytes(16).toString('hex'),
    durable: 'off',
    maxConnections: 300,
  })
  onStop(() => server.stop())
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query(`CREATE DATABASE ${templateDatabase}`)
  await client.end()
  await migrate(templateUrl(server.url))
  return server.url
}

async function temporal(folder: string): Promise<string> {
  const cli = await findTemporalCli({ env: environment(), dataDir: join(folder, 'data'), report: reportProgress() })
  const server = await startTemporal({
    cli,
    logFile: join(folder, 'temporal.log'),
    preferredPort: 0,
    dbFile: null,
    preferredUiPort: null,
  })
  onStop(() => server.stop())
  return server.address
}

/** Silent except in a first run, which has to download the program. */
function reportProgress(): (progress: string) => void {
  let reportedAtMs = 0
  return (progress) => {
    if (performance.now() - reportedAtMs < 5000) return
    reportedAtMs = performance.now()
    process.stderr.write(`Temporal: ${progress}\n`)
  }
}

async function bundle(folder: string): Promise<string> {
  const path = join(folder, 'workflow-bundle.js')
  writeFileSync(path, (await bundleWorkflows()).code)
  return path
}
