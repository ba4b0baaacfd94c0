// The bank's keys can come from files, because other users can list a process's arguments.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startBank } from '../../local/bank'
import type { Part } from '../../local/process/parts'
import { readArguments } from '../../sandbox-bank/arguments'
import { testSystem } from '../support/jest/system'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-bank-keys-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a key is read from the named file, without its line ending', () => {
  const file = join(folder, 'key')
  writeFileSync(file, 'sk-live-0123456789abcdef\n')

  expect(readArguments(['--live-key-file', file]).liveKey).toBe('sk-live-0123456789abcdef')
})

test.each([
  [['--live-key-file', '/nowhere/at/all'], '--live-key-file names a file that cannot be read.'],
  [['--live-key-file', '/dev/null'], '--live-key must start with sk-live-.'],
  [
    ['--sandbox-key', 'sk-test-1', '--sandbox-key-file', '/dev/null'],
    '--sandbox-key and --sandbox-key-file are both given; remove one of them.',
  ],
])('%j is refused with an error message', (args, sentence) => {
  expect(() => readArguments(args)).toThrow(sentence)
})

test('the keys for webhooks are read from the named file', () => {
  const [first = '', second = ''] = readArguments(['--webhook-keys-file', testSystem().webhookKeysPath]).webhookKeys

  expect([first, second].map((key) => createPrivateKey(key).asymmetricKeyType)).toEqual(['rsa', 'rsa'])
  expect(first).not.toBe(second)
})

test.each([
  ['an empty file', () => ''],
  ['a key of another kind', () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
  ['a key in another format', (rsa: string) => `${rsa}\n${pem(createPrivateKey(rsa), 'pkcs1')}`],
  ['a repeated key', (rsa: string) => `${rsa}\n${rsa}`],
  ['a damaged key', (rsa: string) => rsa.replace(/[A-Za-z]{20}/, '')],
])('%s is refused as keys for webhooks', (_, contentOf) => {
  const [rsa = ''] = readArguments(['--webhook-keys-file', testSystem().webhookKeysPath]).webhookKeys
  const file = join(folder, 'webhook-keys.pem')
  writeFileSync(file, contentOf(rsa))

  expect(() => readArguments(['--webhook-keys-file', file])).toThrow(
    '--webhook-keys-file must contain RSA private keys in PKCS #8 PEM (BEGIN PRIVATE KEY), each once.',
  )
})

function pem(key: KeyObject, type: 'pkcs1' | 'pkcs8' = 'pkcs8'): string {
  return key.export({ type, format: 'pem' }).toString()
}

test('npm start passes the bank’s keys in files readable by their owner only, not as arguments', async () => {
  const keys = { sandbox: 'sk-test-local-0123456789abcdef', live: 'sk-live-local-fedcba9876543210' }
  const dataDir = join(folder, 'bank')
  const parts: Part[] = []
  const onSpawn = (part: Part) => void parts.push(part)

  const { url } = await startBank({ dataDir, preferredPort: 0, keys, logFile: join(folder, 'log'), env: {}, onSpawn })

  try {
    const asked = (key: string) => fetch(`${url}/v0/customers`, { headers: { 'Api-Key': key } })
    expect([(await asked(keys.live)).status, (await asked('sk-live-other')).status]).toEqual([200, 401])
    const listed = readFileSync(`/proc/${parts[0]?.pid}/cmdline`, 'utf8')
    expect(listed).toContain('sandbox-bank')
    for (const key of Object.values(keys)) expect(listed).not.toContain(key)
    const modes = readdirSync(dataDir).filter((name) => name.endsWith('-key'))
    expect(modes.map((name) => statSync(join(dataDir, name)).mode & 0o777)).toEqual([0o600, 0o600])
  } finally {
    for (const part of parts) await part.stop()
  }
})
