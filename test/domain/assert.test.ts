// domain/assert.ts: a bug stops the code where it happens.
import { expect, test } from '@jest/globals'
import { assert, BrokenAssertion } from '../../domain/assert'

test('a true condition passes, and a false condition throws the given message', () => {
  expect(() => assert(true, 'holds')).not.toThrow()
  expect(() => assert(false, 'does not hold')).toThrow(new BrokenAssertion('does not hold'))
})

test('a failed assertion has its own class and name', () => {
  const broken = new BrokenAssertion('x')

  expect(broken).toBeInstanceOf(Error)
  expect(broken.name).toBe('BrokenAssertion')
})
