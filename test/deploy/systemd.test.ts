// The systemd units match docker-compose.yml: the same programs, secrets, settings and limits, and a nightly backup.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { projectDir } from '../../local/files'
import { environment, loadConfig } from '../../runtime/config/config'
import type { Json } from '../support/bank/client'

const root = projectDir()
const units = join(root, 'deploy/systemd')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { services }: Json = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 })
const inCompose: [string, Json][] = [
  ['api', services['api-1']],
  ['worker', services['worker-1']],
  ['migrate', services.migrate],
]
const secretsFolder = '/etc/payouts/secrets'
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0
const describeWithSystemd = isInstalled ? describe : describe.skip

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-units-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describeWithSystemd('systemd', () => {
  test('accepts every unit and every setting in it', () => {
    const files = readdirSync(units).filter((name) => /\.(service|timer)$/.test(name))

    const { stdout, stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths(files)], {
      encoding: 'utf8',
    })

    expect(files).toHaveLength(5)
    expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 })
  })

  test('rates the exposure of every service as low', () => {
    for (const name of ['api', 'worker', 'migrate', 'backup']) {
      const options = ['security', '--offline=yes', '--threshold=20', ...paths([`payouts-${name}.service`])]

      expect([name, spawnSync('systemd-analyze', options).status]).toEqual([name, 0])
    }
  })
})

test.each(inCompose)('%s runs the same program as its compose service, with the same secrets', (name, service) => {
  const unit = unitOf(name)
  const loaded = unit.all('LoadCredential').map((line) => line.split(':'))

  expect(unit.one('ExecStart')).toBe(`/usr/bin/${service.command.join(' ')}`)
  expect(loaded.map(([secret]) => secret)).toEqual(service.secrets)
  expect(loaded.map(([, file]) => file)).toEqual(service.secrets.map((secret: string) => `${secretsFolder}/${secret}`))
})

test.each(inCompose)('%s has the same limits as its compose service', (name, service) => {
  const unit = unitOf(name)

  expect(unit.one('MemoryMax').toLowerCase()).toBe(service.mem_limit)
  expect(unit.one('TasksMax')).toBe(String(service.pids_limit))
  expect(unit.one('CapabilityBoundingSet')).toBe('')
  expect([service.cap_drop, service.cap_add]).toEqual([['ALL'], undefined])
  expect([unit.one('NoNewPrivileges'), unit.one('ProtectSystem')]).toEqual(['yes', 'strict'])
  expect([service.security_opt, service.read_only]).toEqual([['no-new-privileges:true'], true])
  expect(unit.one('Restart')).toBe(service.restart === 'on-failure' ? 'on-failure' : 'always')
  expect(unit.one('DynamicUser')).toBe('yes')
})

test.each(inCompose.slice(0, 2))(
  '%s has the same settings and stop behaviour as its compose service',
  (name, service) => {
    const unit = unitOf(name)
    const example = variablesIn(read('deploy/systemd/settings').split('\n'))
    const ofUnit = variablesIn(unit.all('Environment').flatMap((line) => line.split(' ')))
    execFileSync('/bin/sh', [copied('deploy/make-secrets.sh')])
    const here = (value: string) => value.replace('%d', join(folder, 'secrets'))

    expect(`${unit.one('TimeoutStopSec')}s`).toBe(service.stop_grace_period)
    expect(unit.one('EnvironmentFile')).toBe('/etc/payouts/settings')
    // Only Compose needs these: its containers serve metrics to each other, and its live bank is simulated.
    const onlyInCompose = ['BANK_LIVE_SIMULATED', 'METRICS_HOST']
    const { MALLOC_ARENA_MAX: arenas, ...settingsOfUnit } = ofUnit
    expect(read('Dockerfile')).toContain(`ENV MALLOC_ARENA_MAX=${arenas}\n`)
    expect(Object.keys({ ...example, ...settingsOfUnit }).toSorted()).toEqual(
      Object.keys(service.environment)
        .filter((variable) => !onlyInCompose.includes(variable))
        .toSorted(),
    )
    const env = Object.fromEntries(
      Object.entries({ ...example, ...settingsOfUnit }).map(([key, value]) => [key, here(value)]),
    )
    expect(loadConfig(env)).toMatchObject({ publicUrl: 'https://payouts.example.com', trustedProxies: 1 })
  },
)

test('the guide’s commands make secrets and settings readable by their owner only', () => {
  const commands = read('docs/operations/deploy.md').match(/^install .+$/gm) ?? []

  for (const command of commands) {
    execFileSync('/bin/sh', ['-c', command.replaceAll('/etc/payouts', folder)], { cwd: root })
  }

  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8)
  expect([modeOf('secrets'), modeOf('settings')]).toEqual(['700', '600'])
  expect(readFileSync(join(folder, 'settings'), 'utf8')).not.toMatch(/:\/\/[^/@\s]*:[^/@\s]*@/)
})

test('the API and the worker start after the migrations, and restart without running them again', () => {
  for (const name of ['api', 'worker']) {
    expect(unitOf(name).all('After')).toContain('payouts-migrate.service')
    expect(unitOf(name).all('Wants')).toContain('payouts-migrate.service')
    expect(unitOf(name).all('Requires')).toEqual([])
  }
})

