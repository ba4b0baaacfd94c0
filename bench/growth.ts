// Measures requests and scheduled work with more and more stored payouts, of one partner or of many, and another
// partner's POST while the first one searches continuously. Usage: `-- growth 10000 100000 partners=100`.
import { setTimeout as wait } from 'node:timers/promises'
import { Client as Postgres } from 'pg'
import { proveWallet } from '../activities/controls/proof/prove-wallets'
import { listWalletsToProve } from '../db/controls/proof/wallets'
import { openDatabase } from '../db/data-source'
import type { Db } from '../db/database'
import { openKeyring } from '../db/keyring'
import { createApiKey } from '../db/partners/api-keys'
import { openPartner } from '../db/partners/open'
import { listOpenPayouts, markOverdue } from '../db/payouts/open'
import type { Environment } from '../domain/environment'
import { createRails } from '../rail/rails'
import { systemClock } from '../runtime/clock'
import { loadConfig, loadOpsConfig } from '../runtime/config/config'
import { createLog } from '../runtime/log'
import { connectClient } from '../runtime/temporal/client'
import { startConnectSandbox } from '../runtime/temporal/workflows'
import { addHistory, firstNames } from './history'
import { getText, runLoad } from './load'
import {
  type Cost,
  type Costs,
  costLines,
  countBlocks,
  databaseCpuMs,
  type Measured,
  median,
  medianOf,
  prepareBlockCounts,
} from './measured'
import { nextPayout } from './payouts/requests'
import { untilConnected } from './payouts/wallets'
import type { System } from './system'

const rounds = 5
const floodClients = 16
const slugs = 'bench-growth-'

interface Bench {
  readonly system: System
  readonly sql: Postgres
  readonly db: Db
  /** The API keys of the first partner. */
  readonly keys: Readonly<Record<Environment, string>>
}

export async function measureGrowth(
  system: System,
  options: { readonly sizes: readonly number[]; readonly partners: number },
  print: (lines: readonly string[]) => void,
): Promise<void> {
  const { partners } = options
  const sizes = options.sizes.length > 0 ? options.sizes : [10_000, 100_000]
  const sql = new Postgres({ connectionString: system.databaseUrl })
  await sql.connect()
  await prepareBlockCounts(sql)
  const db = await openDatabase({ url: system.databaseUrl, poolSize: 2, onError: () => undefined })
  try {
    const keys = await openPartners({ system, sql, db }, partners)
    const bench = { system, sql, db, keys }
    const measured: Costs[] = []
    for (const [n, size] of sizes.entries()) {
      await addHistory(sql, { slugs, from: sizes[n - 1] ?? 0, to: size })
      await sql.query('CHECKPOINT')
      await untilIdle(sql)
      measured.push(await measureAll(bench))
      print([...costLines(measured, { sizes, partners, rounds }), await sizeLine(sql, size)])
    }
    if (partners === 1) print(await floodLines(system, keys.sandbox))
  } finally {
    await db.close()
    await sql.end()
  }
}

/** Opens partners whose sandboxes are connected to the bank, without rate limits, and returns the first one's keys. */
async function openPartners({ system, sql, db }: Omit<Bench, 'keys'>, partners: number): Promise<Bench['keys']> {
  const { secretKeys, taskQueuePrefix: queuePrefix } = loadConfig(system.env)
  const temporal = connectClient({ address: system.temporalAddress, namespace: 'default', tls: null, apiKey: null })
  const ids: string[] = []
  for (let n = 1; n <= partners; n++) {
    const slug = `${slugs}${n}`
    const about = { name: slug, slug, email: `${slug}@payouts.test`, createdBy: 'bench' }
    const opened = await openPartner({ db, clock: systemClock }, about)
    if (opened.outcome !== 'opened') throw new Error(`the partner ${slug} already exists`)
    ids.push(opened.partner.id)
    await startConnectSandbox({ temporal, queuePrefix }, opened.partner.id)
  }
  await sql.query(
    `UPDATE partners SET verification_status = 'approved', rate_limit_sandbox = 10000, rate_limit_live = 10000
      WHERE slug LIKE '${slugs}%' OR slug = 'demo'`,
  )
  await untilConnected({ sql })
  await temporal.connection.close()
  const keyring = openKeyring(secretKeys)
  const keyFor = async (environment: Environment) => {
    const order = { partnerId: ids[0] ?? '', environment, label: null, createdBy: 'bench', at: systemClock.now() }
    const made = await db.transaction((tx) => createApiKey(tx, { ...order, keyring }))
    if (made.outcome !== 'created') throw new Error(`no key was created: ${made.outcome}`)
    return made.secret
  }
  return { sandbox: await keyFor('sandbox'), live: await keyFor('live') }
}

