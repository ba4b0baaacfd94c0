// `npm start` and `npm test` first install and build a clone, only when necessary, and one process at a time.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { projectDir } from '../../local/files'
import { environment } from '../../runtime/config/config'
import { until } from '../support/until'

let clone = ''
let started: ChildProcess[] = []

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'payouts-clone-'))
  for (const path of ['bootstrap', 'process']) {
    cpSync(join(projectDir(), 'local', path), join(clone, 'local', path), { recursive: true })
  }
  for (const name of ['api', '.npm']) mkdirSync(join(clone, name))
  write('api/main.ts', 'one')
  write('package.json', JSON.stringify({ dependencies: { koa: '3.0.0' } }))
  write('package-lock.json', JSON.stringify({ packages: { 'node_modules/koa': { version: '3.0.0' } } }))
  write('.npm/npm-cli.js', fakeNpm)
})

afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
  started = []
  rmSync(clone, { recursive: true, force: true })
})

describe('dependencies', () => {
  test('are installed only once, and the sources are built only once', async () => {
    const first = await bootstrap()
    const second = await bootstrap()

    expect(first).toMatchObject({ status: 0, output: expect.stringContaining('Dependencies, 1 packages') })
    expect(second).toEqual({ status: 0, output: '' })
    expect(calls()).toEqual(['ci', 'run'])
  })

  test.each([
    ['the lock file changes', () => write('package-lock.json', JSON.stringify({ packages: {}, changed: true }))],
    ['package.json changes', () => write('package.json', JSON.stringify({ dependencies: { koa: '3.1.0' } }))],
    ['they are missing', () => rmSync(join(clone, 'node_modules'), { recursive: true })],
  ])('are installed again when %s', async (_, change) => {
    await bootstrap()
    change()
    await bootstrap()

    expect(calls().filter((call) => call === 'ci')).toHaveLength(2)
  })

  test('are accepted after a manual npm ci', async () => {
    mkdirSync(join(clone, 'node_modules'))
    write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/koa': { version: '3.0.0' } } }))
    await bootstrap()

    expect(calls()).toEqual(['run'])
  })

  test('run only the install scripts that allowScripts approves', async () => {
    const approved = addPackage('approved')
    const refused = addPackage('refused')
    const dependencies = { approved: 'file:approved.tgz', refused: 'file:refused.tgz' }
    const scripts = { build: 'mkdir -p dist' }
    write('package.json', JSON.stringify({ dependencies, scripts, allowScripts: { approved: true, refused: false } }))
    write(
      'package-lock.json',
      JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies }, ...approved, ...refused } }),
    )

    const { status } = await finished(
      runWith({ npm_config_cache: join(clone, '.npm/cache'), npm_config_offline: 'true' }),
    )

    expect(status).toBe(0)
    expect(existsSync(join(clone, 'node_modules/refused/package.json'))).toBe(true)
    expect(existsSync(join(clone, 'node_modules/refused/ran'))).toBe(false)
    expect(existsSync(join(clone, 'node_modules/approved/ran'))).toBe(true)
  })

  test('also run approved install scripts after a manual npm ci', async () => {
    mkdirSync(join(clone, 'node_modules'))
    write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/koa': { version: '3.0.0' } } }))
    write('package.json', JSON.stringify({ dependencies: { koa: '3.0.0' }, allowScripts: { koa: true } }))

    await bootstrap()
    await bootstrap()

    expect(calls()).toEqual(['rebuild', 'run'])
  })

  test('are installed by the next run after a failed install, which shows npm’s output and exits with 1', async () => {
    write('.npm/fail', '')
    const failed = await bootstrap()
    rmSync(join(clone, '.npm/fail'))
    const again = await bootstrap()

    expect(failed).toMatchObject({ status: 1, output: expect.stringContaining('npm error no network') })
    expect(again.status).toBe(0)
  })

  test('are installed again after an install is killed, and its npm process ends too', async () => {
    write('.npm/slow', '')
    const killed = run()
    const npm = await until('npm is running', () => existsSync(join(clone, '.npm/pid')) && read('.npm/pid'))
    killed.kill('SIGKILL')
    await until('npm is gone', () => !isRunning(Number(npm)))
    rmSync(join(clone, '.npm/slow'))
    const again = await bootstrap()

    expect(again.status).toBe(0)
    expect(calls()).toEqual(['ci', 'ci', 'run'])
  })
})

