// Every log that a test creates is searched for personal data after the run, even if the test reads only part of it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { testSystem } from '../support/jest/system'
import { keptLog } from '../support/kept-logs'

test('lines below a test’s log level are still stored', () => {
  const lines: string[] = []
  const log = keptLog({ level: 'error', write: (line) => void lines.push(JSON.parse(line).msg) })

  log.debug('a whisper of kept-logs.test')
  log.error('a shout of kept-logs.test')

  const folder = testSystem().logsFolder
  const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(lines).toEqual(['a shout of kept-logs.test'])
  for (const message of ['whisper', 'shout']) expect(kept.join('')).toContain(`a ${message} of kept-logs.test`)
})

test('every test creates its log with keptLog, so that the log is searched', () => {
  const root = join(__dirname, '..')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const making = files.filter((name) => /\bcreateLog\(\{/.test(readFileSync(join(root, name), 'utf8')))

  // The first file tests createLog itself, with secrets created for the test.
  expect(making.toSorted()).toEqual(['runtime/log.test.ts', 'support/kept-logs.ts'])
})
