// `npm run bench -- compare`: the rounds, the referee, the load generator and the reports. The peers that need packages
// of their own do not run here.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { readOptions, runRounds, writeResults } from '../../bench/compare/compare'
import { type Running, startPeer, transferBodyAt } from '../../bench/compare/contenders'
import { faultsOf, type Records } from '../../bench/compare/referee'
import { type Comparison, chartOf, isVoid, type Result, reportOf, scoreOf } from '../../bench/compare/report'
import { getText, runOpenLoop } from '../../bench/load'
import { driftOf } from '../../bench/measured'
import { type Child, cpuMsOfChildren } from '../../bench/system'
import { keys, useSandboxBank } from '../support/bank/client'
import { useDatabase } from '../support/db/database'
import { root } from '../support/source-imports'

const settings = { seconds: 0.1, rounds: 3, clients: 2 }
const quiet = { calibrate: async () => [100, 1_000], untilIdle: async () => {}, say: () => {} }

describe('a run', () => {
  const db = useDatabase()
  const bank = useSandboxBank({ fsync: 'off', floatMicro: 10n ** 15n })
  const children: Child[] = []
  const peer = async (id: string) => {
    children.push({ stop: () => dropDatabase(db.url, `compare_${id}`) })
    const bankBody = await transferBodyAt(bank.url, keys.sandbox)
    const stage = { databaseUrl: db.url, temporalAddress: '', bankUrl: bank.url, bankKey: keys.sandbox, bankBody }
    return startPeer(id, { ...stage, close: async () => {} }, children)
  }
  afterEach(async () => {
    for (const child of children.splice(0).toReversed()) await child.stop()
  })

  test('measures a correct contender with both banks, and scores its throughput', async () => {
    const { results } = await runRounds([await peer('koa_inline')], settings, quiet)

    expect(results.map(({ bankMs, faults }) => ({ bankMs, faults }))).toEqual([
      { bankMs: 0, faults: [] },
      { bankMs: 50, faults: [] },
    ])
    for (const result of results) expect(scoreOf(result)).toBe(result.perSecond.median)
    for (const { paid } of results[1]?.latencies ?? []) expect(paid.p50Ms.median).toBeGreaterThanOrEqual(50)
  })

  test('gives zero to a contender that is fast because it does not pay', async () => {
    const cheat: Running = { ...(await peer('koa_rows')), work: 'paid', untilPaid: async () => {} }

    const comparison = await runRounds([cheat], settings, quiet)

    const [result] = comparison.results
    expect(result?.perSecond.median).toBeGreaterThan(0)
    expect(result?.faults).toEqual([expect.stringMatching(/^\d+ payouts that the bank did not pay exactly once$/)])
    expect(result && scoreOf(result)).toBe(0)
    expect(reportOf(comparison).join('\n')).toMatch(/\| Koa \+ SQL create \| 0 ms \| 0\.0 \[.*wrong: \d+ payouts that/)
  })

  test('gives zero to a contender that answers with an error, and measures the others', async () => {
    const server = createServer((_, response) => answer(response, 500))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    children.push({ stop: async () => void server.close() })
    const good = await peer('koa_rows')
    const bad: Running = { ...good, id: 'bad', port: portOf(server) }

    const { results } = await runRounds([bad, good], settings, quiet)

    expect(results.map(({ id, faults }) => [id, faults])).toEqual([
      ['bad', [expect.stringContaining('500')]],
      ['koa_rows', []],
    ])
  })

  test('is void if the calibration drifts by more than 15 %', async () => {
    const speeds = [100, 100, 116]
    const calibrate = async () => [100, speeds.pop() ?? 100]

    const comparison = await runRounds([await peer('koa_rows')], settings, { ...quiet, calibrate })

    expect(comparison.drift).toBeCloseTo(0.16)
    expect(isVoid(comparison)).toBe(true)
    expect(reportOf(comparison).at(-1)).toMatch(/^VOID: calibration drifted by 16 %/)
    expect(isVoid({ ...comparison, drift: driftOf([100, 115, 100]) })).toBe(false)
    expect(isVoid({ ...comparison, drift: Number.NaN })).toBe(true)
  })
})

describe('the referee', () => {
  const right: Records = {
    rows: [{ id: 'p1', key: 'k1', pence: 100, debit: 130, transferRef: 't1' }],
    entries: [{ payoutId: 'p1', count: 2, sum: 0, debited: 130 }],
    balance: 870,
    ledgerBalance: 870,
    transfers: [{ id: 't1', payoutId: 'p1', pence: 100 }],
  }
  const [row, entry, transfer] = [right.rows[0]!, right.entries[0]!, right.transfers[0]!]
  const notPaid = '1 payouts that the bank did not pay exactly once'

  test('finds no fault in a correct contender', () => {
    expect(faultsOf('paid', ['k1'], right)).toEqual([])
  })

  test.each<[string, Partial<Records>, string[]]>([
    ['a lost row', { rows: [], entries: [], transfers: [] }, ['1 accepted keys without exactly one row']],
    [
      'a second debit',
      { entries: [{ ...entry, count: 4, debited: 260 }] },
      ['1 payouts whose ledger entries are wrong'],
    ],
    ['one-sided entries', { entries: [{ ...entry, sum: -130 }] }, ['1 payouts whose ledger entries are wrong']],
    ['a wrong balance', { balance: 860 }, ['-10 units that wallet and ledger differ by']],
    ['no transfer', { transfers: [] }, [notPaid]],
    ['a second transfer', { transfers: [transfer, { ...transfer, id: 't2' }] }, [notPaid]],
    ['a wrong amount', { transfers: [{ ...transfer, pence: 1 }] }, [notPaid]],
    ['a transfer that is not stored', { rows: [{ ...row, transferRef: null }] }, [notPaid]],
    ['a stray transfer', { transfers: [transfer, { ...transfer, payoutId: 'p9' }] }, ['1 transfers without a payout']],
  ])('finds %s', (_, change, faults) => {
    expect(faultsOf('paid', ['k1'], { ...right, ...change })).toEqual(faults)
  })

  test('expects no payment from a contender that only writes rows', () => {
    expect(faultsOf('rows', ['k1'], { ...right, transfers: [] })).toEqual([])
  })
})

describe('the open loop', () => {
  test('keeps sending while the server does not answer, and counts the whole wait', async () => {
    const [planned, perSecond] = [30, 300]
    const waiting: ServerResponse[] = []
    // A closed loop would never send the last request.
    const server = createServer((_, response) => {
      waiting.push(response)
      if (waiting.length === planned) for (const each of waiting) answer(each, 200)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

    const latencies: number[] = []
    const measured = await runOpenLoop(
      { port: portOf(server), status: 200, next: (dueAt) => (latencies.push(dueAt), text) },
      { perSecond, seconds: planned / perSecond },
    )

    server.close()
    expect(measured.count).toBe(planned)
    expect(latencies.map((dueAt) => Math.round(((dueAt - latencies[0]!) * perSecond) / 1_000))).toEqual(
      latencies.map((_, n) => n),
    )
    // The first request waited for all others, and the median one for half of them.
    expect(measured.p99Ms).toBeGreaterThanOrEqual(((planned - 1) / perSecond) * 1_000)
    expect(measured.p50Ms).toBeGreaterThanOrEqual(((planned / 2 - 1) / perSecond) * 1_000)
  })

  test('counts the time by which a request was sent late', async () => {
    const server = createServer((_, response) => answer(response, 200))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    let isFirst = true
    const next = () => {
      const until = performance.now() + (isFirst ? 200 : 0)
      while (performance.now() < until);
      isFirst = false
      return text
    }

    const measured = await runOpenLoop({ port: portOf(server), status: 200, next }, { perSecond: 100, seconds: 0.1 })

    server.close()
    // The last of the ten was due after 90 ms.
    expect(measured.p50Ms).toBeGreaterThanOrEqual(110)
  })
})

describe('the results', () => {
  const spread = (median: number) => ({ median, least: median * 0.9, most: median * 1.1 })
  const latency = { p50Ms: spread(4), p99Ms: spread(20) }
  const result: Result = {
    id: 'peer',
    name: 'Peer <1> & co',
    work: 'paid',
    answers: 'when paid',
    promises: 'much',
    lacks: 'something',
    bankMs: 0,
    perSecond: spread(300),
    cpuMs: spread(2),
    latencies: [0.5, 0.7].map((share) => ({ share, paid: latency, answered: latency })),
    faults: [],
  }
  const comparison: Comparison = {
    at: '2026-11-17T12:00:00.000Z',
    machine: { processor: 'test', cores: 2, node: '20.0.0' },
    settings,
    calibrations: [[100, 1_000]],
    drift: 0,
    results: [result, { ...result, id: 'ours', name: 'ours', perSecond: spread(100) }],
  }

  test('the table states where another contender is faster, and what it lacks', () => {
    const rounded = { ...comparison, results: [{ ...result, perSecond: spread(99.6) }] }

    expect(reportOf(rounded).join('\n')).toContain('| 100 [90 to 110] |')
    expect(reportOf(comparison)).toContain('- Peer <1> & co, bank 0 ms: 3.0 × as fast as ours. It lacks something.')
  })

  test('the chart is well-formed and shows every correct contender', () => {
    const chart = chartOf({
      ...comparison,
      results: [...comparison.results, { ...result, name: 'Wrong', faults: ['x'] }],
    })

    expect(openTagsIn(chart)).toEqual([])
    expect(chart).toContain('Peer &lt;1&gt; &amp; co')
    expect(chart).toContain('>ours<')
    expect(chart).not.toMatch(/Wrong|NaN|Infinity|undefined/)
  })

  test('a void run says so in the chart', () => {
    expect(chartOf({ ...comparison, drift: 0.2 })).toContain('VOID')
  })

  test('JSON and chart are written as files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'payouts-compare-'))

    writeResults(comparison, folder)

    expect(JSON.parse(readFileSync(join(folder, 'comparison.json'), 'utf8'))).toEqual(comparison)
    expect(readFileSync(join(folder, 'comparison.svg'), 'utf8')).toBe(chartOf(comparison))
    rmSync(folder, { recursive: true })
  })
})

test.each([
  [['--rounds', '2'], '--rounds must be at least 3'],
  [['--seconds', '0'], '--seconds must be a number above 0'],
  [['--clients', 'many'], '--clients must be at least 1'],
  [['--only', 'ours,theirs'], '--only: there is no "theirs"'],
])('%j is refused', (args, message) => {
  expect(() => readOptions(args)).toThrow(message)
})

test('the packages of the peers are pinned by version and hash, and come from the registry', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'bench/package.json'), 'utf8'))
  const lock = JSON.parse(readFileSync(join(root, 'bench/package-lock.json'), 'utf8'))
  const { '': own, ...packages } = lock.packages

  expect(own.devDependencies).toEqual(devDependencies)
  for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  for (const [path, locked] of Object.entries<Record<string, unknown>>(packages))
    expect([path, locked]).toEqual([path, expect.objectContaining({ integrity: expect.stringMatching(/^sha512-/) })])
  expect(JSON.stringify(packages)).not.toMatch(/"resolved"|"hasInstallScript"/)
})

test('the processor time of child processes is measured on Linux', async () => {
  const before = cpuMsOfChildren()
  const work = `while (process.cpuUsage().user < 300_000); console.log('done'); setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['-e', work])
  await once(child.stdout, 'data')

  const spent = cpuMsOfChildren() - before

  child.kill()
  expect(spent >= 290 || process.platform !== 'linux').toBe(true)
})

test('every peer is short', () => {
  const files = readdirSync(join(root, 'bench/peers'))
  const lines = files.map((file) => readFileSync(join(root, 'bench/peers', file), 'utf8').split('\n').length)

  expect(files).toContain('dbos.mjs')
  for (const count of lines) expect(count).toBeLessThan(100)
})

const text = getText({ path: '/', headers: {} })

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 2 }).end('ok')
}

function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await client.end()
}

/** Returns the tags that are not closed in order. */
function openTagsIn(xml: string): string[] {
  const open: string[] = []
  for (const [, slash, name, closed] of xml.matchAll(/<(\/?)(\w+)[^<>]*?(\/?)>/g)) {
    if (slash === '/' && open.at(-1) === name) open.pop()
    else if (closed !== '/') open.push(`${slash}${name}`)
  }
  return open
}
