// A part that exits unexpectedly is restarted, unless that is impossible or it keeps exiting. Nothing is restarted
// during a stop.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startGuarded } from '../../local/process/guarded'
import { isAlive } from '../../local/process/identity'
import { createParts, type Part, type Parts, restartsMax } from '../../local/process/parts'
import { until } from '../support/until'

let folder = ''
let parts: Parts
let started: Part[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-parts-'))
  parts = createParts(folder)
  started = []
})

afterEach(async () => {
  await parts.stopAll()
  rmSync(folder, { recursive: true })
})

test('a part that was killed is restarted, and the system keeps running', async () => {
  await startPart('Worker', 'exec sleep 60', 'restarted')
  const end = parts.firstEnd()

  process.kill(started[0]?.pid ?? 0, 'SIGKILL')

  await until('it is running again', () => started.length === 2)
  expect(started.map(({ pid }) => isAlive(pid))).toEqual([false, true])
  expect(await Promise.race([end, Promise.resolve('none has ended')])).toBe('none has ended')
})

test('a part that keeps exiting is restarted three times, and then stops the system', async () => {
  await startPart('API', 'exit 1', 'restarted')

  const { name } = await parts.firstEnd()

  expect(name).toBe('API')
  expect(started).toHaveLength(1 + restartsMax)
  expect(restartsMax).toBe(3)
})

test('a part that fails to restart counts as exited', async () => {
  let attempts = 0
  await startPart('API', 'exit 1', async () => {
    attempts++
    throw new Error('did not become ready')
  })

  expect((await parts.firstEnd()).name).toBe('API')
  expect(attempts).toBe(restartsMax)
})

test('a part that cannot be restarted stops the system immediately', async () => {
  await startPart('Worker', 'exec sleep 60', 'restarted')
  await startPart('PostgreSQL', 'exit 1', null)

  expect((await parts.firstEnd()).name).toBe('PostgreSQL')
  expect(started).toHaveLength(2)
})

test('a part that is stopped is not restarted', async () => {
  await startPart('Worker', 'exec sleep 60', 'restarted')
  const end = parts.firstEnd()

  await parts.stopAll()

  expect(await Promise.race([end, Promise.resolve('none has ended')])).toBe('none has ended')
  expect(started.map(({ pid }) => isAlive(pid))).toEqual([false])
})

async function startPart(name: string, script: string, how: 'restarted' | Part['restart']): Promise<void> {
  const logFile = join(folder, `${name}.log`)
  const restart = how === 'restarted' ? () => startPart(name, script, how) : how
  const server = await startGuarded({ name, command: '/bin/sh', args: ['-c', script], stopSignal: 'TERM', logFile })
  const part = { ...server, name, logFile, restart }
  started.push(part)
  parts.add(part)
}
