// Encrypts a text with a secret key, and binds it to its row.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { assert } from '../domain/assert'
import type { Keyring, Purpose } from './keyring'

export interface Sealed {
  readonly keyId: string
  readonly sealed: Buffer
}

/** Authenticates the row ID, so that a sealed text that was moved to another row cannot be opened. */
export function sealText(keyring: Keyring, purpose: Purpose, rowId: string, text: string): Sealed {
  const { id, bytes } = keyring.current(purpose)
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, bytes, nonce, { authTagLength: tagLength })
  cipher.setAAD(Buffer.from(rowId))
  // The layout is nonce, ciphertext, tag.
  return {
    keyId: id,
    sealed: Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]),
  }
}

/** Throws if the text was changed, its key is missing, or it belongs to another row. */
export function openText(keyring: Keyring, purpose: Purpose, rowId: string, { keyId, sealed }: Sealed): string {
  const key = keyring.find(purpose, keyId)
  assert(key !== null, `the key ${keyId} must stay in the keyring while it seals any row`)
  const nonce = sealed.subarray(0, nonceLength)
  const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagLength })
  decipher.setAAD(Buffer.from(rowId))
  decipher.setAuthTag(sealed.subarray(-tagLength))
  return Buffer.concat([decipher.update(sealed.subarray(nonceLength, -tagLength)), decipher.final()]).toString('utf8')
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
