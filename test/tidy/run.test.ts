// test/run.mjs repeats a file that failed, and fails if it fails again. Files in one process do not affect each other.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { root } from '../support/source-imports'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-run-test-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file that fails once passes in the second run, and is named', () => {
  write('steady', 'test("is steady", () => {})')
  write(
    'flaky',
    `const { existsSync, writeFileSync } = require('node:fs')
     const marker = __dirname + '/marker'
     test('is flaky', () => { if (!existsSync(marker)) { writeFileSync(marker, ''); throw new Error('once') } })`,
  )

  const { status, stderr } = run()

  expect(status).toBe(0)
  expect(stderr.split('FLAKY')[1]).toContain('flaky.test.js')
  expect(stderr.split('FLAKY')[1]).not.toContain('steady.test.js')
})

test('a file that fails twice fails the run', () => {
  write('broken', failing)

  const { status, stderr } = run()

  expect(status).toBe(1)
  expect(stderr).toContain('run once more')
  expect(stderr).not.toContain('FLAKY')
})

test('more than three failed files are not repeated', () => {
  for (const name of ['one', 'two', 'three', 'four']) write(name, failing)

  const { status, stderr } = run()

  expect(status).toBe(1)
  expect(stderr).not.toContain('run once more')
})

test('a file that checks rules of money is not repeated', () => {
  mkdirSync(join(folder, 'test/stories'), { recursive: true })
  write('test/stories/broken', failing)

  const { status, stderr } = run()

  expect(status).toBe(1)
  expect(stderr).not.toContain('run once more')
})

test('a run whose setup fails is not repeated and fails', () => {
  write('steady', 'test("is steady", () => {})')
  writeFileSync(join(folder, 'setup.js'), 'module.exports = () => { throw new Error("no servers") }')

  const { status, stderr } = run({ globalSetup: join(folder, 'setup.js') })

  expect(status).toBe(1)
  expect(stderr).not.toContain('run once more')
})

test('a run whose teardown fails is not repeated and fails, even if a file failed as well', () => {
  write('broken', failing)
  writeFileSync(join(folder, 'teardown.js'), 'module.exports = () => { throw new Error("secret in a log") }')

  const { status, stderr } = run({ globalTeardown: join(folder, 'teardown.js') })

  expect(status).toBe(1)
  expect(stderr).not.toContain('run once more')
})

describe('files in one process', () => {
  const sharedRealm = {
    testEnvironment: join(root, 'test/support/jest/environment.js'),
    runtime: join(root, 'test/support/jest/runtime.js'),
    maxWorkers: 1,
  }

  test('each use only their own event handlers and time limit', () => {
    const count = `jest.setTimeout(7_000)
      test('counts', () => {
        const names = Object.getOwnPropertySymbols(globalThis).map(({ description }) => description)
        const states = names.filter((name) => name === 'JEST_STATE_SYMBOL')
        const handlers = globalThis[Symbol.for('EVENT_HANDLERS')]
        require('node:fs').appendFileSync(__dirname + '/counts', states.length + ' and ' + handlers.length + ';')
      })`
    for (const name of ['one', 'two', 'three']) write(name, count)
    // Jest starts with the largest files, so this one runs last.
    write('four', `test('has the default time limit', async () => new Promise((done) => setTimeout(done, 50)))`)

    const { status, stderr } = run({ ...sharedRealm, testTimeout: 20 })

    const [first, ...later] = readFileSync(join(folder, 'counts'), 'utf8').split(';').slice(0, 3)
    expect(first).toMatch(/^1 and \d+$/)
    expect(later).toEqual([first, first])
    // The fourth file exceeds its own time limit. With the time limit of an earlier file, it would pass.
    expect(status).toBe(1)
    expect(stderr).toContain('● has the default time limit')
    expect(stderr).not.toContain('● counts')
  })

  test('each fail on their own unhandled rejections, even after other files', () => {
    // Jest starts with the largest files, so the third one runs last.
    for (const name of ['one', 'two']) write(name, `test("is steady", () => {}) // ${'-'.repeat(1_000)}`)
    write(
      'three',
      `test('forgets a promise', async () => {
        void Promise.reject(new Error('forgotten'))
        await new Promise((done) => setTimeout(done, 50))
      })`,
    )

    const { status, stderr } = run(sharedRealm)

    expect(status).toBe(1)
    expect(stderr).toContain('● forgets a promise')
  })
})

const failing = 'test("fails", () => { throw new Error("always") })'

function write(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.test.js`), text)
}

function run(config: object = {}) {
  const settings = JSON.stringify({ rootDir: folder, transform: {}, ...config })
  return spawnSync(process.execPath, [join(root, 'test/run.mjs'), '--config', settings], { encoding: 'utf8' })
}
