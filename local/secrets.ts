// The secrets of a local system: created once and stored in DATA_DIR, readable by its owner only.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './files'

export interface Secrets {
  readonly postgresPassword: string
  /** In the format of the setting with this name. */
  readonly SECRET_KEYS: string
  /** API keys for the sandbox bank. */
  readonly bankKeys: { readonly sandbox: string; readonly live: string }
}

export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json')
  const kept: Partial<Secrets> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const secrets = { ...newSecrets(), ...kept }
  // An older version stored fewer secrets.
  if (Object.keys(secrets).length > Object.keys(kept).length) writePrivate(path, secrets)
  return secrets
}

/** Keys contain "local", so that production can reject them. */
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
