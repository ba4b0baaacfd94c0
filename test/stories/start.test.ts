// npm start: a user starts the system, tries it, stops it, kills it, and starts it again.
import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { projectDir } from '../../local/files'
import { readRunningEnvironment } from '../../local/plan'
import { choosePort, openKeptPorts } from '../../local/ports'
import { removeCluster } from '../../local/postgres/cluster'
import { environment, loadLocalPorts } from '../../runtime/config/config'
import { childEnv, notPreloaded } from '../support/system/child-env'
import { type Local, runningProcessesOf, type StartedSystem, start } from '../support/system/started'
import { runWith } from '../support/terminal'
import { until } from '../support/until'
import { tour } from './tour'

let dataDir = ''
let port = ''
const started: StartedSystem[] = []
const workers: ChildProcess[] = []
let first: Local | undefined

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'payouts-story-'))
  chmodSync(dataDir, 0o755)
  port = String(await choosePort(0))
  // The system of another test may take the usual ports while this one is stopped.
  const ports = openKeptPorts({ dataDir, port: Number(port), setPorts: loadLocalPorts({}) })
  for (const server of ['postgres', 'temporal', 'temporalUi', 'bank', 'smtp', 'inbox'] as const) {
    ports.keep(server, await choosePort(0))
  }
})

afterAll(async () => {
  await endAll()
  removeCluster(join(dataDir, 'postgres'))
  rmSync(dataDir, { recursive: true, force: true })
})