describe('the backup', () => {
  beforeEach(() => {
    // A fake pg_dump that records its variables and arguments, because the real one may be older than the server.
    const fake = '#!/bin/sh\nenv | grep ^PG | sort >"${2#--file=}"\necho "$@" >>"$(dirname "${2#--file=}")/arguments"\n'
    writeFileSync(join(folder, 'pg_dump'), fake, { mode: 0o755 })
  })

  test('runs every night, as the owner of the tables, and keeps dumps for 30 days', () => {
    const unit = unitOf('backup')
    const timer = read('deploy/systemd/payouts-backup.timer')

    expect(unit.one('ExecStart')).toBe('/usr/bin/node deploy/backup.mjs /var/lib/payouts-backup 30')
    expect(unit.one('StateDirectory')).toBe('payouts-backup')
    expect(unit.all('LoadCredential')).toEqual([`database_owner_url:${secretsFolder}/database_owner_url`])
    expect(timer).toMatch(/^OnCalendar=\*-\*-\* 02:15:00$/m)
    expect(timer).toMatch(/^Persistent=yes$/m)
  })

  test('writes one dump that only its owner can read, and passes the password in a variable, not in an argument', () => {
    writeFileSync(join(folder, 'url'), 'postgresql://owner:p%40ss@db.test:5433/payouts?sslmode=verify-full\n')

    const { status, stderr } = backUp({ DATABASE_URL_FILE: join(folder, 'url') })

    const [dump = ''] = dumps()
    expect({ status, stderr, dumps: dumps() }).toEqual({ status: 0, stderr: '', dumps: [dump] })
    expect(dump).toMatch(/^payouts-\d{8}T\d{6}Z\.dump$/)
    expect(statSync(join(folder, dump)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, dump), 'utf8')).toBe(
      'PGDATABASE=payouts\nPGHOST=db.test\nPGPASSWORD=p@ss\nPGPORT=5433\nPGSSLMODE=verify-full\nPGUSER=owner\n',
    )
    expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe(`--format=custom --file=${join(folder, dump)}.part\n`)
  })

  test('deletes only dumps that are older than the retention period', () => {
    const old = new Date('2026-01-01')
    for (const name of ['payouts-20260101T021500Z.dump', 'notes.dump']) {
      writeFileSync(join(folder, name), '')
      utimesSync(join(folder, name), old, old)
    }
    writeFileSync(join(folder, 'payouts-20261101T021500Z.dump'), '')

    backUp({ DATABASE_URL: 'postgresql://owner:secret@db.test/payouts' })

    expect(dumps()).toEqual(['notes.dump', 'payouts-20261101T021500Z.dump', expect.stringMatching(/^payouts-\d{8}T/)])
  })

  test.each([
    [
      'pg_dump fails',
      'exit 3',
      'postgresql://owner:secret@db.test/payouts',
      'pg_dump failed with exit status 3; there is no new dump.\n',
    ],
    [
      'no database is named',
      'exit 0',
      '',
      'Set DATABASE_URL or DATABASE_URL_FILE to the URL of the owner of the tables.\n',
    ],
  ])('keeps every dump and exits with 1 when %s', (_, script, url, message) => {
    writeFileSync(join(folder, 'pg_dump'), `#!/bin/sh\n: >"\${2#--file=}"\n${script}\n`)
    chmodSync(join(folder, 'pg_dump'), 0o755)
    writeFileSync(join(folder, 'payouts-20260101T021500Z.dump'), '')
    utimesSync(join(folder, 'payouts-20260101T021500Z.dump'), 1, 1)

    const { status, stderr } = backUp({ DATABASE_URL: url })

    expect({ status, stderr }).toEqual({ status: 1, stderr: message })
    expect(readdirSync(folder).toSorted()).toEqual(['payouts-20260101T021500Z.dump', 'pg_dump'])
  })

  function backUp(env: Readonly<Record<string, string>>) {
    const path = `${folder}${delimiter}${environment()['PATH'] ?? ''}`
    const options = { env: { PATH: path, ...env }, encoding: 'utf8' } as const
    return spawnSync(process.execPath, [join(root, 'deploy/backup.mjs'), folder, '30'], options)
  }

  function dumps(): string[] {
    return readdirSync(folder)
      .filter((name) => name.includes('.dump'))
      .toSorted()
  }
})

function paths(files: readonly string[]): string[] {
  return files.map((file) => join(units, file))
}

/** A unit, including the lines that all units share. A repeated key has several values. */
function unitOf(name: string) {
  const files = [`payouts-${name}.service`, 'payouts-.service.d/confined.conf']
  const lines = files.flatMap((file) => readFileSync(join(units, file), 'utf8').split('\n'))
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1))
  const one = (key: string) => {
    expect([key, all(key).length]).toEqual([key, 1])
    return all(key)[0] ?? ''
  }
  return { all, one }
}

function variablesIn(lines: readonly string[]): Record<string, string> {
  const pairs = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value.replaceAll('"', '')]]
  })
  return Object.fromEntries(pairs)
}

function copied(file: string): string {
  const path = join(folder, file.split('/').at(-1) ?? '')
  cpSync(join(root, file), path)
  return path
}
