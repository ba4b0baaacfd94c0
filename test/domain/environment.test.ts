// domain/environment.ts: the two environments and the rails.
import { expect, test } from '@jest/globals'
import { environments, rails } from '../../domain/environment'

test('the words are those of the specification', () => {
  expect(environments).toEqual(['sandbox', 'live'])
  expect(rails).toEqual(['provider_production', 'provider_sandbox', 'simulated'])
})
