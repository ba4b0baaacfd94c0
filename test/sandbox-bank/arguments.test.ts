// The bank's keys can come from files, because other users can list a process's arguments.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startBank } from '../../local/bank'
import type { Part } from '../../local/process/parts'
import { readArguments } from '../../sandbox-bank/arguments'

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
  [['--webhook-keys-file', '/dev/null'], '--webhook-keys-file must contain RSA private keys in PEM format.'],
  [
    ['--sandbox-key', 'sk-test-1', '--sandbox-key-file', '/dev/null'],
    '--sandbox-key and --sandbox-key-file are both given; remove one of them.',
  ],
])('%j is refused with an error message', (args, sentence) => {
  expect(() => readArguments(args)).toThrow(sentence)
})

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
