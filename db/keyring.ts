// The service's secret keys. Each purpose has its own derived key.
import { hkdfSync } from 'node:crypto'
import { assert } from '../domain/assert'
import type { SecretKey } from '../runtime/config/config'

export type Purpose = 'api-key' | 'seal' | 'fingerprint' | 'account' | 'code' | 'code-bound' | 'mail' | 'address'

export interface PurposeKey {
  readonly id: string
  readonly bytes: Buffer
}

/** New data uses the current key. Older keys remain available to read the data that was written with them. */
export interface Keyring {
  current(purpose: Purpose): PurposeKey
  all(purpose: Purpose): readonly PurposeKey[]
  find(purpose: Purpose, keyId: string): PurposeKey | null
}

/** The first key is the current one. */
export function openKeyring(keys: readonly SecretKey[]): Keyring {
  const derived = new Map<Purpose, readonly PurposeKey[]>()

  function all(purpose: Purpose): readonly PurposeKey[] {
    const known = derived.get(purpose) ?? keys.map((key) => derive(key, purpose))
    derived.set(purpose, known)
    return known
  }

  function current(purpose: Purpose): PurposeKey {
    const [first] = all(purpose)
    assert(first !== undefined, 'a keyring must hold a key')
    return first
  }

  return { all, current, find: (purpose, keyId) => all(purpose).find((key) => key.id === keyId) ?? null }
}

function derive({ id, bytes }: SecretKey, purpose: Purpose): PurposeKey {
  return { id, bytes: Buffer.from(hkdfSync('sha256', bytes, '', `payouts/${purpose}`, 32)) }
}
