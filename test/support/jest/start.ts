// Starts the PostgreSQL and Temporal servers for all test files, and builds the workflow bundle.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../../db/migrate'
import { removeCluster } from '../../../local/postgres/cluster'
import { type Postgres, startPostgres } from '../../../local/postgres/start'
import { isAlive } from '../../../local/process/identity'
import { findTemporalCli } from '../../../local/temporal/find-cli'
import { startTemporal } from '../../../local/temporal/start'
import { environment } from '../../../runtime/config/config'
import { createKeyPair } from '../../../sandbox-bank/webhooks/events'
import { bundleInto } from '../../../worker/bundle'
import { openLogsFolder, requireNothingPersonal } from '../kept-logs'
import stopAll, { onStop } from './stop'
import { announce, templateDatabase, withDatabase } from './system'

export default async function start(): Promise<void> {
  removeAbandoned()
  // Every Node process parses these certificates when it starts, which takes longer than the rest of its start. Test
  // processes connect only to this machine, except for the contract tests with the real bank.
  if (!process.env['BANK_CONTRACT_URL']) delete process.env['NODE_EXTRA_CA_CERTS']
  const folder = openFolder(tmpdir())
  const logsFolder = openLogsFolder()
  onStop(() => requireNothingPersonal(logsFolder))
  try {
    const [databaseUrl, temporal, workflowBundlePath, webhookKeysPath] = await Promise.all([
      postgres(hasMemory() ? openFolder(memory) : folder),
      openTemporal(folder),
      bundle(folder),
      webhookKeys(folder),
    ])
    announce({ databaseUrl, ...temporal, workflowBundlePath, logsFolder, webhookKeysPath })
  } catch (error) {
    // Jest calls the teardown only after a successful setup.
    await stopAll()
    throw error
  }
}

/** An in-memory file system. Creating a database takes four times as much processor time on disk. */
const memory = '/dev/shm'

/** Returns whether the in-memory file system is large enough. In a container, it may have only a few megabytes. */
function hasMemory(): boolean {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) > 4 * 2 ** 30
}

function openFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, `payouts-test-${process.pid}-`))
  // When root runs the tests, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755)
  onStop(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Removes the folders of earlier runs that were killed. */
function removeAbandoned(): void {
  for (const parent of [tmpdir(), memory].filter(existsSync)) {
    for (const name of readdirSync(parent)) {
      const pid = /^payouts-test-(\d+)-/.exec(name)?.[1]
      const isOurs = statSync(join(parent, name), { throwIfNoEntry: false })?.uid === process.getuid?.()
      if (pid && isOurs && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true })
    }
  }
}

/**
 * Without durability, only a crash of the machine could lose anything. Autovacuum visits every database in turn, but
 * tests create hundreds of short-lived databases that need no vacuum.
 */
const forShortLivedData = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }

/** On macOS. Linux allows four bytes more. */
const longestSocketPath = 103

async function postgres(folder: string): Promise<string> {
  const dataDir = join(folder, 'postgres')
  onStop(async () => removeCluster(dataDir))
  const hasSocket = Buffer.byteLength(join(dataDir, '.s.PGSQL.65535')) <= longestSocketPath
  const password = randomBytes(16).toString('hex')
  const server = await startPostgres({
    dataDir,
    logFile: join(folder, 'postgres.log'),
    preferredPort: 0,
    password,
    settings: {
      ...forShortLivedData,
      max_connections: 300,
      // The data folder, which is the server's working directory.
      unix_socket_directories: hasSocket ? '.' : '',
    },
  })
  onStop(() => server.stop())
  const client = new Client({ connectionString: server.url })
  await client.connect()
  // With the default of 4,096 iterations, each of the thousands of connections would take milliseconds to authenticate.
  // The role keeps the setting for the passwords that later sessions set, and SET applies it to the next statement.
  await client.query('ALTER ROLE CURRENT_USER SET scram_iterations = 1; SET scram_iterations = 1')
  await client.query(`ALTER ROLE CURRENT_USER PASSWORD '${password}'`)
  await client.query(`CREATE DATABASE ${templateDatabase}`)
  const url = hasSocket ? await withSocket(server, dataDir, client) : server.url
  await client.end()
  await migrate(withDatabase(url, templateDatabase))
  return url
}

/**
 * Returns a URL for the server's socket, which takes less processor time than TCP. The socket uses plain password
 * authentication, because SCRAM takes a third of the time of a connection. Only the user who runs the server, and root,
 * can enter the data folder, which contains the socket.
 */
async function withSocket(server: Postgres, dataDir: string, client: Client): Promise<string> {
  writeFileSync(join(dataDir, 'pg_hba.conf'), 'local all all password\nhost all all 127.0.0.1/32 scram-sha-256\n')
  await client.query('SELECT pg_reload_conf()')
  const url = new URL(server.url)
  url.searchParams.set('host', dataDir)
  return url.href
}

async function openTemporal(folder: string): Promise<{ temporalAddress: string; temporalCli: string }> {
  const temporalCli = await findTemporalCli({
    env: environment(),
    dataDir: join(folder, 'data'),
    report: reportProgress(),
  })
  // With Go's defaults, garbage collection and growing stacks take a quarter of Temporal's processor time.
  process.env['GOGC'] ??= '2000'
  process.env['GOMEMLIMIT'] ??= '1GiB'
  process.env['GODEBUG'] ??= 'adaptivestackstart=1'
  // On two processors, several threads take more time to find their work than they gain.
  if (availableParallelism() <= 2) process.env['GOMAXPROCS'] ??= '1'
  const server = await startTemporal({
    cli: temporalCli,
    logFile: join(folder, 'temporal.log'),
    preferredPort: 0,
    dbFile: null,
    preferredUiPort: null,
  })
  onStop(() => server.stop())
  return { temporalAddress: server.address, temporalCli }
}

/** Prints the progress of a first run, which has to download Temporal. */
function reportProgress(): (progress: string) => void {
  let reportedAtMs = 0
  return (progress) => {
    if (performance.now() - reportedAtMs < 5000) return
    reportedAtMs = performance.now()
    process.stderr.write(`Temporal: ${progress}\n`)
  }
}

/** Copies the bundle, because another run replaces the cached one if the workflows change. */
async function bundle(folder: string): Promise<string> {
  const [cached, path] = [join(__dirname, '../../../.cache/workflow-bundle.js'), join(folder, 'workflow-bundle.js')]
  mkdirSync(dirname(cached), { recursive: true })
  await bundleInto(cached)
  copyFileSync(cached, path)
  return path
}

/** One key for the webhook of each environment. All test banks have the same two keys. */
async function webhookKeys(folder: string): Promise<string> {
  const path = join(folder, 'webhook-keys.pem')
  writeFileSync(path, [createKeyPair(), createKeyPair()].map(({ privateKey }) => privateKey).join(''), { mode: 0o600 })
  return path
}
