// The secret of an API key: how it is generated, parsed and hashed for storage.
import { createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../../domain/environment'
import type { Keyring } from '../keyring'

export interface ApiKeyDigest {
  readonly keyId: string
  readonly digest: Buffer
}

/**
 * Generates 40 random hex digits and an 8-digit checksum, so that secret scanners can recognize a real key.
 */
export function newApiKeySecret(environment: Environment): string {
  const unchecked = `kp_${environment}_${randomBytes(20).toString('hex')}`
  return unchecked + checksum(unchecked)
}

/** Returns null if the text is not a key or was mistyped. The checksum detects a typing error without a query. */
export function readApiKeySecret(text: string): { environment: Environment; prefix: string } | null {
  const match = secretExpression.exec(text)
  if (match === null || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return null
  return { environment: match[1] === 'live' ? 'live' : 'sandbox', prefix: prefixOf(text) }
}

/** Returns the part of a key that remains visible after its creation, such as `kp_sandbox_` and the first 8 digits. */
export function prefixOf(secret: string): string {
  return secret.slice(0, secret.lastIndexOf('_') + 1 + prefixDigits)
}

/** Returns one digest for each secret key in the keyring, starting with the current one. */
export function apiKeyDigests(keyring: Keyring, secret: string): ApiKeyDigest[] {
  return keyring.all('api-key').map(({ id, bytes }) => ({
    keyId: id,
    digest: createHmac('sha256', bytes).update(secret).digest(),
  }))
}

const secretExpression = /^kp_(sandbox|live)_[a-f0-9]{48}$/
const checksumLength = 8
const prefixDigits = 8

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(checksumLength, '0')
}
