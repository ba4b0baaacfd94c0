// The settings table is complete: each row is read, each default is valid, and docs/configuration.md is current.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type EnvironmentVariables, loadConfig, loadLocalPorts, loadOpsConfig } from '../../../runtime/config/config'
import { configurationPage } from '../../../runtime/config/page'
import { type Setting, variablesOf } from '../../../runtime/config/setting'
import { groups, settings } from '../../../runtime/config/settings'
import { mistakesIn } from '../../support/config'

const rows: [string, Setting<unknown>][] = Object.entries(settings)

test('docs/configuration.md is current; otherwise run npm run docs:configuration', () => {
  const page = readFileSync(join(__dirname, '../../../docs/configuration.md'), 'utf8')

  expect(page).toBe(configurationPage(page))
})

test('every setting is in exactly one group of the page', () => {
  expect(Object.values(groups).flatMap(Object.keys).toSorted()).toEqual(Object.keys(settings).toSorted())
})

test('exactly the variables in the table are read', () => {
  const used = new Set<string>()
  const watched = new Proxy<EnvironmentVariables>(withOptionalParts, {
    get: (env, name) => {
      used.add(String(name))
      return env[String(name)]
    },
  })

  for (const load of [loadConfig, loadOpsConfig, loadLocalPorts]) mistakesIn(() => load(watched))

  const known = rows.flatMap(([name, setting]) => variablesOf(name, setting).map(({ variable }) => variable))
  expect([...used].toSorted()).toEqual(known.toSorted())
})

test('every default is valid, even in production', () => {
  const invalid = rows.filter(
    ([, { kind, inProduction, presence }]) =>
      'default' in presence && (inProduction ?? kind).parse(presence.default) === undefined,
  )

  expect(invalid).toEqual([])
})

test('an empty environment lacks exactly the required settings', () => {
  const required = rows.flatMap(([name, { presence }]) =>
    'required' in presence && presence.with === null ? [`${name} is required.`] : [],
  )

  expect(mistakesIn(() => loadConfig({})).toSorted()).toEqual(required.toSorted())
})

/** Sets every optional part, because some settings are read only if another one is set. */
const withOptionalParts: EnvironmentVariables = {
  BANK_SANDBOX_URL: 'http://127.0.0.1:8300/v0',
  BANK_LIVE_URL: 'http://127.0.0.1:8300/v0',
  SMTP_URL: 'smtp://127.0.0.1',
  SELLER_NAME: 'Example Ltd',
  SELLER_VAT_RATE: '20',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
}
