// The configuration: what SECRET_KEYS must hold.
import { expect, test } from '@jest/globals'
import { loadConfig, loadOpsConfig } from '../config'

const [one, two] = [`k1:${'0a'.repeat(32)}`, `k2:${'0b'.repeat(32)}`]
const rest = { DATABASE_URL: 'postgres://me@127.0.0.1:1/x', TEMPORAL_ADDRESS: '127.0.0.1:1' }
const mistake =
  'SECRET_KEYS must be a comma-separated list of <id>:<64 hex digits>, each id once, the current key first.'

test('the keys of SECRET_KEYS are read in their order', () => {
  const { secretKeys } = loadConfig({ ...rest, SECRET_KEYS: `${two},${one}` })

  expect(secretKeys.map(({ id, bytes }) => [id, bytes.toString('hex')])).toEqual([
    ['k2', '0b'.repeat(32)],
    ['k1', '0a'.repeat(32)],
  ])
})

test.each([
  ['no key at all', ','],
  ['something that is no key', `${one},short`],
  ['an id twice', `${one},${one}`],
])('SECRET_KEYS with %s is one mistake, for the service and for the command line', (_what, SECRET_KEYS) => {
  expect(mistakesOf(() => loadConfig({ ...rest, SECRET_KEYS }))).toEqual([mistake])
  expect(mistakesOf(() => loadOpsConfig({ ...rest, SECRET_KEYS }))).toEqual([mistake])
})

test('SECRET_KEYS that is not set is required by the service only', () => {
  expect(mistakesOf(() => loadConfig(rest))).toEqual(['SECRET_KEYS is required.'])
  expect(loadOpsConfig(rest).secretKeys).toEqual([])
})

function mistakesOf(load: () => unknown): unknown {
  try {
    load()
  } catch (error) {
    return error instanceof Error && 'mistakes' in error ? error.mistakes : error
  }
  return []
}