describe('npm start', () => {
  let system: StartedSystem
  let local: Local

  // After a failed test, its system would prevent all later starts.
  afterAll(endAll)

  test('prints one screen and writes local.json at the first start, and the printed curl line works when pasted', async () => {
    system = startHere(notPreloaded)
    local = await system.ready()
    first = local

    expect(local).toEqual({
      api: `http://localhost:${port}`,
      docs: `http://localhost:${port}/docs`,
      dashboard: `http://localhost:${port}/dashboard?environment=sandbox`,
      temporal: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      temporal_ui: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      bank: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mail: {
        smtp: expect.stringMatching(/^smtp:\/\/127\.0\.0\.1:\d+$/),
        inbox: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      },
      partner: { id: expect.any(String), slug: 'demo', email: 'demo@payouts.test' },
      keys: {
        sandbox: expect.stringMatching(/^kp_sandbox_[0-9a-f]{48}$/),
        live: expect.stringMatching(/^kp_live_[0-9a-f]{48}$/),
      },
    })
    for (const shown of [
      local.api,
      local.docs,
      local.dashboard,
      local.temporal_ui,
      local.bank,
      local.mail?.inbox,
      local.keys?.sandbox,
    ]) {
      expect(system.output()).toContain(shown)
    }
    expect(await pasted(system)).toMatchObject({ object: 'balance' })
    expect((await fetch(local.docs)).status).toBe(200)
    expect((await fetch(`${local.temporal_ui}/namespaces/default/workflows`)).status).toBe(200)
    expect(await (await fetch(`${local.mail?.inbox}/messages.json`)).json()).toEqual({ object: 'list', data: [] })
    expect(system.output()).toContain('simulated')
  })

  test('gives the demo partner test money at the sandbox bank in both environments', async () => {
    const ask = (path: string, key?: string) => bodyOf(local.api + path, `Bearer ${key}`)
    const { sandbox, live } = local.keys ?? {}

    expect(await ask('/v1/account', sandbox)).toMatchObject({ rail: 'provider_sandbox' })
    expect(await ask('/v1/account', live)).toMatchObject({ rail: 'provider_production' })
    expect(await ask('/v1/balance', sandbox)).toMatchObject({ usdc: '10000.00' })
    expect(await ask('/v1/balance', live)).toMatchObject({ usdc: '10000.00' })
    const wallets = await (await fetch(`${local.bank}/_control/wallets`)).json()
    expect(wallets).toMatchObject({ data: [{ balance: '10000.000000' }, { balance: '10000.000000' }] })
  })

  test('opens the API to this machine only, and its other servers refuse requests with another host name', async () => {
    const statuses = await Promise.all(
      [`${local.temporal_ui}/`, `${local.bank}/_control/journal`, `${local.mail?.inbox}/messages.json`].map(
        async (url) => {
          const [answer]: IncomingMessage[] = await once(get(url, { headers: { Host: 'evil.test' } }), 'response')
          answer?.resume()
          return answer?.statusCode
        },
      ),
    )

    expect(statuses).toEqual([403, 404, 403])
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    // On Linux every address in 127.0.0.0/8 is local, so a server that listens on all interfaces would answer
    // at 127.0.0.2.
    await expect(fetch(`http://127.0.0.2:${port}/healthz`)).rejects.toThrow('fetch failed')
  })

  test('makes the secrets readable by their owner only', () => {
    const modes = ['secrets.json', 'demo.json', 'env.json', 'local.json'].map(
      (name) => statSync(join(dataDir, name)).mode & 0o777,
    )

    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600])
  })

  test('reports the address of the running system when it is started again in the same DATA_DIR', async () => {
    const second = startHere({ PORT: String(await choosePort(0)) })

    expect(await second.exited).toBe(1)
    expect(second.output().trim()).toMatch(/^Payouts is already running in .* at http:\/\/localhost:\d+; .*\.$/)
  })

  test('starts only the API and the worker if DATABASE_URL and TEMPORAL_ADDRESS are set', async () => {
    const other = mkdtempSync(join(tmpdir(), 'payouts-story-'))
    // With another WEBHOOK_URL, this system's worker would redirect the bank's events to its own API.
    const wanted = /^(DATABASE_URL|TEMPORAL_ADDRESS|SECRET_KEYS|BANK_.*|WEBHOOK_URL)$/
    const running = Object.entries(readRunningEnvironment(dataDir) ?? {}).filter(([name]) => wanted.test(name))
    const env = { ...Object.fromEntries(running), PORT: String(await choosePort(0)) }
    const beside = start(other, env)
    started.push(beside)
    try {
      const { api, keys } = await beside.ready()
      const balance = await bodyOf(`${api}/v1/balance`, `Bearer ${local.keys?.sandbox}`)
      const names = beside.parts().map(({ name }) => name)

      expect(keys).toBeUndefined()
      expect(names.toSorted()).toEqual(['API', 'Worker'])
      expect(balance).toMatchObject({ object: 'balance' })
    } finally {
      beside.signal('SIGTERM')
    }
    expect(await beside.exited).toBe(0)
    await until('nothing of it is running any more', () => runningProcessesOf(other, []).length === 0)
    rmSync(other, { recursive: true })
  })

  test('lets npm run worker with the same DATA_DIR join as a second worker', async () => {
    const second = workerOf(dataDir)
    await until('both are working', async () => (await workingWorkers()) === 2)

    second.kill('SIGTERM')

    expect(await once(second, 'exit')).toEqual([0, null])
    expect(await workingWorkers()).toBe(1)
  })

  test('does not affect npm run worker in another DATA_DIR, which reports that nothing is running there', async () => {
    const lost = workerOf(join(dataDir, 'logs'))
    const [output] = await Promise.all([text(lost.stderr), once(lost, 'exit')])

    expect(lost.exitCode).toBe(1)
    expect(output).toBe(
      `Nothing is running in ${join(dataDir, 'logs')}: run \`npm start\`, or set DATABASE_URL and SECRET_KEYS.\n`,
    )
  })

  describe('the commands of README.md and docs/tour.md', () => {
    tour(() => ({ dataDir, port }))

    test('npm start reports in one line that it restarted the worker that the tour kills', () => {
      expect(system.output().match(/^✓ Worker had ended and was restarted/gm)).toHaveLength(1)
    })
  })

  test('stops everything on Ctrl-C, in order, and leaves no process behind', async () => {
    const parts = system.parts()
    expect(parts.map(({ name }) => name).toSorted()).toEqual([
      'API',
      'Bank',
      'Mail inbox',
      'PostgreSQL',
      'Temporal',
      'Worker',
    ])
    // npm forwards the signal, so it may arrive twice in quick succession.
    system.signal('SIGINT')
    system.signal('SIGINT')

    expect(await system.exited).toBe(0)
    expect(runningProcessesOf(dataDir, parts)).toEqual([])
    expect(existsSync(join(dataDir, 'local.json'))).toBe(false)
    expect(readRunningEnvironment(dataDir)).toBeNull()
    // PostgreSQL logs this if a client is still connected when it stops.
    expect(readFileSync(join(dataDir, 'logs/postgres.log'), 'utf8')).not.toContain('terminating connection')
  })
})

describe('the next start', () => {
  afterEach(endAll)

  test('has the same data, keys and addresses, and leaves no process behind when killed with SIGKILL', async () => {
    const system = startHere()
    const local = await system.ready()
    expect(local).toEqual(first)
    expect(await pasted(system)).toMatchObject({ object: 'balance' })
    const parts = system.parts()

    system.signal('SIGKILL')

    await until('nothing is running any more', () => runningProcessesOf(dataDir, parts).length === 0)
    expect(readRunningEnvironment(dataDir)).toBeNull()
  })

  test('recovers from the SIGKILL, uses the configured ports, and leaves no process behind when npm itself is killed', async () => {
    const ports = [await choosePort(0), await choosePort(0), await choosePort(0)]
    const [TEMPORAL_UI_PORT = '', SANDBOX_BANK_PORT = '', MAIL_INBOX_PORT = ''] = ports.map(String)
    const settings = { TEMPORAL_UI_PORT, SANDBOX_BANK_PORT, MAIL_INBOX_PORT }
    const npm = startHere({ npm_lifecycle_event: 'start', ...settings }, '"$0" "$@" & wait')
    const local = await npm.ready()
    expect(local.keys).toEqual(first?.keys)
    expect([local.temporal_ui, local.bank, local.mail?.inbox]).toEqual([
      `http://localhost:${TEMPORAL_UI_PORT}`,
      `http://127.0.0.1:${SANDBOX_BANK_PORT}`,
      `http://127.0.0.1:${MAIL_INBOX_PORT}`,
    ])
    expect(await pasted(npm)).toMatchObject({ object: 'balance' })
    const parts = npm.parts()

    npm.signal('SIGKILL')

    await until('nothing is running any more', () => runningProcessesOf(dataDir, parts).length === 0)
    expect(existsSync(join(dataDir, 'local.json'))).toBe(false)
  })
})

