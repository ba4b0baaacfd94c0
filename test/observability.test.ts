// Alerts and dashboard ask only for what a real API and a real worker show, and each alert tells people what to do.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { choosePort } from '../local/ports'
import { type Scrape, scrape } from './api/metrics/scrape'
import { until } from './local/until'
import { createDatabase, type TestDatabase } from './setup/database'
import { testSystem } from './setup/system'
import { aPart, type Part } from './stories/part'

const read = (path: string) => readFileSync(join(__dirname, '../docs', path), 'utf8')
const alerts = [...read('observability/alerts.yml').matchAll(/- alert: (\w+)\n {8}expr: >-\n {10}(.+)\n/g)].map(
  ([, name = '', expr = '']) => ({ name, expr }),
)
const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
  read('observability/dashboard.json'),
)
const queries = [
  ...alerts,
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ name: title, expr }))),
]

let database: TestDatabase
let parts: Part[]
let shown: Scrape[]

beforeAll(async () => {
  database = await createDatabase()
  const [port, apiMetrics, workerMetrics] = [await choosePort(0), await choosePort(0), await choosePort(0)]
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
    TASK_QUEUE_PREFIX: `watched-${port}`,
    METRICS_PORT: String(apiMetrics),
    WORKER_METRICS_PORT: String(workerMetrics),
  }
  parts = [aPart('api/main.js', env), aPart('worker/main.js', env)]
  await Promise.all(parts.map((part) => part.start()))
  await fetch(`http://127.0.0.1:${port}/v1/payouts`)
  const worker = `http://127.0.0.1:${workerMetrics}`
  // The sweep that a worker's start asks for is the first workflow it is given.
  await until('a workflow ran', async () => (await scrape(worker)).names.has('temporal_workflow_completed_total'))
  shown = [await scrape(`http://127.0.0.1:${apiMetrics}`), await scrape(worker)]
}, 90_000)

afterAll(async () => {
  await Promise.all(parts.map((part) => part.stop()))
  await database.drop()
})

test('every metric that an alert or a panel asks for is shown', () => {
  const names = new Set(shown.flatMap((each) => [...each.names]))
  const missing = queries.flatMap(({ name, expr }) =>
    metricsIn(expr)
      .filter((metric) => !names.has(metric))
      .map((metric) => `${name}: ${metric}`),
  )

  expect(queries.length).toBeGreaterThan(30)
  expect(missing).toEqual([])
})

test('every label that one of them selects by is there, with that value', () => {
  const text = shown.map((each) => each.text).join('\n')
  const selectors = queries.flatMap(({ name, expr }) =>
    [...expr.matchAll(/(\w+)\{(\w+)="([^"$]+)"\}/g)].map(([, metric = '', label = '', value = '']) => {
      const series = new RegExp(`^${metric}\\{[^}]*\\b${label}="${value}"`, 'm')
      return { name, metric, label, value, there: series.test(text) }
    }),
  )

  expect(selectors.length).toBeGreaterThan(4)
  expect(selectors.filter(({ there }) => !there)).toEqual([])
})

test('each alert has its paragraph in the runbook, and each paragraph its alert', () => {
  const [, section = ''] = read('operations.md').split(/^## Alerts$/m)
  const paragraphs = [...(section.split(/^## /m)[0] ?? '').matchAll(/^### (\w+)\n+(.+)/gm)]
  const written = paragraphs.filter(([, , text = '']) => text.length > 40).map(([, name]) => name)

  expect(alerts.length).toBeGreaterThan(10)
  expect(new Set(written)).toEqual(new Set(alerts.map(({ name }) => name)))
  for (const { name } of alerts)
    expect(read('observability/alerts.yml')).toContain(`runbook: docs/operations.md#${name.toLowerCase()}\n`)
})

test('what is shown names no partner, no payout and nobody', () => {
  const labels = new Set(
    shown.flatMap((each) => [...each.text.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label)),
  )

  for (const label of ['partner', 'payout', 'key', 'email', 'name', 'workflow_id']) expect(labels).not.toContain(label)
})

/** The words of an expression that are neither functions nor labels. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b\w+\s*\(/g, ' ')
  return (bare.match(/[a-z_][a-z0-9_]*/g) ?? []).filter((word) => !['and', 'or', 'unless'].includes(word))
}
