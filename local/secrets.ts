// The secrets of a system on one machine: made once, kept in DATA_DIR for its owner's eyes only.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './private-file'

export interface Secrets {
  readonly postgresPassword: string
  /** In the form of the variable of that name. */
  readonly SECRET_KEYS: string
}

export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json')
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'))
  const secrets = {
    postgresPassword: randomBytes(24).toString('hex'),
    SECRET_KEYS: `k1:${randomBytes(32).toString('hex')}`,
  }
  writePrivate(path, secrets)
  return secrets
}
