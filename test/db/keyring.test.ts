// The keyring has one derived key per purpose. The first secret key is current, and older ones are still found.
import { expect, test } from '@jest/globals'
import { openKeyring, type Purpose } from '../../db/keyring'

const purposes: Purpose[] = ['api-key', 'seal', 'fingerprint', 'account']
const first = { id: 'k1', bytes: Buffer.alloc(32, 1) }
const second = { id: 'k2', bytes: Buffer.alloc(32, 2) }

test('each purpose and each secret key has its own derived key, which is never the secret key itself', () => {
  const keyring = openKeyring([second, first])

  const derived = purposes.flatMap((purpose) => keyring.all(purpose).map((key) => key.bytes.toString('hex')))

  expect(new Set([...derived, first.bytes.toString('hex'), second.bytes.toString('hex')]).size).toBe(10)
})

test('a derived key depends only on its secret key and purpose', () => {
  const before = openKeyring([first]).current('seal')
  const afterRotation = openKeyring([second, first])

  expect(afterRotation.find('seal', 'k1')?.bytes).toEqual(before.bytes)
  expect(afterRotation.current('seal').id).toBe('k2')
  // HKDF-SHA256 with an empty salt and the info "payouts/seal"; another value would make stored data unreadable.
  expect(before.bytes.toString('hex')).toBe('9be289df917d9bf12897b516d0a95bc6fad6529fc04c5af65a4a06c9bc9ddbb1')
})

test('an unknown key is not found, and an empty keyring has no current key', () => {
  expect(openKeyring([first]).find('seal', 'k9')).toBeNull()
  expect(() => openKeyring([]).current('seal')).toThrow('a keyring must hold a key')
})
