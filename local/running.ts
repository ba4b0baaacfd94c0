// Finds the data folder and the environment of a system that `npm start` runs, for ops and for a second start.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EnvironmentVariables } from '../runtime/config/config'
import { projectDir } from './files'
import { lockHolder } from './lock'

export function dataDirOf(env: EnvironmentVariables): string {
  return env.DATA_DIR ? resolve(env.DATA_DIR) : join(projectDir(), '.data')
}

/** The environment shared by API, worker and ops of the running system. Null if none runs in this folder. */
export function readRunningEnvironment(dataDir: string): EnvironmentVariables | null {
  if (lockHolder(join(dataDir, 'lock.json')) === null) return null
  try {
    return JSON.parse(readFileSync(join(dataDir, 'env.json'), 'utf8'))
  } catch {
    return null
  }
}
