// The layout rules: where a file may be, and which modules it may import.
import { dirname } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Import, importsOf, layerOf, read, repositoryFiles, sourceFiles } from '../support/source-imports'

const ours = new Set([
  'runtime/config',
  'runtime/clock',
  'runtime/log',
  'runtime/temporal',
  'runtime/tracing',
  'runtime/metrics',
  'api',
  'workflows',
  'activities',
  'worker',
  'db',
  'rail',
  'mail',
  'domain',
  'sandbox-bank',
  'dashboard',
  'ops',
  'local',
  'bench',
  'sdk',
])

const runtime = ['runtime/config', 'runtime/clock', 'runtime/log', 'runtime/temporal', 'runtime/tracing']

/** The layers that each layer may import. All others are forbidden. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  'runtime/config': [],
  'runtime/clock': [],
  'runtime/log': ['runtime/config'],
  'runtime/temporal': ['runtime/config', 'runtime/clock', 'runtime/log', 'domain', 'workflows'],
  'runtime/tracing': ['runtime/config', 'runtime/clock', 'runtime/log', 'rail', 'workflows'],
  'runtime/metrics': [],
  workflows: ['domain'],
  rail: ['domain', 'runtime/clock'],
  mail: ['domain'],
  db: ['domain', 'runtime/config', 'runtime/clock'],
  activities: ['domain', 'db', 'rail', 'mail', 'workflows', 'runtime/clock', 'runtime/log', 'runtime/temporal'],
  worker: ['domain', 'db', 'rail', 'mail', 'activities', 'workflows', ...runtime],
  api: ['domain', 'db', 'rail', 'mail', 'workflows', ...runtime, 'runtime/metrics'],
  ops: [
    'sdk',
    'domain',
    'db',
    'rail',
    'activities',
    'workflows',
    'runtime/config',
    'runtime/clock',
    'runtime/temporal',
    'local',
    'api',
    'worker',
    'runtime/log',
  ],
  local: ['runtime/config', 'runtime/clock'],
  'sandbox-bank': [],
  dashboard: ['sdk'],
  sdk: [],
  bench: [...ours],
}

const nouns = ['payouts', 'wallets', 'invoices', 'partners', 'sign-in', 'bank', 'controls']

/** The layers that are divided by noun, each with the folders in it that are not nouns. */
const folderSets: Readonly<Record<string, readonly string[]>> = {
  activities: [],
  api: ['http', 'docs', 'metrics'],
  'dashboard/pages': ['home'],
  db: ['migrations'],
  domain: [],
  ops: ['client'],
  workflows: [],
  'test/activities': [],
  'test/api': ['http', 'docs', 'metrics'],
  'test/db': [],
  'test/domain': [],
  'test/ops': [],
  'test/workflows': ['changed'],
}

const all: Import[] = sourceFiles().flatMap((file) => importsOf(file))
const own = all.filter(({ to }) => ours.has(layerOf(to)) && !isPackage(to))

