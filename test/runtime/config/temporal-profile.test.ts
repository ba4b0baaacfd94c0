// A profile in Temporal's configuration file: its values, their precedence, and the error messages.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ConfigError, type EnvironmentVariables, loadTemporalConfig } from '../../../runtime/config/config'
import { parseToml } from '../../../runtime/config/toml'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-profile-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

const cloud = `
[profile.default]
address = "localhost:7233"

# Temporal Cloud
[profile.prod]
address = "payouts.a1b2c.tmprl.cloud:7233"
namespace = 'payouts.a1b2c'
api_key = "the-key" # rotated yearly
codec = { endpoint = "http://localhost:8888", auth = "x" }

[profile.plain]
address = "temporal:7233"
tls.disabled = true
tls.client_cert_path = "/nowhere"
`

test('a profile supplies the address, the namespace and the API key', () => {
  expect(loadTemporalConfig({ TEMPORAL_CONFIG_FILE: file(cloud), TEMPORAL_PROFILE: 'prod' })).toEqual({
    address: 'payouts.a1b2c.tmprl.cloud:7233',
    namespace: 'payouts.a1b2c',
    apiKey: 'the-key',
    tls: { ca: null, serverName: null, client: null },
  })
})

test('without a profile name, the default profile of the file is used', () => {
  expect(loadTemporalConfig({ TEMPORAL_CONFIG_FILE: file(cloud) })).toMatchObject({
    address: 'localhost:7233',
    namespace: 'default',
    tls: null,
  })
})

test('the other TLS settings are ignored if TLS is disabled', () => {
  const config = loadTemporalConfig({ TEMPORAL_CONFIG_FILE: file(cloud), TEMPORAL_PROFILE: 'plain' })

  expect(config).toMatchObject({ address: 'temporal:7233', tls: null })
})

test('a variable takes precedence over the profile', () => {
  const env = { TEMPORAL_CONFIG_FILE: file(cloud), TEMPORAL_PROFILE: 'prod', TEMPORAL_NAMESPACE: 'other.a1b2c' }

  expect(loadTemporalConfig(env)).toMatchObject({ namespace: 'other.a1b2c', apiKey: 'the-key' })
})

test('the Temporal CLI’s own file is read only if a profile is named', () => {
  const inHome = platform() === 'darwin' ? 'Library/Application Support/temporalio' : '.config/temporalio'
  mkdirSync(join(folder, inHome), { recursive: true })
  writeFileSync(join(folder, inHome, 'temporal.toml'), cloud)

  expect(loadTemporalConfig({ HOME: folder, TEMPORAL_PROFILE: 'prod' }).apiKey).toBe('the-key')
  expect(loadTemporalConfig({ HOME: folder, TEMPORAL_ADDRESS: 'here:7233' })).toMatchObject({
    address: 'here:7233',
    namespace: 'default',
    apiKey: null,
  })
})

test('mistakes name the file, the profile and the variable, and never a value', () => {
  const unreadable = `[profile.default]\naddress = "a:1"\n[profile.default.tls]\nclient_key_path = "/nowhere/secret"`
  const broken = `[profile.default]\naddress = "a:1"\napi_key = the key`

  expect(mistakesOf({ TEMPORAL_CONFIG_FILE: '/nowhere.toml' })).toEqual([
    'TEMPORAL_CONFIG_FILE needs /nowhere.toml, which cannot be read.',
    'TEMPORAL_ADDRESS is required.',
  ])
  expect(mistakesOf({ TEMPORAL_CONFIG_FILE: file(broken), TEMPORAL_ADDRESS: 'a:1' })).toEqual([
    expect.stringMatching(/^TEMPORAL_CONFIG_FILE needs \S+, which is not valid TOML in line 3\.$/),
  ])
  expect(mistakesOf({ TEMPORAL_CONFIG_FILE: file(cloud), TEMPORAL_PROFILE: 'prd', TEMPORAL_ADDRESS: 'a:1' })).toEqual([
    expect.stringMatching(/^TEMPORAL_PROFILE is prd, but \S+ has no such profile\.$/),
  ])
  expect(mistakesOf({ TEMPORAL_CONFIG_FILE: file(unreadable) })).toEqual([
    "TEMPORAL_TLS_CLIENT_KEY_PATH of Temporal's profile default names a file that cannot be read.",
  ])
  expect(mistakesOf({ TEMPORAL_ADDRESS: 'a:1', TEMPORAL_TLS: 'yes' })).toEqual([
    'TEMPORAL_TLS must be one of: on, off, true, false.',
  ])
  expect(mistakesOf({ TEMPORAL_ADDRESS: 'a:1', TEMPORAL_TLS_KEY: 'x', TEMPORAL_TLS_CLIENT_KEY_DATA: 'y' })).toContain(
    'TEMPORAL_TLS_KEY and TEMPORAL_TLS_CLIENT_KEY_DATA are both set; remove one of them.',
  )
})

describe('the TOML parser', () => {
  test.each([
    ['strings', String.raw`a = "x \"y\" \u00e9\n"`, { a: 'x "y" é\n' }],
    ['literal strings', String.raw`a = 'C:\new'`, { a: String.raw`C:\new` }],
    ['long strings', 'a = """\none\n  two \\\n   three"""', { a: 'one\n  two three' }],
    ['long literal strings', "a = '''\none \\\n'two'\n'''", { a: "one \\\n'two'\n" }],
    ['tables with quoted names', '[a."b.c"]\nd = true', { a: { 'b.c': { d: true } } }],
    ['dotted keys and inline tables', 'a.b = { c.d = "e", f = false }', { a: { b: { c: { d: 'e' }, f: false } } }],
    ['arrays, numbers and dates', 'a = [1, 2.5, # x\n 2026-11-16,]', { a: ['1', '2.5', '2026-11-16'] }],
    ['Windows line breaks', 'a = "b"\r\n[c]\r\nd = "e"\r\n', { a: 'b', c: { d: 'e' } }],
  ])('reads %s', (_what, text, expected) => {
    expect(plain(parseToml(text))).toEqual(expected)
  })

  test.each([
    ['an open string', 'a = "b', 1],
    ['an unknown escape', String.raw`a = "\q"`, 1],
    ['two values in a line', 'a = "b"\nc = "d" "e"', 2],
    ['a key that is set twice', 'a = "b"\n\na = "c"', 3],
    ['a value that is also a table', 'a = "b"\n[a.c]', 2],
    ['an open table', '[a', 1],
    ['an open array', 'a = [1', 1],
  ])('reports %s with its line', (_what, text, line) => {
    expect(() => parseToml(text)).toThrow(`is not valid TOML in line ${line}`)
  })
})

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]))
}

let files = 0

function file(content: string): string {
  const path = join(folder, `${files++}.toml`)
  writeFileSync(path, content)
  return path
}

function mistakesOf(env: EnvironmentVariables): readonly string[] {
  try {
    loadTemporalConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
}
