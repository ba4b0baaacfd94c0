// Alerts and the dashboard use only metrics that a real API and worker expose. Each alert has a runbook entry, and
// Temporal accepts each search query in the operators' guide.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { overdueDrifts } from '../../domain/controls/drift'
import { choosePort } from '../../local/ports'
import { bankCallBounds } from '../../rail/rail'
import { connectClient } from '../../runtime/temporal/client'
import { housekeepingQueue, ofSystem } from '../../workflows/names'
import { firingFor, readAlerts } from '../support/api/alert-rules'
import { type Scrape, scrape } from '../support/api/scrape'
import { useSandboxBank } from '../support/bank/client'
import { createDatabase, type TestDatabase } from '../support/db/database'
import { testSystem } from '../support/jest/system'
import { aPart, type Part } from '../support/system/part'
import { testTemporal } from '../support/temporal/a-worker'
import { until } from '../support/until'

const read = (path: string) => readFileSync(join(__dirname, '../../docs', path), 'utf8')
const alerts = readAlerts()
const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
  read('observability/dashboard.json'),
)
const queries = [
  ...alerts,
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ name: title, expr }))),
]

const bank = useSandboxBank({ fsync: 'off' })
let database: TestDatabase
let parts: Part[]
let shown: Scrape[]
const client = connectClient(testTemporal())
let hanging: WorkflowHandle | null = null

beforeAll(async () => {
  database = await createDatabase()
  const [port, apiMetrics, workerMetrics] = [await choosePort(0), await choosePort(0), await choosePort(0)]
  const nothingListens = await choosePort(0)
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
    TASK_QUEUE_PREFIX: `watched-${port}`,
    METRICS_PORT: String(apiMetrics),
    WORKER_METRICS_PORT: String(workerMetrics),
    // When the worker starts, it registers a webhook with each bank. The sandbox bank rejects the key, and the live
    // bank is down.
    WEBHOOK_URL: 'http://127.0.0.1/webhooks/bank',
    BANK_SANDBOX_URL: `${bank.url}/v0`,
    BANK_SANDBOX_KEY: 'sk-test-revoked',
    BANK_LIVE_URL: `http://127.0.0.1:${nothingListens}/v0`,
    BANK_LIVE_KEY: 'sk-live-tests',
  }
  parts = [aPart('api/main.js', env), aPart('worker/main.js', env)]
  await Promise.all(parts.map((part) => part.start()))
  for (const method of ['GET', 'POST']) await fetch(`http://127.0.0.1:${port}/v1/payouts`, { method })
  const worker = `http://127.0.0.1:${workerMetrics}`
  await failSomeWorkflows(ofSystem(housekeepingQueue, env.TASK_QUEUE_PREFIX))
  // A worker's first workflow is the sweep that the worker requests when it starts.
  const ran = ['workflow_completed_total', 'workflow_failed_total', 'workflow_task_execution_failed_total']
  await until('workflows ran and failed', async () => {
    const { names } = await scrape(worker)
    return ran.every((name) => names.has(`temporal_${name}`))
  })
  await until('the alerts about the bank fire', async () => {
    const { text } = await scrape(worker)
    return (
      firingFor('PayoutsBankFailing', '', text).length > 0 && firingFor('PayoutsBankKeyRejected', '', text).length > 0
    )
  })
  shown = [await scrape(`http://127.0.0.1:${apiMetrics}`), await scrape(worker)]
})

afterAll(async () => {
  await hanging?.terminate()
  await client.connection.close()
  await Promise.all(parts.map((part) => part.stop()))
  await database.drop()
})

test('every metric in an alert or a panel is exposed', () => {
  const names = new Set([...shown.flatMap((each) => [...each.names]), ...prometheusOwn])
  const missing = queries.flatMap(({ name, expr }) =>
    metricsIn(expr)
      .filter((metric) => !names.has(metric))
      .map((metric) => `${name}: ${metric}`),
  )

  expect(queries.length).toBeGreaterThan(30)
  expect(missing).toEqual([])
})