test('concurrent runs take turns, and the second finds nothing to do', async () => {
  write('.npm/slow', '')
  const both = [bootstrap(), bootstrap()]
  await until('npm is running', () => existsSync(join(clone, '.npm/pid')))
  rmSync(join(clone, '.npm/slow'))
  const [one, other] = await Promise.all(both)

  expect([one?.status, other?.status]).toEqual([0, 0])
  expect(calls()).toEqual(['ci', 'run'])
})

test.each([
  ['changed', () => write('api/main.ts', 'longer')],
  ['added', () => write('api/other.ts', 'new')],
  ['deleted', () => rmSync(join(clone, 'api/main.ts'))],
])('sources are rebuilt after one is %s', async (_, change) => {
  await bootstrap()
  change()
  await bootstrap()

  expect(calls()).toEqual(['ci', 'run', 'run'])
})

test('dist contains no output from a deleted source', async () => {
  write('api/other.ts', 'new')
  await bootstrap()
  write('dist/api-other.js', 'built from api/other.ts')
  rmSync(join(clone, 'api/other.ts'))
  await bootstrap()

  expect(existsSync(join(clone, 'dist/api-other.js'))).toBe(false)
})

test('an unsupported version of Node gets one error message', async () => {
  write('.npm/old.cjs', "Object.defineProperty(process.versions, 'node', { value: '18.20.4' })")

  const refused = await bootstrap('-r', './.npm/old.cjs')

  expect(refused.status).toBe(1)
  expect(refused.output).toMatch(/^Payouts needs Node 20\.19 or newer, but this is Node 18\.20\.4\. .*\n$/)
})

// A fake npm that logs every call, waits while `slow` exists, and fails while `fail` exists.
const fakeNpm = `
const fs = require('node:fs')
const command = process.argv[2]
fs.appendFileSync('.npm/calls', command + '\\n')
fs.writeFileSync('.npm/pid', String(process.pid))
const step = () => {
  if (fs.existsSync('.npm/slow')) return setTimeout(step, 20)
  if (fs.existsSync('.npm/fail')) { console.error('npm error no network'); process.exit(1) }
  if (command === 'ci') {
    fs.rmSync('node_modules', { recursive: true, force: true })
    fs.mkdirSync('node_modules/koa', { recursive: true })
    fs.writeFileSync('node_modules/koa/package.json', '{}')
  } else fs.mkdirSync('dist', { recursive: true })
}
step()
`

/** A package in the clone whose install script creates a file. Returns its entry in the lock file. */
function addPackage(name: string): object {
  mkdirSync(join(clone, '.npm', name, 'package'), { recursive: true })
  const scripts = { postinstall: "node -e \"require('node:fs').writeFileSync('ran', '')\"" }
  write(`.npm/${name}/package/package.json`, JSON.stringify({ name, version: '1.0.0', scripts }))
  execFileSync('tar', ['-czf', join(clone, `${name}.tgz`), '-C', join(clone, '.npm', name), 'package'])
  const hash = createHash('sha512').update(readFileSync(join(clone, `${name}.tgz`)))
  const integrity = `sha512-${hash.digest('base64')}`
  const entry = { version: '1.0.0', resolved: `file:${name}.tgz`, integrity, hasInstallScript: true }
  return { [`node_modules/${name}`]: entry }
}

function run(...nodeFlags: string[]): ChildProcess {
  return runWith({ npm_execpath: join(clone, '.npm/npm-cli.js') }, ...nodeFlags)
}

function runWith(settings: Record<string, string>, ...nodeFlags: string[]): ChildProcess {
  const child = spawn(process.execPath, [...nodeFlags, 'local/bootstrap/main.mjs'], {
    cwd: clone,
    env: { ...environment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

function bootstrap(...nodeFlags: string[]): Promise<{ status: number | null; output: string }> {
  return finished(run(...nodeFlags))
}

function finished(child: ChildProcess): Promise<{ status: number | null; output: string }> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
}

function calls(): string[] {
  return read('.npm/calls').trim().split('\n')
}

function write(path: string, content: string): void {
  writeFileSync(join(clone, path), content)
}

function read(path: string): string {
  return readFileSync(join(clone, path), 'utf8')
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
