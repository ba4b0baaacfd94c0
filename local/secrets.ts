// The secrets of a system on one machine: made once, kept in DATA_DIR for its owner's eyes only.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './private-file'

export interface Secrets {
  readonly postgresPassword: string
  /** In the form of the variable of that name. */
  readonly SECRET_KEYS: string
  /** What we show the sandbox bank to be let in. */
  readonly bankKeys: { readonly sandbox: string; readonly live: string }
}

export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json')
  const kept: Partial<Secrets> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const secrets = { ...newSecrets(), ...kept }
  // An older version kept fewer of them.
  if (Object.keys(secrets).length > Object.keys(kept).length) writePrivate(path, secrets)
  return secrets
}

/** Each says where it comes from, so that production can refuse it. */
function newSecrets(): Secrets {
  return {
    postgresPassword: randomBytes(24).toString('hex'),
    SECRET_KEYS: `local:${randomBytes(32).toString('hex')}`,
    bankKeys: {
      sandbox: `sk-test-local-${randomBytes(16).toString('hex')}`,
      live: `sk-live-local-${randomBytes(16).toString('hex')}`,
    },
  }
}
