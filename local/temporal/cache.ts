// The pinned Temporal release and its per-user cache folder, so that a second clone downloads nothing.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { EnvironmentVariables } from '../../runtime/config/config'
import { isAlive } from '../process/identity'

/** The hashes are those of the program itself, regardless of its source. */
export const release = {
  version: '1.9.1',
  sha256: {
    'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  } as Readonly<Record<string, string>>,
  downloadMegabytes: 45,
}

export const platform = `${process.platform}-${process.arch}`

export interface Cache {
  readonly released: string
  readonly builtByGo: string
  /** Provides an empty folder for a download and removes it afterwards. Also removes the folders of dead processes. */
  readonly withStaging: <T>(use: (folder: string) => Promise<T>) => Promise<T>
}

export function openCache(env: EnvironmentVariables, dataDir: string): Cache {
  const own = join(env.XDG_CACHE_HOME ? resolve(env.XDG_CACHE_HOME) : join(homedir(), '.cache'), 'payouts')
  const folder = isWritable(own) ? own : join(dataDir, '.cache')
  mkdirSync(folder, { recursive: true })
  return {
    released: join(folder, `temporal-${release.version}-${platform}`),
    builtByGo: join(folder, `temporal-by-go-${platform}`),
    withStaging: async (use) => {
      const staging = makeStaging(folder)
      try {
        return await use(staging)
      } finally {
        rmSync(staging, { recursive: true, force: true })
      }
    },
  }
}

/** Whether the file is exactly the pinned release. */
export async function isPinned(file: string): Promise<boolean> {
  if (!existsSync(file)) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex') === release.sha256[platform]
}

/** Moves a program into place atomically, so that no process starts an incomplete one. */
export function publish(program: string, place: string): void {
  chmodSync(program, 0o755)
  renameSync(program, place)
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true })
    rmSync(makeStaging(folder), { recursive: true })
    return true
  } catch {
    return false
  }
}

function makeStaging(folder: string): string {
  for (const name of readdirSync(folder)) {
    const pid = /^staging-(\d+)-/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(folder, `staging-${process.pid}-`))
}
