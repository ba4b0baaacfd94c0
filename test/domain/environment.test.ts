// domain/environment.ts: the words of §1 and §2.
import { expect, test } from '@jest/globals'
import { environments, rails } from '../../domain/environment'

test('the words are those of the specification', () => {
  expect(environments).toEqual(['sandbox', 'live'])
  expect(rails).toEqual(['provider_production', 'provider_sandbox', 'simulated'])
})
