// A separate PostgreSQL and Temporal for a story that kills them and restarts them at the same address.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeCluster } from '../../../local/postgres/cluster'
import { type Postgres, startPostgres } from '../../../local/postgres/start'
import type { Server } from '../../../local/process/guarded'
import { startTemporal } from '../../../local/temporal/start'
import { testSystem } from '../jest/system'

export interface OwnServer {
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Starts the server again at the same address, with the same data. */
  start(): Promise<void>
}

export interface OwnServers {
  readonly postgres: OwnServer & { readonly url: string }
  readonly temporal: OwnServer & { readonly address: string }
  close(): Promise<void>
}

export async function openServers(): Promise<OwnServers> {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-story-'))
  // When root runs this test, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755)
  const password = randomBytes(16).toString('hex')
  const openPostgres = (preferredPort: number) => {
    const files = { dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log') }
    // Without other settings, writes are durable, as in production, even though killing only a process would lose none.
    return startPostgres({ ...files, preferredPort, password })
  }
  const openTemporal = async (preferredPort: number) => {
    const files = { logFile: join(folder, 'temporal.log'), dbFile: join(folder, 'temporal.db') }
    return startTemporal({ cli: testSystem().temporalCli, ...files, preferredPort, preferredUiPort: null })
  }
  const [firstPostgres, firstTemporal] = await Promise.all([openPostgres(0), openTemporal(0)])
  const { port, url } = firstPostgres
  const { address } = firstTemporal
  const postgres = killable(
    firstPostgres,
    () => openPostgres(port),
    (again: Postgres) => again.port === port,
  )
  const temporal = killable(
    firstTemporal,
    () => openTemporal(Number(address.split(':')[1])),
    (again) => again.address === address,
  )
  return {
    postgres: { ...postgres, url },
    temporal: { ...temporal, address },
    async close() {
      await temporal.stop()
      await postgres.stop()
      removeCluster(join(folder, 'postgres'))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function killable<S extends Server>(first: S, open: () => Promise<S>, isSame: (again: S) => boolean) {
  let running = first
  return {
    async kill() {
      process.kill(running.pid, 'SIGKILL')
      await running.exited
    },
    async start() {
      running = await open()
      if (!isSame(running)) throw new Error('another process has taken the port of a killed server')
    },
    stop: () => running.stop(),
  }
}
