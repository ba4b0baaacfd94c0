// A PostgreSQL server installed on this machine, with the backup tools that the npm package lacks.
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unprivilegedUser } from '../../local/postgres/reachable-folder'
import { type Server, startGuarded } from '../../local/process/guarded'
import { until } from '../support/until'

const run = promisify(execFile)

export interface InstalledPostgres {
  readonly url: string
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts an empty server in a folder that does not exist yet. */
export async function startInstalled(dataDir: string, port: number): Promise<InstalledPostgres> {
  const user = unprivilegedUser(dataDir)
  mkdirSync(dataDir)
  if (user) chownSync(dataDir, user.uid, user.gid)
  await run(tool('initdb'), ['-D', dataDir, '-U', 'payouts', '-A', 'trust'], { ...user, cwd: '/' })
  const options = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', timezone: 'UTC' }
  const server: Server = await startGuarded({
    name: 'PostgreSQL',
    command: tool('postgres'),
    args: ['-D', dataDir, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    stopSignal: 'INT',
    logFile: `${dataDir}.log`,
    user,
  })
  const url = `postgresql://payouts@127.0.0.1:${port}/payouts`
  const admin = ['-h', '127.0.0.1', '-p', String(port), '-U', 'payouts']
  await until('PostgreSQL accepts connections', () =>
    run(tool('createdb'), [...admin, 'payouts']).then(
      () => true,
      () => false,
    ),
  )
  return {
    url,
    async kill() {
      process.kill(server.pid, 'SIGKILL')
      await server.exited
    },
    stop: () => server.stop(),
  }
}

/** Dumps the database as described in docs/operations/backup.md. */
export async function dump(url: string, file: string): Promise<void> {
  await run(tool('pg_dump'), ['--format=custom', `--file=${file}`, url])
}

export async function restore(url: string, file: string): Promise<void> {
  await run(tool('pg_restore'), ['--no-owner', '--exit-on-error', '--single-transaction', `--dbname=${url}`, file])
}

function tool(name: string): string {
  return join(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim(), name)
}
