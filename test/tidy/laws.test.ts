// The laws of design §2: a wrong import or a forbidden word fails the build.
import { describe, expect, test } from '@jest/globals'
import { type Import, importsOf, read, roomOf, sourceFiles } from './imports'

const ours = new Set([
  'config',
  'clock',
  'log',
  'temporal',
  'tracing',
  'api',
  'workflows',
  'activities',
  'worker',
  'db',
  'rail',
  'mail',
  'documents',
  'domain',
  'sandbox-bank',
  'dashboard',
  'ops',
  'local',
  'bench',
])

/** What each room may import of ours; what is not listed is forbidden. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  config: [],
  clock: [],
  log: ['config'],
  temporal: ['config', 'clock'],
  tracing: ['config', 'clock', 'log', 'rail', 'workflows'],
  workflows: ['domain'],
  rail: ['domain', 'clock'],
  documents: ['domain'],
  mail: ['domain'],
  db: ['domain', 'config', 'clock'],
  activities: ['domain', 'db', 'rail', 'documents', 'mail', 'clock', 'workflows', 'log'],
  worker: ['domain', 'db', 'rail', 'mail', 'activities', 'workflows', 'config', 'clock', 'log', 'temporal', 'tracing'],
  api: ['domain', 'db', 'rail', 'documents', 'mail', 'workflows', 'config', 'clock', 'log', 'temporal', 'tracing'],
  ops: [
    'domain',
    'db',
    'rail',
    'activities',
    'workflows',
    'config',
    'clock',
    'temporal',
    'local',
    'api',
    'worker',
    'log',
  ],
  local: ['config', 'clock'],
  'sandbox-bank': [],
  dashboard: [],
  bench: [...ours],
}

const all: Import[] = sourceFiles().flatMap((file) => importsOf(file))
const own = all.filter(({ to }) => ours.has(roomOf(to)) && !isPackage(to))

describe('the laws of the layout', () => {
  test('a room imports only the rooms below it', () => {
    expect(own.filter(isForbidden)).toEqual([])
  })

  test('domain/ imports nothing, workflows/ only domain/ and @temporalio/workflow', () => {
    const packages = (room: string) =>
      all.filter(({ from, to }) => roomOf(from) === room && !isOwn(to)).map(({ to }) => to)

    expect(packages('domain')).toEqual([])
    expect([...new Set(packages('workflows'))].filter((name) => name !== '@temporalio/workflow')).toEqual([])
  })

  test('only activities/ move money: nobody else imports db/ledger', () => {
    const importers = all.filter(({ to }) => to === 'db/ledger').map(({ from }) => roomOf(from))

    expect(importers.length).toBeGreaterThan(0)
    expect([...new Set(importers)]).toEqual(['activities'])
  })

  test('process.env is read in config.ts only, and the present moment comes from clock.ts', () => {
    const using = (pattern: RegExp) => sourceFiles().filter((file) => /\.tsx?$/.test(file) && pattern.test(read(file)))

    expect(using(/process\.env/)).toEqual(['config.ts'])
    // The bank is somebody else's program, and a browser somebody else's machine: each has a clock of its own.
    // In a workflow, Date.now() is the deterministic time of its history.
    expect(using(/Date\.now\(|new Date\(\)/).filter((file) => roomOf(file) !== 'workflows')).toEqual([
      'clock.ts',
      'dashboard/now.ts',
      'sandbox-bank/clock/clock.ts',
    ])
  })

  test('no list that may be long is spread into Math.max or Math.min, which throw past about 125,000 arguments', () => {
    const backend = /^(activities|api|db|ops|rail|worker|workflows)\//
    const spreading = sourceFiles().filter((file) => backend.test(file) && /Math\.(max|min)\(\.\.\./.test(read(file)))

    expect(spreading).toEqual([])
  })

  test('no file is called utils, helpers, common, shared, misc, service or manager', () => {
    const bad = /(^|[/-])(utils?|helpers?|common|shared|misc|services?|managers?)(\.|-|\/)/

    expect(sourceFiles().filter((file) => bad.test(file))).toEqual([])
  })

  test('every source opens with a sentence on what it is for', () => {
    const silent = sourceFiles().filter((file) => /\.tsx?$/.test(file) && !/^(#!.*\n)?\/[/*]/.test(read(file)))

    expect(silent).toEqual([])
  })

  test.each([
    ['api/v1/payouts.ts', "import { postSet } from '../../db/ledger'", 'db/ledger'],
    ['workflows/payout.ts', "import { readFileSync } from 'node:fs'", 'node:fs'],
    ['workflows/payout.ts', "const x = await import('typebox')", 'typebox'],
    ['domain/money.ts', "import { clock } from '../clock'", 'clock'],
    ['sandbox-bank/money.ts', "import { parsePence } from '../domain/money'", 'domain/money'],
  ])('the reader of imports sees what %s must not import', (from, text, to) => {
    expect(importsOf(from, text)).toEqual([{ from, to }])
  })
})

function isForbidden({ from, to }: Import): boolean {
  const [room, target] = [roomOf(from), roomOf(to)]
  return room !== target && !(allowed[room] ?? [...ours]).includes(target)
}

function isOwn(to: string): boolean {
  return ours.has(roomOf(to)) && !isPackage(to)
}

/** Our rooms are reached by relative paths, so a bare name with no folder of ours in front is a package. */
function isPackage(to: string): boolean {
  return to.startsWith('@') || to.startsWith('node:')
}
