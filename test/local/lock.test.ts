// Only one system runs per DATA_DIR, and a killed system never blocks the next one.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { lockHolder, takeLock } from '../../local/lock'
import { identityOf } from '../../local/process/identity'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-lock-'))
  path = join(folder, 'lock.json')
})

afterEach(() => rmSync(folder, { recursive: true }))

test('a lock that is held is not taken again, and the second attempt gets the PID and URL of the holder', () => {
  const first = takeLock(path, { api: 'http://localhost:3000' })
  const second = takeLock(path, { api: 'http://localhost:3001' })

  expect(first.outcome).toBe('taken')
  expect(second).toMatchObject({ outcome: 'held', holder: { pid: process.pid, api: 'http://localhost:3000' } })
})

test('a released lock can be acquired again, and leaves no file behind', () => {
  const first = takeLock(path, { api: 'a' })
  if (first.outcome === 'taken') first.release()

  expect(lockHolder(path)).toBeNull()
  expect(readdirSync(folder)).toEqual([])
  expect(takeLock(path, { api: 'b' }).outcome).toBe('taken')
})

test.each([
  ['whose process has died', { pid: 2 ** 22 + 1, identity: 'long gone', api: 'a' }],
  ['whose PID now belongs to another process', { pid: process.pid, identity: 'somebody else', api: 'a' }],
  ['that was only half written', 'half'],
])('a lock %s is taken over', (_, content) => {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))

  expect(lockHolder(path)).toBeNull()
  expect(takeLock(path, { api: 'b' }).outcome).toBe('taken')
  expect(lockHolder(path)).toMatchObject({ api: 'b', identity: identityOf(process.pid) })
})