describe('the layout', () => {
  test('a layer imports only the layers that the table allows', () => {
    expect(own.filter(isForbidden)).toEqual([])
  })

  test('domain/ imports no packages, and workflows/ imports only the package @temporalio/workflow', () => {
    const packages = (layer: string) =>
      all.filter(({ from, to }) => layerOf(from) === layer && !isOwn(to)).map(({ to }) => to)

    expect(packages('domain')).toEqual([])
    expect([...new Set(packages('workflows'))].filter((name) => name !== '@temporalio/workflow')).toEqual([])
  })

  test('typebox and typeorm are imported without a subpath, because dist/ contains one bundle of each', () => {
    const subpaths = all.filter(({ from, to }) => layerOf(from) !== 'test' && /^(typebox|typeorm)\//.test(to))

    expect(subpaths).toEqual([])
  })

  test('sdk/ imports no packages and no Node modules, because it also runs in browsers', () => {
    // The build script runs in Node only.
    const imported = all.filter(({ from, to }) => /^sdk\/\w+\/src\//.test(from) && !isOwn(to))

    expect(imported).toEqual([])
  })

  test('only db/ imports db/wallets/ledger, which moves money', () => {
    const importers = all.filter(({ to }) => to === 'db/wallets/ledger').map(({ from }) => layerOf(from))

    expect([...new Set(importers)]).toEqual(['db'])
  })

  test('outside db/ and bench/, only activities/ and ops/ import the money transactions in db/', () => {
    const transactions = moneyTransactions()
    const importers = all.filter(({ to }) => transactions.has(to)).map(({ from }) => layerOf(from))

    expect(transactions).toContain('db/payouts/money')
    expect([...new Set(importers)].toSorted()).toEqual(['activities', 'bench', 'db', 'ops'])
  })

  test('only runtime/config reads process.env, and only runtime/clock reads the time', () => {
    const using = (pattern: RegExp) => sourceFiles().filter((file) => /\.tsx?$/.test(file) && pattern.test(read(file)))

    expect(using(/process\.env/)).toEqual(['runtime/config/config.ts'])
    // The sandbox bank and the browser have their own clocks. In a workflow, Date.now() is deterministic.
    expect(using(/Date\.now\(|new Date\(\)/).filter((file) => layerOf(file) !== 'workflows')).toEqual([
      'dashboard/now.ts',
      'runtime/clock.ts',
      'sandbox-bank/clock/clock.ts',
    ])
  })

  test('only runtime/temporal/workflows.ts starts, signals, updates and terminates workflows', () => {
    // bench/ measures single calls, and a workflow starts its own children.
    const clients = sourceFiles().filter((file) => file.endsWith('.ts') && !/^(bench|workflows)\//.test(file))
    const call = /workflow\.(start|execute|signal)\w*[(<]|\.(signal|terminate|executeUpdate|startUpdate)[(<]/

    expect(clients.filter((file) => call.test(read(file)))).toEqual(['runtime/temporal/workflows.ts'])
  })

  test('every file in activities/ contains an activity, or an activity in its folder uses it', () => {
    const inside = all.filter(({ from, to }) => layerOf(from) === 'activities' && layerOf(to) === 'activities')
    const used = new Set(inside.filter(({ from }) => from === 'activities/index.ts').map(({ to }) => to))
    for (let size = 0; size < used.size; ) {
      size = used.size
      for (const { from, to } of inside) {
        if (used.has(from.replace(/\.ts$/, '')) && dirname(from) === dirname(to)) used.add(to)
      }
    }
    const files = sourceFiles().filter((file) => layerOf(file) === 'activities' && file !== 'activities/index.ts')

    expect(files.filter((file) => !used.has(file.replace(/\.ts$/, '')))).toEqual([])
  })

  test('SQL is only in db/', () => {
    // bench/ fills its own databases, and local/ creates the database.
    const elsewhere = sourceFiles().filter((file) => !/^(db|bench)\//.test(file) && file !== 'local/postgres/start.ts')
    const statement = /['"`]\s*(select|insert into|delete from|update \w+ set|with \w+ as)\s/i

    expect(statement.test('sql`SELECT id FROM payouts`')).toBe(true)
    expect(elsewhere.filter((file) => statement.test(read(file)))).toEqual([])
  })

  test('the HTTP pipeline may depend on callers, but not on business objects', () => {
    const pipeline = own.filter(({ from }) => from.startsWith('api/http/'))
    const businessObject = /^(api|db)\/(payouts|wallets|invoices|bank)\/|^api\/(partners|sign-in|controls)\//

    expect(pipeline.length).toBeGreaterThan(0)
    expect(pipeline.filter(({ to }) => businessObject.test(to))).toEqual([])
  })

  test('no list is spread into Math.max or Math.min, which throw past about 125,000 arguments', () => {
    const backend = /^(activities|api|db|ops|rail|runtime|worker|workflows)\//
    const spreading = sourceFiles().filter((file) => backend.test(file) && /Math\.(max|min)\(\.\.\./.test(read(file)))

    expect(spreading).toEqual([])
  })

  test('no folder except the root, which has its own limits, has more than 15 files', () => {
    const counts = new Map<string, number>()
    for (const file of repositoryFiles()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)

    expect([...counts].filter(([folder, count]) => folder !== '.' && count > 15)).toEqual([])
  })

  test('the root has at most 18 folders and 13 files, not counting hidden ones', () => {
    const visible = repositoryFiles().filter((file) => !file.startsWith('.'))
    const folders = new Set(visible.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))

    expect(folders.size).toBeLessThanOrEqual(18)
    expect(visible.filter((file) => !file.includes('/')).length).toBeLessThanOrEqual(13)
  })

  test.each(Object.entries(folderSets))(
    'the folders in %s/ are named after the same nouns as in the other layers',
    (layer, others) => {
      const inside = repositoryFiles().filter((file) => file.startsWith(`${layer}/`))
      const names = inside
        .map((file) => file.slice(layer.length + 1).split('/'))
        .flatMap(([name, ...rest]) => (rest.length > 0 && name !== undefined ? [name] : []))

      expect([...new Set(names)].filter((name) => ![...nouns, ...others].includes(name))).toEqual([])
    },
  )

  test('no file is called utils, helpers, common, shared, misc, service or manager', () => {
    const bad = /(^|[/-])(utils?|helpers?|common|shared|misc|services?|managers?)(\.|-|\/)/

    expect(sourceFiles().filter((file) => bad.test(file))).toEqual([])
  })

  test('every source file starts with a comment that states its purpose', () => {
    const uncommented = sourceFiles().filter((file) => /\.tsx?$/.test(file) && !/^(#!.*\n)?\/[/*]/.test(read(file)))

    expect(uncommented).toEqual([])
  })

  test.each([
    ['api/payouts/read.ts', "import { postSet } from '../../db/wallets/ledger'", 'db/wallets/ledger'],
    ['workflows/payouts/payout.ts', "import { readFileSync } from 'node:fs'", 'node:fs'],
    ['workflows/payouts/payout.ts', "const x = await import('typebox')", 'typebox'],
    ['domain/money.ts', "import { clock } from '../runtime/clock'", 'runtime/clock'],
    ['sandbox-bank/money.ts', "import { parsePence } from '../domain/money'", 'domain/money'],
  ])('importsOf finds the forbidden import in %s', (from, text, to) => {
    expect(importsOf(from, text)).toEqual([{ from, to }])
  })
})

/** Every module in db/ that imports the ledger, directly or through another one. */
function moneyTransactions(): ReadonlySet<string> {
  const inside = all.filter(({ from }) => layerOf(from) === 'db')
  const found = new Set(['db/wallets/ledger'])
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const { from, to } of inside) if (found.has(to)) found.add(from.replace(/\.ts$/, ''))
  }
  return found
}

function isForbidden({ from, to }: Import): boolean {
  const [layer, target] = [layerOf(from), layerOf(to)]
  return layer !== target && !(allowed[layer] ?? [...ours]).includes(target)
}

function isOwn(to: string): boolean {
  return ours.has(layerOf(to)) && !isPackage(to)
}

/** Whether an import names a scoped package or a Node module. We import our own files by relative paths. */
function isPackage(to: string): boolean {
  return to.startsWith('@') || to.startsWith('node:')
}
