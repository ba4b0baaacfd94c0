// Starts, once for all test files, the PostgreSQL and Temporal servers they run against and builds what they share.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { environment } from '../../config'
import { migrate } from '../../db/migrate'
import { startPostgres } from '../../local/postgres'
import { startTemporal } from '../../local/temporal'
import { findTemporalCli } from '../../local/temporal-cli'
import { bundleWorkflows } from '../../worker/bundle'
import { templateDatabase, templateUrl } from './database'
import { onStop } from './stop'
import { announce } from './system'

export default async function start(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-test-'))
  onStop(async () => rmSync(folder, { recursive: true, force: true }))
  const [databaseUrl, temporalAddress, workflowBundlePath] = await Promise.all([
    postgres(folder),
    temporal(folder),
    bundle(folder),
  ])
  announce({ databaseUrl, temporalAddress, workflowBundlePath })
}

async function postgres(folder: string): Promise<string> {
  const server = await startPostgres({
    dataDir: join(folder, 'postgres'),
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
  const cli = await findTemporalCli({ env: environment(), dataDir: join(folder, 'data'), report: () => undefined })
  mkdirSync(join(folder, 'data'), { recursive: true })
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

async function bundle(folder: string): Promise<string> {
  const path = join(folder, 'workflow-bundle.js')
  writeFileSync(path, (await bundleWorkflows()).code)
  return path
}
