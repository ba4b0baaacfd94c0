// An API key's secret: its format, its checksum and its keyed hash.
import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openKeyring } from '../../../db/keyring'
import { apiKeyDigests, newApiKeySecret, readApiKeySecret } from '../../../db/partners/api-key-secret'
import { environments } from '../../../domain/environment'

test.each(environments)(
  'a %s secret consists of kp_, its environment and 48 lowercase hex characters',
  (environment) => {
    const secret = newApiKeySecret(environment)

    expect(secret).toMatch(/^kp_(sandbox|live)_[a-f0-9]{48}$/)
    expect(readApiKeySecret(secret)).toEqual({ environment, prefix: secret.slice(0, `kp_${environment}_`.length + 8) })
    expect(newApiKeySecret(environment)).not.toBe(secret)
  },
)

test('a secret with any single mistyped character is refused', () => {
  const secret = newApiKeySecret('sandbox')
  const characters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEF_-'

  const accepted = Array.from(secret).flatMap((original, index) =>
    Array.from(characters)
      .filter((typed) => typed !== original)
      .map((typed) => secret.slice(0, index) + typed + secret.slice(index + 1))
      .filter((mistyped) => readApiKeySecret(mistyped) !== null),
  )

  expect(accepted).toEqual([])
})

test('a secret with two swapped neighbouring characters is refused', () => {
  const secret = newApiKeySecret('live')

  const swapped = Array.from(
    secret,
    (_, index) =>
      secret.slice(0, index) +
      secret
        .slice(index, index + 2)
        .split('')
        .toReversed()
        .join('') +
      secret.slice(index + 2),
  )

  expect(swapped.filter((text) => text !== secret && readApiKeySecret(text) !== null)).toEqual([])
})

test('a sandbox secret is not accepted as a live one', () => {
  const secret = newApiKeySecret('sandbox')

  expect(readApiKeySecret(secret.replace('sandbox', 'live'))).toBeNull()
})

test.each(['', 'kp_sandbox_', 'Bearer x', ` ${newApiKeySecret('live')}`, `${newApiKeySecret('live')}\n`, '\0'])(
  'a text that is not a key is refused: %p',
  (text) => {
    expect(readApiKeySecret(text)).toBeNull()
  },
)

test('a secret has one keyed digest for each key in the keyring, starting with the current one', () => {
  const keyring = openKeyring([
    { id: 'k2', bytes: Buffer.alloc(32, 2) },
    { id: 'k1', bytes: Buffer.alloc(32, 1) },
  ])
  const secret = newApiKeySecret('sandbox')

  const digests = apiKeyDigests(keyring, secret)

  expect(digests.map((each) => each.keyId)).toEqual(['k2', 'k1'])
  const expected = createHmac('sha256', keyring.current('api-key').bytes).update(secret).digest()
  expect(digests[0]?.digest).toEqual(expected)
  expect(digests[1]?.digest).not.toEqual(expected)
})
