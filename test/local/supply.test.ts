// The dependency check: it needs no network, and refuses packages that could be installed unverified.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { projectDir } from '../../local/files'
import { environment } from '../../runtime/config/config'

const program = join(projectDir(), 'local/supply/main.mjs')

const integrity = 'sha512-AAAA'
const koa = { version: '3.2.1', integrity }
const good = {
  manifest: { dependencies: { koa: '3.2.1' }, allowScripts: { postgres: true } },
  lock: {
    packages: {
      '': { dependencies: { koa: '3.2.1' } },
      'node_modules/koa': koa,
      'node_modules/postgres': { version: '1.0.0', optional: true, hasInstallScript: true },
    },
  },
  installed: { packages: { 'node_modules/koa': koa } },
  withoutHash: ['postgres@1.0.0'],
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-supply-'))
  mkdirSync(join(folder, 'node_modules'))
  mkdirSync(join(folder, 'local/supply'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

test('this project passes the check, with a summary', () => {
  const { status, said } = run(projectDir())

  expect(status).toBe(0)
  expect(said).toMatch(
    /^\d+ packages, \d{3} of them in production \(at most \d{3}\), and the installed packages .*\.\n$/,
  )
})

test('a correct folder passes, even with a listed exception for another platform’s package without a hash', () => {
  expect(check(good)).toEqual({ status: 0, said: expect.stringMatching(/^2 packages, 1 of them in production /) })
})

describe('the dependency check refuses', () => {
  test.each<[string, object, string]>([
    [
      'a version range',
      { manifest: { ...good.manifest, devDependencies: { jest: '^30.0.0' } } },
      'jest is declared as ^30.0.0: declare one exact version.',
    ],
    [
      'a lock file that does not match package.json',
      { manifest: { ...good.manifest, dependencies: { koa: '3.2.2' } } },
      'The dependencies of package.json and package-lock.json differ: run `npm install`.',
    ],
    [
      'a package without a hash',
      { lock: changed('node_modules/koa', { version: '3.2.1' }) },
      'koa@3.2.1 has no SHA-512 in package-lock.json: run `npm run fill:hashes`.',
    ],
    [
      'a package for another system without its hash, unless it is listed',
      { withoutHash: [] },
      'postgres@1.0.0 has no SHA-512 in package-lock.json: run `npm run fill:hashes`.',
    ],
    [
      'another version of a listed package',
      { lock: changed('node_modules/postgres', { version: '1.0.1', optional: true, hasInstallScript: true }) },
      'postgres@1.0.1 has no SHA-512 in package-lock.json: run `npm run fill:hashes`.',
    ],
    [
      'a listed package that is installed without its hash',
      { lock: changed('node_modules/koa', { version: '3.2.1' }), withoutHash: ['koa@3.2.1', 'postgres@1.0.0'] },
      'node_modules/koa is installed without a SHA-512 in package-lock.json: run `npm run fill:hashes`.',
    ],
    [
      'a listed package that has a hash',
      { withoutHash: ['koa@3.2.1', 'postgres@1.0.0'] },
      'koa@3.2.1 is in without-hash.json but needs no exception: run `npm run fill:hashes`.',
    ],
    [
      'a package with another hash than the locked one',
      { lock: changed('node_modules/koa', { version: '3.2.1', integrity: 'sha512-BBBB' }) },
      'node_modules/koa differs from package-lock.json: run `npm ci`.',
    ],
    [
      'a package missing from the lock file',
      { installed: { packages: { ...good.installed.packages, 'node_modules/left-pad': koa } } },
      'node_modules/left-pad is installed but not in package-lock.json: run `npm ci`.',
    ],
    [
      'a package from outside the registry',
      { lock: changed('node_modules/koa', { ...koa, resolved: 'git+ssh://git@example.com/koa.git' }) },
      'node_modules/koa does not come from the registry.',
    ],
    [
      'an install script that was not reviewed',
      { lock: changed('node_modules/koa/node_modules/@a/b', { ...koa, hasInstallScript: true }) },
      'node_modules/koa/node_modules/@a/b has an install script: set it to true or false in allowScripts.',
    ],
    [
      'one package more than the budget',
      { lock: { packages: { ...good.lock.packages, ...many(251) } } },
      '252 production packages exceed the budget of 251.',
    ],
  ])('%s', (_what, change, sentence) => {
    const { status, said } = check({ ...good, ...change })

    expect(status).toBe(1)
    expect(said).toContain(`${sentence}\n`)
  })

  test('a folder without installed packages', () => {
    expect(run(folder)).toEqual({ status: 1, said: 'package.json cannot be read: run `npm ci`.\n' })
  })
})

test('one command fills in the hashes that the registry serves, and removes their exceptions', () => {
  const hash = `sha512-${'A'.repeat(86)}==`
  const lock = changed('node_modules/musl', { version: '2.0.0', optional: true })
  writeCase({ ...good, lock, withoutHash: ['musl@2.0.0', 'postgres@1.0.0'] })

  const ended = withNpm(`[ "$2" = musl@2.0.0 ] || exit 1; echo ${hash}`, 'fill-hashes', folder)

  expect(ended.stdout).toBe('1 hashes were filled in. The registry does not serve 1.\n')
  const filled: typeof good.lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  expect(filled.packages).toMatchObject({ 'node_modules/musl': { version: '2.0.0', integrity: hash, optional: true } })
  expect(filled.packages['node_modules/postgres']).not.toHaveProperty('integrity')
  expect(run(folder).status).toBe(0)
})

test('one command lists the production packages with their hashes', () => {
  const made = spawnSync(process.execPath, [program, 'sbom'], { encoding: 'utf8' })
  const sbom: { bomFormat: string; components: { name: string; hashes: object[] }[] } = JSON.parse(made.stdout)
  const { dependencies }: { dependencies: object } = JSON.parse(
    readFileSync(join(projectDir(), 'package.json'), 'utf8'),
  )

  const names = new Set(sbom.components.map(({ name }) => name))
  expect(sbom.bomFormat).toBe('CycloneDX')
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([])
  expect(names).toContain('@temporalio/core-bridge')
  expect(names).not.toContain('jest')
  expect(sbom.components.filter(({ hashes }) => hashes.length !== 1)).toEqual([])
})

function changed(path: string, entry: object): object {
  return { packages: { ...good.lock.packages, [path]: entry } }
}

function many(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`node_modules/p${n}`, koa]))
}

interface Case {
  readonly manifest: object
  readonly lock: object
  readonly installed: object
  readonly withoutHash: string[]
}

function check(given: Case) {
  writeCase(given)
  return run(folder)
}

function writeCase({ manifest, lock, installed, withoutHash }: Case): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(installed))
  writeFileSync(join(folder, 'local/supply/without-hash.json'), JSON.stringify(withoutHash))
}

/** Runs a command with a shell script in place of npm. */
function withNpm(script: string, command: string, root: string) {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'npm'), 0o755)
  const env = { ...environment(), PATH: `${folder}${delimiter}${environment()['PATH'] ?? ''}` }
  return spawnSync(process.execPath, [program, command, root], { encoding: 'utf8', env })
}

function run(root: string): { status: number | null; said: string } {
  const ended = spawnSync(process.execPath, [program, 'check', root], { encoding: 'utf8' })
  return { status: ended.status, said: ended.stdout + ended.stderr }
}
