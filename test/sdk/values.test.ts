// Idempotency keys and money of the TypeScript SDK, which need no server.
import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { idempotencyKey, money } from '../../sdk/typescript/src'

/** The rule of the API. */
const validKey = /^[A-Za-z0-9_\-:.]{8,100}$/

test('an ID that is a valid key is used as it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_\-:.]{8,100}$/), (id) => {
      expect(idempotencyKey.from(id)).toBe(id)
    }),
  )
})

test('any other ID becomes its SHA-256, always the same', () => {
  const hashOf = (id: string) => `sha256:${createHash('sha256').update(id).digest('hex')}`

  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), (id) => {
      fc.pre(!validKey.test(id))
      expect(idempotencyKey.from(id)).toBe(hashOf(id.toWellFormed()))
    }),
  )
  // A multiple of 64 bytes, and lengths around the padding.
  for (const length of [55, 56, 63, 64, 119, 120, 1_000]) {
    expect(idempotencyKey.from('é'.repeat(length))).toBe(hashOf('é'.repeat(length)))
  }
})

test('a key that was stored and is passed again stays the same, so that nothing is paid twice', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      const key = idempotencyKey.from(id)
      expect(idempotencyKey.from(key)).toBe(key)
    }),
  )
})

test('different IDs get different keys', () => {
  const ids = ['a', 'A', 'order 1', 'order  1', 'Bestellung №7']

  const keys = ids.map((id) => idempotencyKey.from(id))

  expect(new Set(keys).size).toBe(ids.length)
  for (const key of keys) expect(key).toMatch(validKey)
})

test.each([['', undefined, null, 1001, {}]])('%p is not an ID', (...ids) => {
  // @ts-expect-error -- callers without types
  for (const id of ids) expect(() => idempotencyKey.from(id)).toThrow(TypeError)
})

const anAmount = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 2, max: 6 }))
  .map(([units, decimals]) => ({ micro: units * 10n ** BigInt(6 - decimals), text: inDecimals(units, decimals) }))

function inDecimals(units: bigint, decimals: number): string {
  const digits = units
    .toString()
    .replace('-', '')
    .padStart(decimals + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function microOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

test('add, subtract and compare are exact for any amounts and decimals', () => {
  fc.assert(
    fc.property(anAmount, anAmount, anAmount, (one, two, three) => {
      expect(microOf(money.add(one.text, two.text, three.text))).toBe(one.micro + two.micro + three.micro)
      expect(microOf(money.subtract(one.text, two.text))).toBe(one.micro - two.micro)
      const order = one.micro < two.micro ? -1 : one.micro > two.micro ? 1 : 0
      expect(money.compare(one.text, two.text)).toBe(order)
    }),
  )
})

test('amounts keep the most decimals, and zero has no sign', () => {
  expect(money.add('0.10', '0.20')).toBe('0.30')
  expect(money.add('1.00', '0.0198')).toBe('1.0198')
  expect(money.subtract('0.05', '1.00')).toBe('-0.95')
  expect(money.add('-0.01', '0.01')).toBe('0.00')
  expect(['9.00', '10.00', '-1.00'].toSorted(money.compare)).toEqual(['-1.00', '9.00', '10.00'])
})

test('minor units convert both ways and are never rounded', () => {
  const most = 10n ** 30n
  fc.assert(fc.property(fc.bigInt(-most, most), (pence) => money.toMinorUnits(money.fromMinorUnits(pence)) === pence))
  expect(money.toMinorUnits('120.00')).toBe(12_000n)
  expect(money.toMinorUnits('-0.500000')).toBe(-50n)
  expect(() => money.toMinorUnits('0.005')).toThrow(RangeError)
})

test.each([
  '',
  '1',
  '1.0',
  '.50',
  '1,000.00',
  '1e3',
  '1.0000000',
  ' 1.00',
  '1.00\n',
  '+1.00',
  '--1.00',
  'NaN',
  '£1.00',
])('%j is not an amount', (text) => {
  expect(() => money.add(text)).toThrow(TypeError)
  expect(() => money.compare('1.00', text)).toThrow(TypeError)
  expect(() => money.toMinorUnits(text)).toThrow(TypeError)
})

test('numbers are not amounts', () => {
  // @ts-expect-error -- callers without types
  expect(() => money.add(0.1, 0.2)).toThrow(TypeError)
  // @ts-expect-error -- callers without types
  expect(() => money.fromMinorUnits(120)).toThrow(TypeError)
})
