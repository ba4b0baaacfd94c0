// Production refuses a sandbox bank configured as live and a live bank configured as sandbox, and names the setting.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type EnvironmentVariables, loadConfig, loadOpsConfig } from '../../../runtime/config/config'
import { mistakesOf } from '../../support/config'

const randomHex = randomBytes(32).toString('hex')
const [one, other] = [randomHex.slice(0, 32), randomHex.slice(32)]
const banks = {
  NODE_ENV: 'production',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  DATABASE_URL: 'postgresql://p:Wm3hVb81kq@db/p',
  SECRET_KEYS: `k1:${randomHex}`,
  BANK_SANDBOX_URL: 'https://api.sandbox.bridge.xyz/v0',
  BANK_SANDBOX_KEY: `sk-test-${one}`,
  BANK_LIVE_URL: 'https://api.bridge.xyz/v0',
  BANK_LIVE_KEY: `sk-live-${other}`,
}
const withBanks = (change: EnvironmentVariables) => mistakesOf({ ...banks, ...change })
const isRefused = (name: string, why: string) => [`${name} ${why}: not allowed in production.`]

test('production accepts the documented banks', () => {
  expect(withBanks({})).toEqual([])
  expect(
    withBanks({ BANK_SANDBOX_URL: 'https://test.bank.example/v0', BANK_LIVE_URL: 'https://bank.example/v0' }),
  ).toEqual([])
})

test.each([
  ['BANK_SANDBOX_KEY', 'is a live key (sk-live-…)', { BANK_SANDBOX_KEY: `sk-live-${one}` }],
  ['BANK_LIVE_KEY', 'is a test key (sk-test-…)', { BANK_LIVE_KEY: `sk-test-${other}` }],
  ['BANK_LIVE_KEY', 'is the key of BANK_SANDBOX_KEY', { BANK_LIVE_KEY: `sk-live-${one}` }],
  ['BANK_SANDBOX_URL', 'names a live bank', { BANK_SANDBOX_URL: 'https://API.bridge.xyz:8443/v0' }],
  ['BANK_SANDBOX_URL', 'names a live bank', { BANK_SANDBOX_URL: 'https://api-live.bank.example/v0' }],
  [
    'BANK_LIVE_URL',
    'names a sandbox bank, but BANK_LIVE_SIMULATED is not on',
    { BANK_LIVE_URL: 'https://bank-sandbox.example/v0' },
  ],
  [
    'BANK_LIVE_URL',
    'has the same host as BANK_SANDBOX_URL, but BANK_LIVE_SIMULATED is not on',
    { BANK_SANDBOX_URL: 'https://bank.example/v0', BANK_LIVE_URL: 'https://BANK.example:443/v1' },
  ],
  ['BANK_LIVE_SIMULATED', 'is on although BANK_LIVE_URL names a live bank', { BANK_LIVE_SIMULATED: 'on' }],
])('production refuses a configuration in which %s %s', (name, why, change) => {
  expect(withBanks(change)).toEqual(isRefused(name, why))
  expect(() => loadOpsConfig({ ...banks, ...change, OPS_USER: 'ada' })).toThrow(`${name} ${why}`)
  expect(withBanks({ ...change, NODE_ENV: 'development' })).toEqual([])
})

test('swapped banks are reported for each setting, without the keys', () => {
  const swapped = withBanks({
    BANK_SANDBOX_URL: banks.BANK_LIVE_URL,
    BANK_SANDBOX_KEY: banks.BANK_LIVE_KEY,
    BANK_LIVE_URL: banks.BANK_SANDBOX_URL,
    BANK_LIVE_KEY: banks.BANK_SANDBOX_KEY,
  })

  expect(swapped.map((mistake) => mistake.split(' ')[0])).toEqual([
    'BANK_SANDBOX_KEY',
    'BANK_LIVE_KEY',
    'BANK_SANDBOX_URL',
    'BANK_LIVE_URL',
  ])
  expect(swapped.join()).not.toContain(one)
  expect(swapped.join()).not.toContain(other)
})

test('the sandbox bank may serve as a simulated live bank, but only with another key', () => {
  const url = 'http://sandbox-bank:8300/v0'
  const shared = { BANK_SANDBOX_URL: url, BANK_LIVE_URL: url, BANK_LIVE_SIMULATED: 'on' }

  expect(withBanks(shared)).toEqual([])
  expect(withBanks({ ...shared, BANK_LIVE_KEY: banks.BANK_SANDBOX_KEY })).toEqual([
    ...isRefused('BANK_LIVE_KEY', 'is a test key (sk-test-…)'),
    ...isRefused('BANK_LIVE_KEY', 'is the key of BANK_SANDBOX_KEY'),
  ])
})

test('limits for exchange rates have defaults and bounds, in the API and in ops', () => {
  const wrong = { RATE_MAX_AGE_MS: '3600001', RATE_MID_PERCENT: '10.01', RATE_JUMP_PERCENT: 'five' }

  expect(loadConfig(banks).rates).toEqual({ maxAgeMs: 900_000, midBasisPoints: 200, jumpBasisPoints: 500 })
  expect(loadConfig({ ...banks, RATE_MID_PERCENT: '0.5', RATE_JUMP_PERCENT: '7.25' }).rates).toMatchObject({
    midBasisPoints: 50,
    jumpBasisPoints: 725,
  })
  expect(withBanks(wrong)).toEqual([
    'RATE_MAX_AGE_MS must be a whole number from 60000 to 3600000.',
    'RATE_MID_PERCENT must be a percentage from 0.1 to 10, with at most two decimals.',
    'RATE_JUMP_PERCENT must be a percentage from 0.5 to 20, with at most two decimals.',
  ])
  expect(withBanks({ RATE_MID_PERCENT: '0', RATE_JUMP_PERCENT: '100' })).toHaveLength(2)
  expect(() => loadOpsConfig({ ...banks, ...wrong, OPS_USER: 'ada' })).toThrow('RATE_JUMP_PERCENT')
})
