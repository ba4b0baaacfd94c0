// Creates the PostgreSQL data folder atomically, at a path that the user who runs PostgreSQL can reach.

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
import { errorCode } from '../files'
import type { Binaries } from './binaries'
import { newReachableFolder, rememberLink, type SystemUser } from './reachable-folder'

export const superuser = 'payouts'

const remedy = 'move it elsewhere, or set DATA_DIR to another folder.'

interface ClusterOptions {
  readonly dataDir: string
  readonly binaries: Binaries
  readonly user: SystemUser | undefined
  readonly password: string
}

/** Returns the real folder: `dataDir` itself, or the target of the link with that name. */
export async function openCluster(options: ClusterOptions): Promise<string> {
  const { dataDir, binaries, user } = options
  if (isVacant(dataDir)) await makeCluster(options)

  const cluster = realpathSync(dataDir)
  if (!canWrite(cluster, user)) throw new Error(`${dataDir} cannot be used by the user who runs PostgreSQL; ${remedy}`)
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (made !== binaries.version.split('.')[0]) {
    throw new Error(`${dataDir} was created by PostgreSQL ${made}, but this is ${binaries.version}; ${remedy}`)
  }
  return cluster
}

/** Deletes the data, even if `dataDir` is a link to it. */
export function removeCluster(dataDir: string): void {
  const folder = lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()
    ? dirname(readlinkSync(dataDir))
    : dataDir
  rmSync(folder, { recursive: true, force: true })
  rmSync(dataDir, { recursive: true, force: true })
}

/** Throws if the folder contains other files or cannot be read. The user must decide what to do with it. */
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
      `${dataDir} ${gone ? 'is a link to a folder that does not exist' : 'belongs to another user'}; ${remedy}`,
      { cause },
    )
  }
  throw new Error(`${dataDir} contains files that are not PostgreSQL's; ${remedy}`)
}

/**
 * Creates the data next to its final path and then moves it, so that a killed start leaves no folder that looks
 * complete.
 */
async function makeCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, user } = options
  const staging = `${dataDir}.new`
  rmSync(staging, { recursive: true, force: true })
  if (prepare(staging, user)) {
    await initialise(staging, options)
    renameSync(join(staging, 'data'), dataDir)
    rmSync(staging, { recursive: true, force: true })
    return
  }

  rmSync(staging, { recursive: true, force: true })
  await makeElsewhere(options)
}

async function makeElsewhere(options: ClusterOptions): Promise<void> {
  const { dataDir, user } = options
  const elsewhere = newReachableFolder()
  if (!prepare(elsewhere, user)) throw new Error(`User ${user?.uid} cannot use ${elsewhere}; ${remedy}`)
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

/** Runs the check as `user`, because root can write everywhere. */
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
    const message = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new Error(`PostgreSQL could not create its data in ${dirname(folder)}: ${message}`, { cause })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Contains nothing from the caller's environment: a PGPORT or LC_ALL must not change the server's behaviour. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
