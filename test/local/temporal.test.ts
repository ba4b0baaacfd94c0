// Our own Temporal server is never mistaken for another one, and web pages cannot use its HTTP API or its Web UI.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { choosePort } from '../../local/ports'
import { commandLineOf } from '../../local/process/identity'
import { servesNamespace, startTemporal, type TemporalServer } from '../../local/temporal/start'
import { connectClient } from '../../runtime/temporal/client'
import { openChromium } from '../support/browser/chromium'
import { testSystem } from '../support/jest/system'
import { until } from '../support/until'

let folder = ''
let running: TemporalServer[] = []
let browser: Browser | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-temporal-'))
})

afterEach(async () => {
  await browser?.close()
  await Promise.all(running.map((server) => server.stop()))
  running = []
  rmSync(folder, { recursive: true })
})

test('a server is not mistaken for another server that took its port first', async () => {
  const real = testSystem().temporalCli
  const cli = beatenToItsPortOnce(real)

  const server = await start(cli)

  expect(existsSync(join(folder, 'beaten'))).toBe(true)
  expect(commandLineOf(server.pid)).toContain(real)
  expect(await servesNamespace(server.address, 'default')).toBe(true)
})

test('only the owner of a server can read its data', async () => {
  const cli = testSystem().temporalCli
  const dbFile = join(folder, 'private.db')
  const logFile = join(folder, 'private.log')
  running.push(await startTemporal({ cli, logFile, dbFile, preferredPort: 0, preferredUiPort: null }))

  const stored = readdirSync(folder).filter((name) => name.startsWith('private.'))

  expect(stored).toContain('private.db')
  expect(stored.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([])
})

test('a program that exits instead of serving is reported with its output', async () => {
  await expect(start('/bin/ls')).rejects.toThrow(/The Temporal server did not start\. Its output:\n.*ls:/)
})

test('a server is ready only when it serves the namespace, not as soon as its port is open', async () => {
  const { temporalAddress } = testSystem()

  expect(await servesNamespace(temporalAddress, 'default')).toBe(true)
  expect(await servesNamespace(temporalAddress, 'no-such-namespace')).toBe(false)
  expect(await servesNamespace(`127.0.0.1:${await choosePort(0)}`, 'default')).toBe(false)
})

test('the server’s HTTP API refuses to start a workflow for a web page, and refuses reads with any Host header', async () => {
  const real = testSystem().temporalCli
  const httpPort = await choosePort(0)
  const cli = join(folder, 'cli')
  writeFileSync(cli, `#!/bin/sh\nexec '${real}' "$@" --http-port=${httpPort}\n`, { mode: 0o755 })
  const { address } = await start(cli)
  const temporal = connectClient({ address, namespace: 'default', tls: null, apiKey: null })
  const workflowId = randomUUID()
  const body = JSON.stringify({ workflowType: { name: 'topUp' }, taskQueue: { name: 'housekeeping' } })
  const headers = { Origin: 'https://evil.test', 'Content-Type': 'text/plain' }

  const posted = await fetch(`http://127.0.0.1:${httpPort}/api/v1/namespaces/default/workflows/${workflowId}`, {
    method: 'POST',
    headers,
    body,
  })
  const hosts = ['127.0.0.1', `localhost:${httpPort}`, 'evil.test', 'no', 'no%20host']
  const read = await Promise.all(
    hosts.map((host) => statusOf(`http://127.0.0.1:${httpPort}/api/v1/namespaces/default/workflows`, host)),
  )
  const started = await temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch(({ name }: Error) => name)
  await temporal.connection.close()

  expect([posted.status, ...read]).toEqual([403, 403, 403, 403, 403, 403])
  expect(started).toBe('WorkflowNotFoundError')
})

test('the Web UI works in a browser at localhost, but not at another host name, if its usual port is taken', async () => {
  const cli = testSystem().temporalCli
  // PostgreSQL uses this port.
  const preferredUiPort = Number(new URL(testSystem().databaseUrl).port)
  const options = { cli, logFile: join(folder, 'ui.log'), dbFile: null, preferredPort: 0, preferredUiPort }
  const server = await startTemporal(options)
  running.push(server)
  const { address, uiPort } = server
  // An outgoing connection could take a higher port, and then the Web UI's address would change at the next start.
  expect(uiPort).not.toBe(preferredUiPort)
  expect(uiPort).toBeLessThan(32_768)
  const temporal = connectClient({ address, namespace: 'default', tls: null, apiKey: null })
  const workflowId = `shown-${randomUUID()}`
  const handle = await temporal.workflow.start('nothing', { workflowId, taskQueue: 'nobody' })
  browser = await openChromium(['--host-resolver-rules=MAP evil.test 127.0.0.1'])
  const page = await browser.newPage()
  const ownPath = `/api/v1/namespaces/default/workflows/${workflowId}`

  const foreign = await page.goto(`http://evil.test:${uiPort}/namespaces/default/workflows`)
  const foreignRead = await page.goto(`http://evil.test:${uiPort}${ownPath}`)
  await page.goto(`http://localhost:${uiPort}/namespaces/default/workflows`)
  await page.getByText(workflowId).first().waitFor()
  await page.goto(`http://127.0.0.1:${uiPort}/namespaces/default/workflows/${workflowId}`)
  await page.getByRole('button', { name: 'Request Cancellation' }).filter({ visible: true }).click()
  await page.locator('dialog[open]').getByRole('button', { name: 'Confirm' }).click()
  const events = async () => (await handle.fetchHistory()).events ?? []
  await until('the Web UI cancels the workflow', async () =>
    (await events()).some((event) => event.workflowExecutionCancelRequestedEventAttributes),
  )
  await temporal.connection.close()
  await server.stop()

  expect([foreign?.status(), foreignRead?.status()]).toEqual([403, 403])
  await expect(fetch(`http://127.0.0.1:${uiPort}`)).rejects.toThrow('fetch failed')
})

test('behind its proxy, the Web UI listens on another port and, on Linux, at another loopback address', async () => {
  const cli = testSystem().temporalCli
  const options = { cli, logFile: join(folder, 'ui.log'), dbFile: null, preferredPort: 0, preferredUiPort: 0 }
  const server = await startTemporal(options)
  running.push(server)
  const proxied = `http://127.0.0.1:${server.uiPort}/`

  const [, ip = '', port = ''] = /--ui-ip=(\S+) .*--ui-port=(\d+)/.exec(commandLineOf(server.pid)) ?? []

  expect(
    await Promise.all(['localhost', '[::1]:80', 'evil.test', 'temporal'].map((host) => statusOf(proxied, host))),
  ).toEqual([200, 200, 403, 403])
  expect((await fetch(proxied, { headers: { Origin: 'https://evil.test' } })).status).toBe(403)
  expect(Number(port)).not.toBe(server.uiPort)
  if (process.platform !== 'linux') return
  expect(ip).toMatch(/^127\.\d+\.\d+\.\d+$/)
  expect(ip).not.toBe('127.0.0.1')
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
})

async function statusOf(url: string, host: string): Promise<number | undefined> {
  const [answer]: IncomingMessage[] = await once(get(url, { headers: { Host: host } }), 'response')
  answer?.resume()
  return answer?.statusCode
}

async function start(cli: string): Promise<TemporalServer> {
  const logFile = join(folder, 'temporal.log')
  const server = await startTemporal({ cli, logFile, dbFile: null, preferredPort: 0, preferredUiPort: null })
  running.push(server)
  return server
}

/** A CLI whose first run acts like a server that lost its port: it fails late, while another server answers there. */
function beatenToItsPortOnce(real: string): string {
  const [host, port] = testSystem().temporalAddress.split(':')
  const other = `
    const net = require('node:net')
    const port = Number(process.argv.find((each) => each.startsWith('--port=')).slice(7))
    net.createServer((one) => one.on('error', () => {}).pipe(net.connect(${port}, '${host}')).pipe(one)).listen(port, '127.0.0.1')
    setTimeout(() => process.exit(), 3000)`
  writeFileSync(join(folder, 'other.js'), other)
  const path = join(folder, 'cli')
  const beaten = `'${process.execPath}' '${folder}/other.js' "$@" & sleep 2; echo 'bind: address already in use'; exit 1`
  const script = `[ -e '${folder}/beaten' ] || { touch '${folder}/beaten'; ${beaten}; }\nexec '${real}' "$@"`
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}
