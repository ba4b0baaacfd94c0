// docs/configuration.md names every setting that runtime/config reads, with the default it really has.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ConfigError, type EnvironmentVariables, loadConfig, loadOpsConfig } from '../../runtime/config/config'

interface Row {
  readonly name: string
  readonly standard: string
  readonly meaning: string
}

const page = readFileSync(join(__dirname, '../../docs/configuration.md'), 'utf8')
const rows: Row[] = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.*)\|$/gm)].map(
  ([, name = '', standard = '', meaning = '']) => ({ name, standard, meaning }),
)

const needed: EnvironmentVariables = {
  DATABASE_URL: 'postgresql://127.0.0.1/payouts',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  SECRET_KEYS: `k1:${'0'.repeat(64)}`,
}

/** What makes runtime/config look at the settings that belong to these. */
const doors: EnvironmentVariables = {
  ...needed,
  BANK_SANDBOX_URL: 'http://127.0.0.1:8300/v0',
  BANK_LIVE_URL: 'http://127.0.0.1:8300/v0',
  SMTP_URL: 'smtp://127.0.0.1',
  SELLER_NAME: 'Example Ltd',
  SELLER_VAT_RATE: '20',
}

test('every setting that is read has its row, and no row is about one that is not', () => {
  const read = namesRead()

  expect(read.size).toBeGreaterThan(40)
  expect(new Set(rows.map(({ name }) => name))).toEqual(read)
  expect(rows).toHaveLength(read.size)
})

test('a default on the page is the default of the code', () => {
  const without = loadConfig(needed)
  const standards = rows.flatMap(({ name, standard }) => {
    const value = /^`(.+)`$/.exec(standard)?.[1]
    return value === undefined ? [] : [{ name, value }]
  })

  expect(standards.length).toBeGreaterThan(20)
  const wrong = standards.filter(({ name, value }) => !same(loadConfig({ ...needed, [name]: value }), without))
  expect(wrong).toEqual([])
})

test('what the page calls required is, and nothing else', () => {
  const required = rows.filter(({ standard }) => standard === 'required').map(({ name }) => name)

  expect(new Set(mistakesOf({}))).toEqual(new Set(required.map((name) => `${name} is required.`)))
  expect(rows.filter(({ standard }) => !/^(`.+`|required|none)$/.test(standard))).toEqual([])
})

/** A variable may also be given as a file that holds it (NAME_FILE): that is told once for all of them. */
function namesRead(): Set<string> {
  const names = new Set<string>()
  const watched = new Proxy<EnvironmentVariables>(doors, {
    get: (env, name) => {
      names.add(String(name))
      return env[String(name)]
    },
  })
  for (const load of [loadConfig, loadOpsConfig]) mistakesIn(() => load(watched))
  return new Set([...names].filter((name) => !names.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE')))
}

function mistakesOf(env: EnvironmentVariables): string[] {
  return mistakesIn(() => loadConfig(env))
}

function mistakesIn(load: () => unknown): string[] {
  try {
    load()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [...error.mistakes]
    throw error
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
