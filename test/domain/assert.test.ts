// domain/assert.ts: a bug stops where it happens.
import { expect, test } from '@jest/globals'
import { assert, BrokenAssertion } from '../../domain/assert'

test('what holds passes, what does not stops with its message', () => {
  expect(() => assert(true, 'holds')).not.toThrow()
  expect(() => assert(false, 'does not hold')).toThrow(new BrokenAssertion('does not hold'))
})

test('a broken assertion is told apart by its class and name', () => {
  const broken = new BrokenAssertion('x')

  expect(broken).toBeInstanceOf(Error)
  expect(broken.name).toBe('BrokenAssertion')
})