/** Loading data starts vacuum workers, which must not slow down the measured requests. */
async function untilIdle(sql: Postgres): Promise<void> {
  for (let idle = 0; idle < 10; ) {
    const { rows } = await sql.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (state = 'active' OR backend_type = 'autovacuum worker')`,
    )
    idle = rows[0]?.count === '0' ? idle + 1 : 0
    await wait(300)
  }
}

async function measureAll(bench: Bench): Promise<Costs> {
  const payout = await somePayout(bench.sql)
  const costs = new Map<string, Cost>()
  for (const [name, environment, path] of reads(payout)) {
    const text = getText({ path, headers: { Authorization: `Bearer ${bench.keys[environment]}` } })
    costs.set(name, await costOf(bench, () => loadOnce(bench, () => text, 200)))
  }
  costs.set('create, until closed', await costOf(bench, () => createSome(bench)))
  for (const [name, run, times] of await scheduledWork(bench)) costs.set(name, await costOf(bench, run, times))
  return costs
}

async function loadOnce({ system }: Bench, next: () => string, status: number, seconds = 0.5): Promise<Ran> {
  const { count, p50Ms } = await runLoad({ port: system.port, next, status }, { clients: 1, seconds })
  return { count, ms: p50Ms }
}

/** The time is that of the request. The other costs include the payout's whole life. */
async function createSome(bench: Bench): Promise<Ran> {
  const ran = await loadOnce(bench, () => nextPayout([bench.keys.sandbox]).text, 201, 3)
  await untilClosed(bench.sql)
  return ran
}

interface Ran {
  readonly count: number
  readonly ms: number
}

/** The first run is a warm-up. The last one counts blocks, and is not timed, because PostgreSQL then logs every plan. */
async function costOf({ sql, system }: Bench, run: () => Promise<Ran>, times = rounds): Promise<Cost> {
  await run()
  const before = await databaseCpuMs(sql)
  const ran: Ran[] = []
  for (let round = 0; round < times; round++) ran.push(await run())
  const cpuMs = (await databaseCpuMs(sql)) - before
  let counted = 0
  const blocks = await countBlocks(sql, system.postgresLog, async () => {
    counted = (await run()).count
  })
  return {
    ms: median(ran.map(({ ms }) => ms)),
    cpuMs: cpuMs / ran.reduce((sum, { count }) => sum + count, 0),
    blocks: blocks / counted,
  }
}

async function timed(run: () => Promise<unknown>): Promise<Ran> {
  const startedAt = performance.now()
  await run()
  return { count: 1, ms: performance.now() - startedAt }
}

async function untilClosed(sql: Postgres): Promise<void> {
  for (;;) {
    const { rows } = await sql.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM payouts WHERE closed_at IS NULL AND released_at IS NULL',
    )
    if (rows[0]?.count === 0) return
    await wait(100)
  }
}

interface SomePayout {
  readonly id: string
  readonly name: string
  readonly reference: string
}

/** Returns one of the first partner's older payouts in the sandbox. */
async function somePayout(sql: Postgres): Promise<SomePayout> {
  const { rows } = await sql.query<SomePayout>(
    `SELECT p.id, recipient_name AS name, reference FROM payouts p JOIN partners ON partners.id = partner_id
      WHERE slug = '${slugs}1' AND p.status = 'completed' AND environment = 'sandbox' ORDER BY p.created_at OFFSET 20 LIMIT 1`,
  )
  const [payout] = rows
  if (payout === undefined) throw new Error('there are no payouts')
  return payout
}

function reads({
  id,
  name,
  reference,
}: SomePayout): (readonly [name: string, environment: Environment, path: string])[] {
  const list = (query: string) => `/v1/payouts?${query}`
  const text = encodeURIComponent
  return [
    ['account', 'sandbox', '/v1/account'],
    ['get', 'sandbox', `/v1/payouts/${id}`],
    ['list', 'sandbox', '/v1/payouts'],
    ['list, an old page', 'sandbox', list(`starting_after=${id}`)],
    ['list, one status', 'sandbox', list('status=failed')],
    ['list, last four digits', 'sandbox', list('account_last4=0815')],
    ['search: one recipient', 'sandbox', list(`q=${text(name)}`)],
    ['search: one reference', 'sandbox', list(`q=${text(reference)}`)],
    ['search: a first name', 'sandbox', list('q=Barbara')],
    ['search: all', 'sandbox', list('q=invoice')],
    ['search: none', 'sandbox', list('q=nobody%20here')],
    ['recipients', 'sandbox', '/v1/recipients'],
    ['usage', 'sandbox', '/v1/usage'],
    ['usage, invoice preview', 'live', '/v1/usage'],
    ['usage of 12 months', 'live', '/v1/usage/history?months=12'],
    ['balance', 'sandbox', '/v1/balance'],
    ['wallet entries', 'live', '/v1/wallet/entries'],
    ['activity', 'sandbox', '/v1/activity'],
  ]
}

async function scheduledWork(
  bench: Bench,
): Promise<(readonly [name: string, run: () => Promise<Ran>, times?: number])[]> {
  const prove = await proving(bench)
  await prove('full')
  const now = systemClock.now()
  const page = { before: now, after: null, limit: 100 }
  const proveDay = async () => {
    let ms = 0
    for (let n = 0; n < proofsPerDay; n++) {
      await changePayouts(bench.sql)
      ms += (await timed(() => prove('changes'))).ms
    }
    return { count: proofsPerDay, ms: ms / proofsPerDay }
  }
  return [
    // Not every reconciliation recounts totals, so the cost is the average of a day.
    [`reconciliation of ${changed} changes`, proveDay, 2],
    ['sweep: open payouts', () => timed(() => listOpenPayouts(bench.db, page))],
    [
      'sweep: overdue payouts',
      () => timed(() => markOverdue(bench.db, { sentBefore: now, unknownBefore: now, limit: 100 })),
    ],
    ['reconciliation in full', () => timed(() => prove('full')), 1],
  ]
}

const changed = 10
const dayMs = 86_400_000
const proofsPerDay = 96

async function changePayouts(sql: Postgres): Promise<void> {
  await sql.query(
    `UPDATE payouts SET closed_at = closed_at + interval '1 second' WHERE id IN (SELECT p.id FROM payouts p
      JOIN partners ON partners.id = p.partner_id WHERE slug = '${slugs}1' AND environment = 'live'
      ORDER BY p.created_at DESC LIMIT ${changed})`,
  )
}

/** Lists the tables with the most bytes for each payout, indexes included. */
async function sizeLine(sql: Postgres, payouts: number): Promise<string> {
  const { rows } = await sql.query<{ name: string; bytes: number }>(
    `SELECT name, (sum(bytes) / $1::float8)::integer AS bytes FROM (
        SELECT coalesce(pg_partition_root(oid)::text, relname) AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) each
      GROUP BY name ORDER BY 2 DESC`,
    [payouts],
  )
  const most = rows.slice(0, 10).map(({ name, bytes }) => `${name} ${bytes}`)
  return `  bytes per payout: ${rows.reduce((sum, { bytes }) => sum + bytes, 0)}, of which ${most.join(', ')}`
}

/** Each call takes place at the time of the next scheduled reconciliation. */
async function proving({ system, db }: Bench): Promise<(depth: 'changes' | 'full') => Promise<void>> {
  const { bank, proof } = loadOpsConfig(system.env)
  const limits = { ...proof, fullEveryMs: 3_650 * dayMs }
  // In the past, because the current month must have payouts.
  let at = systemClock.now().getTime() - 10 * dayMs
  const clock = { now: () => new Date(at) }
  const rails = createRails({ bank, clock: systemClock, timeouts: { connectMs: 1_000, callMs: 1_000 } })
  const log = createLog({ level: 'error', name: 'bench' })
  const wallets = await listWalletsToProve(db, { environment: 'live', after: null, limit: 1_000 })
  const [ours] = await db.sql<{ id: string }>`SELECT w.id FROM wallets w JOIN partners ON partners.id = partner_id
    WHERE slug = ${`${slugs}1`} AND environment = 'live'`
  const wallet = wallets.find(({ id }) => id === ours?.id)
  if (wallet === undefined) throw new Error('there is no wallet to reconcile')
  return async (depth) => {
    at += dayMs / proofsPerDay
    const scope = { bank: 'there', depth } as const
    const { outcome, drifts } = await proveWallet({ db, clock, log, rails, limits }, wallet, scope)
    if (outcome !== 'no_bank' || drifts > 0) throw new Error(`The proof returned ${outcome} with ${drifts} drifts.`)
  }
}

/**
 * Alternates between rounds with and without the flood, because machines are noisy. In the flood, each client sends its
 * next search as soon as it gets a response.
 */
async function floodLines(system: System, key: string): Promise<string[]> {
  const post = () =>
    runLoad({ port: system.port, next: () => nextPayout([system.sandboxKey]).text, status: 201 }, posting)
  const [quiet, flooded, searches]: [Measured[], Measured[], Measured[]] = [[], [], []]
  for (let round = 0; round <= rounds; round++) {
    const alone = await post()
    const flood = runLoad({ port: system.port, next: () => searchText(key), status: 200, orStatus: 429 }, flooding)
    const beside = await post()
    const searched = await flood
    // The first round is a warm-up.
    if (round === 0) continue
    quiet.push(alone)
    flooded.push(beside)
    searches.push(searched)
  }
  const ratio = (field: 'p50Ms' | 'p99Ms') =>
    median(flooded.map((each, n) => each[field] / (quiet[n]?.[field] ?? Number.NaN))).toFixed(2)
  const ms = (taken: readonly Measured[]) =>
    `p50 ${medianOf(taken, 'p50Ms').toFixed(0)} ms, p99 ${medianOf(taken, 'p99Ms').toFixed(0)} ms`
  return [
    `POST /v1/payouts of another partner, ${posting.clients} clients, medians of ${rounds} alternating rounds:`,
    `  alone                          ${ms(quiet)}`,
    `  alongside ${floodClients} searching clients  ${ms(flooded)}   (${medianOf(searches, 'perSecond').toFixed(0)} searches/s answered)`,
    `  p50 ${ratio('p50Ms')}, p99 ${ratio('p99Ms')} (aim: p99 at most 1.50)`,
  ]
}

const posting = { clients: 2, seconds: 5 }
const flooding = { clients: floodClients, seconds: 5 }
let searched = 0

function searchText(key: string): string {
  searched += 1
  const term = `${firstNames[searched % firstNames.length] ?? ''} ${String.fromCharCode(97 + (searched % 26))}`
  return getText({ path: `/v1/payouts?q=${encodeURIComponent(term)}`, headers: { Authorization: `Bearer ${key}` } })
}