describe('an interrupted start', () => {
  afterEach(endAll)

  test('leaves no process behind after Ctrl-C half-way through the start', async () => {
    const system = startHere()
    await system.prints('✓ PostgreSQL')
    const parts = system.parts()
    system.signal('SIGINT')

    expect(await system.exited).toBe(0)
    expect(system.output()).not.toContain('Payouts is running')
    await until('nothing is running any more', () => runningProcessesOf(dataDir, parts).length === 0)
  })
})

describe('a start that cannot succeed', () => {
  let other: Server

  beforeAll(async () => {
    other = createServer().listen(Number(port), '127.0.0.1')
    await once(other, 'listening')
  })

  afterAll(() => new Promise((resolve) => other.close(resolve)))

  test('reports in one sentence that its port is taken, and exits with 1', async () => {
    const system = startHere()

    expect(await system.exited).toBe(1)
    expect(system.output().trim()).toBe(
      `Port ${port} is in use by another program; choose another one, for example: PORT=${Number(port) + 1} npm start`,
    )
  })

  test('reports in one sentence that a configured port is taken, or given to two servers', async () => {
    const PORT = String(await choosePort(0))
    const taken = startHere({ PORT, SANDBOX_BANK_PORT: port })
    expect(await taken.exited).toBe(1)
    const twice = startHere({ PORT, MAIL_INBOX_PORT: PORT })
    expect(await twice.exited).toBe(1)

    expect(taken.output().trim()).toBe(
      `Port ${port} is in use by another program; choose another one, for example: SANDBOX_BANK_PORT=${Number(port) + 1} npm start`,
    )
    expect(twice.output().trim()).toBe(`PORT and MAIL_INBOX_PORT are both ${PORT}; set one of them to another port.`)
  })

  test('reports which variable is wrong, and exits with 1', async () => {
    const system = startHere({ PORT: 'many' })

    expect(await system.exited).toBe(1)
    expect(system.output()).toContain('PORT must be a whole number')
    expect(system.output()).not.toContain('    at ')
  })
})

function startHere(env: Record<string, string> = {}, through?: string): StartedSystem {
  const system = start(dataDir, { PORT: port, ...env }, through)
  started.push(system)
  return system
}

async function endAll(): Promise<void> {
  for (const system of started) system.signal('SIGKILL')
  for (const worker of workers) worker.kill('SIGKILL')
  await Promise.all(started.map(({ exited }) => exited))
  await until('nothing is running any more', () => runningProcessesOf(dataDir, []).length === 0)
}

/** Runs the command behind `npm run worker` without npm. */
function workerOf(folder: string): ChildProcessByStdio<null, null, Readable> {
  const { scripts } = JSON.parse(readFileSync(join(projectDir(), 'package.json'), 'utf8'))
  const env = { ...environment(), ...childEnv(), DATA_DIR: folder }
  const worker = spawn('/bin/sh', ['-c', `exec ${scripts.worker}`], {
    cwd: projectDir(),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  workers.push(worker)
  return worker
}

async function workingWorkers(): Promise<number> {
  const { code, out, err } = await runWith({ DATA_DIR: dataDir }, ['worker', 'list', '--json'])
  if (code !== 0) throw new Error(`worker list exited with ${code}: ${err}`)
  return JSON.parse(out).data.filter(({ state }: { state: string }) => state === 'working').length
}

/** Returns the body of a 200. Repeats a request that gets 502, because the bank may be late with its rate. */
function bodyOf(url: string, authorization: string): Promise<unknown> {
  const probe = async () => {
    const answer = await fetch(url, { headers: { Authorization: authorization } })
    expect([200, 502]).toContain(answer.status)
    return answer.status === 200 && answer.json()
  }
  return until(`${url} answers 200`, probe, 60_000)
}

/** Runs the printed curl line in a shell, and returns its output. Uses fetch if curl is not installed. */
async function pasted(system: StartedSystem): Promise<unknown> {
  const printed = /^ *(curl (\S+) -H 'Authorization: (.*)')$/m.exec(system.output())
  const [, line = '', url = '', authorization = ''] = printed ?? []
  // After this, the API knows the bank's rate, so curl does not get 502.
  const body = await bodyOf(url, authorization)
  try {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --show-error --fail`])
    return JSON.parse(stdout)
  } catch (error) {
    if (String(error).includes('not found')) return body
    throw error
  }
}