test('every label and label value that an alert or a panel selects by exists', () => {
  const lines = shown.flatMap((each) => each.text.split('\n'))
  const selectors = queries.flatMap(({ name, expr }) =>
    [...expr.matchAll(/(\w+)\{([^}]+)\}/g)]
      .filter(([, metric = '']) => !prometheusOwn.includes(metric))
      .map(([, metric = '', matchers = '']) => ({ name, metric, matchers })),
  )

  const missing = selectors.filter(({ metric, matchers }) => {
    const series = lines.filter((line) => line.startsWith(`${metric}{`))
    const each = [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)]
    const wanted = each.filter(([, , how]) => how === '=').map(([, label, , value]) => `${label}="${value}"`)
    const named = each
      .filter(([, , how = '']) => how.startsWith('!'))
      .flatMap(([, label, , value = '']) => value.split('|').map((one) => `${label}="${one}"`))
    const isThere = (...all: string[]) => series.some((line) => all.every((one) => line.includes(one)))
    return !(
      isThere(...wanted) &&
      named.every((one) => isThere(one)) &&
      each.every(([, label]) => isThere(`${label}="`))
    )
  })

  expect(selectors.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

test('when a worker starts, a bank that is down and a rejected key each raise their alert', () => {
  const text = shown[1]?.text ?? ''

  expect(firingFor('PayoutsBankFailing', '', text)).toEqual(['live set_webhook'])
  expect(firingFor('PayoutsBankKeyRejected', '', text)).toEqual(['sandbox'])
  expect(firingFor('PayoutsRegistrationFailing', '', text)).toEqual([])
})

test('the worker’s histogram of bank request durations has our own buckets', () => {
  const buckets = [...(shown[1]?.text ?? '').matchAll(/^payouts_bank_request_seconds_bucket\{.*le="([^"]+)"/gm)]

  expect(new Set(buckets.map(([, bound]) => bound))).toEqual(new Set([...bankCallBounds.map(String), '+Inf']))
})

test('the alert for a lost process covers every job that Prometheus scrapes', () => {
  const [, jobs = ''] = /up\{job=~"([^"]+)"\} == 0/.exec(read('observability/alerts.yml')) ?? []
  const named = [...read('observability/prometheus.yml').matchAll(/job_name: (\S+)/g)].map(([, job = '']) => job)

  expect(named).toHaveLength(2)
  expect(named.filter((job) => !new RegExp(`^(?:${jobs})$`).test(job))).toEqual([])
})

test('the drift alert ignores exactly the kinds of drift that only report a delay', () => {
  const pages = alerts.find(({ name }) => name === 'PayoutsDrift')?.expr ?? ''
  const [, leftOut = ''] = /payouts_drifts\{kind!~"([^"]+)"\}/.exec(pages) ?? []

  expect(new Set(leftOut.split('|'))).toEqual(new Set(overdueDrifts))
})

const describeWithPromtool = spawnSync('promtool', ['--version']).status === 0 ? describe : describe.skip

describeWithPromtool('promtool', () => {
  test('accepts the alert rules, and their unit tests pass', () => {
    const pathOf = (file: string) => join(__dirname, '../../docs/observability', file)

    const checked = spawnSync('promtool', ['check', 'rules', pathOf('alerts.yml')], { encoding: 'utf8' })
    const tested = spawnSync('promtool', ['test', 'rules', pathOf('alerts.test.yml')], { encoding: 'utf8' })

    expect(checked.stdout).toContain(`SUCCESS: ${alerts.length} rules found`)
    expect(tested).toMatchObject({ status: 0, stderr: '' })
  })
})

test('each alert has a paragraph in the runbook, and each paragraph has an alert', () => {
  const paragraphs = [...read('operations/alerts.md').matchAll(/^## (\w+)\n+(.+)/gm)]
  const written = paragraphs.filter(([, , text = '']) => text.length > 40).map(([, name]) => name)

  expect(alerts.length).toBeGreaterThan(10)
  expect(new Set(written)).toEqual(new Set(alerts.map(({ name }) => name)))
  for (const { name } of alerts)
    expect(read('observability/alerts.yml')).toContain(`runbook: docs/operations/alerts.md#${name.toLowerCase()}\n`)
})

test('Temporal accepts every search query in the guide', async () => {
  const guide = ['web-ui', 'stuck-payout'].map((page) => read(`operations/${page}.md`)).join('\n')
  const searches = [...guide.matchAll(/(?:^|`)((?:Payout\w+|Workflow\w+) (?:=|STARTS_WITH) [^`\n]+)/gm)]

  // Other tests share the server, so the counts vary. An invalid query throws.
  const counts = await Promise.all(searches.map(([, query = '']) => client.workflow.count(query)))

  expect(counts.length).toBeGreaterThan(7)
})

test('no metric has a label that identifies a partner, a payout or a person', () => {
  const labels = new Set(
    shown.flatMap((each) => [...each.text.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label)),
  )

  for (const label of ['partner', 'payout', 'key', 'email', 'name', 'workflow_id']) expect(labels).not.toContain(label)
})

/** Metrics that Prometheus itself adds for each process. */
const prometheusOwn = ['up']

/** Makes some workflows fail, because the SDK exposes its failure counters only after the first failure. */
async function failSomeWorkflows(taskQueue: string): Promise<void> {
  const start = (type: string) => client.workflow.start(type, { taskQueue, workflowId: `${taskQueue}/${type}` })
  hanging = await start('noSuchWorkflow')
  // A run that is started manually without its month fails immediately.
  await start('invoiceRun')
}

/** The metric names in an expression: words that are neither functions nor labels. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b\w+\s*\(/g, ' ')
    .replaceAll(/\boffset \w+/g, ' ')
  return (bare.match(/[a-z_][a-z0-9_]*/g) ?? []).filter((word) => !['and', 'or', 'unless'].includes(word))
}
