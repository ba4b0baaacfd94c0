// The folder with PostgreSQL's data: made once, whole or not at all, in a place that the user who runs PostgreSQL can reach.

import { execFile, execFileSync } from 'node:child_process'
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../error-code'
import type { Binaries } from './binaries'
import { newReachableFolder, rememberLink } from './reachable-folder'
import type { SystemUser } from './system-user'

export const superuser = 'payouts'

const remedy = 'move it away, or set DATA_DIR to another folder.'

export interface ClusterOptions {
  readonly dataDir: string
  readonly binaries: Binaries
  readonly user: SystemUser | undefined
  readonly password: string
}

/** Returns the real folder: `dataDir` itself, or where the link of that name points to. */
export async function openCluster(options: ClusterOptions): Promise<string> {
  const { dataDir, binaries, user } = options
  if (isVacant(dataDir)) await makeCluster(options)

  const cluster = realpathSync(dataDir)
  if (!canWrite(cluster, user)) throw new Error(`${dataDir} is closed to the user who runs PostgreSQL; ${remedy}`)
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (made !== binaries.version.split('.')[0]) {
    throw new Error(`${dataDir} was made by PostgreSQL ${made} and this is ${binaries.version}; ${remedy}`)
  }
  return cluster
}

/** For data that nobody wants to keep, wherever it was put. */
export function removeCluster(dataDir: string): void {
  const folder = lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()
    ? dirname(readlinkSync(dataDir))
    : dataDir
  rmSync(folder, { recursive: true, force: true })
  rmSync(dataDir, { recursive: true, force: true })
}

/** Nothing is ever removed to make room: what is there and can not be used is left to a person. */
function isVacant(dataDir: string): boolean {
  try {
    lstatSync(dataDir)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
  }
  try {
    const names = readdirSync(dataDir)
    if (names.length === 0 || names.includes('PG_VERSION')) return names.length === 0
  } catch (cause) {
    const gone = errorCode(cause) === 'ENOENT'
    throw new Error(
      `${dataDir} ${gone ? 'is a link to a folder that is gone' : 'belongs to another user'}; ${remedy}`,
      { cause },
    )
  }
  throw new Error(`${dataDir} holds something that is not PostgreSQL's; ${remedy}`)
}

/** Made beside its final place and then moved there: a first start that is killed half-way leaves nothing that looks finished. */
async function makeCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, user } = options
  const beside = `${dataDir}.new`
  rmSync(beside, { recursive: true, force: true })
  if (prepare(beside, user)) {
    await initialise(beside, options)
    renameSync(join(beside, 'data'), dataDir)
    rmSync(beside, { recursive: true, force: true })
    return
  }

  rmSync(beside, { recursive: true, force: true })
  await makeElsewhere(options)
}

async function makeElsewhere(options: ClusterOptions): Promise<void> {
  const { dataDir, user } = options
  const elsewhere = newReachableFolder()
  if (!prepare(elsewhere, user)) throw new Error(`${elsewhere} is closed to user ${user?.uid}; ${remedy}`)
  await initialise(elsewhere, options)
  symlinkSync(join(elsewhere, 'data'), dataDir)
  rememberLink(elsewhere, dataDir)
}

function prepare(folder: string, user: SystemUser | undefined): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    if (user) chownSync(folder, user.uid, user.gid)
  } catch {
    return false
  }
  return canWrite(folder, user)
}

/** Asked in that user's name, because root's own view of permissions says nothing about anybody else. */
function canWrite(folder: string, user: SystemUser | undefined): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'test -w "$1" && test -x "$1"', 'test', folder], {
      cwd: '/',
      stdio: 'ignore',
      ...user,
    })
    return true
  } catch {
    return false
  }
}

async function initialise(folder: string, { binaries, user, password }: ClusterOptions): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user) chownSync(passwordFile, user.uid, user.gid)
  const flags = [
    `--pgdata=${join(folder, 'data')}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ]
  try {
    await promisify(execFile)(binaries.initdb, flags, { cwd: '/', env: serverEnvironment, ...user })
  } catch (cause) {
    const words = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new Error(`PostgreSQL could not prepare its data in ${dirname(folder)}: ${words}`, { cause })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Nothing of the caller's: a PGPORT or LC_ALL in somebody's shell must not change how the server behaves. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
