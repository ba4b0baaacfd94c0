// Measures reads of a partner with 10,000 and then 400,000 payouts, and another partner's POST while the first one
// searches continuously.
import { setTimeout as wait } from 'node:timers/promises'
import { Client as Postgres } from 'pg'
import { getText, runLoad } from './load'
import { type Measured, median, medianOf } from './measured'
import { nextPayout } from './payouts/requests'
import { openPartner, type System } from './system'

const sizes = [10_000, 400_000] as const
const rounds = 5
const floodClients = 16
const slug = 'bench-growth'

export async function measureGrowth(system: System, print: (lines: readonly string[]) => void): Promise<void> {
  const sql = new Postgres({ connectionString: system.databaseUrl })
  await sql.connect()
  try {
    const history = openPartner(system, slug)
    const measured: ReadTimes[] = []
    for (const [n, size] of sizes.entries()) {
      await addPayouts(sql, { from: sizes[n - 1] ?? 0, to: size })
      measured.push(await measureReads(system, history.key, await somePayout(sql)))
    }
    print(readLines(measured))
    print(await floodLines(system, history.key))
  } finally {
    await sql.end()
  }
}

/**
 * Spreads the payouts evenly over a year, with a tenth as many recipients. Rebuilds the totals and the search index
 * at the end.
 */
async function addPayouts(sql: Postgres, { from, to }: { from: number; to: number }): Promise<void> {
  const { rows } = await sql.query<{ definition: string }>(
    `SELECT pg_get_indexdef('payouts_search_index'::regclass) AS definition`,
  )
  await sql.query('DROP INDEX payouts_search_index')
  await sql.query('SET session_replication_role = replica')
  await sql.query(
    `INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, idempotency_key, fingerprint, fingerprint_key_id,
      field_fingerprints, status, failure_reason, reference, country, created_via, created_by, amount_pence, fee_pence,
      fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, account_hash,
      account_hash_key_id, bank_key, verdict, verdict_at, created_at, updated_at, closed_at, completed_at, returned_at)
    SELECT gen_random_uuid(), w.partner_id, w.environment, w.id, w.rail, 'history-' || n, sha256(n::text::bytea), 'k1', '{}',
      made.status, CASE WHEN made.status = 'failed' THEN 'invalid_account: The bank rejected the account details.' END,
      'Invoice ' || n, 'GB', 'api', 'bench', 10000 + n % 1000, 219, 110, 153300000, 790000000,
      ($4::text[])[1 + r % 16] || ' ' || initcap(substr(translate(md5((r / 16)::text), '0123456789', 'ghijklmnop'), 1, 7)),
      lpad((r % 10000)::text, 4, '0'), sha256(('account ' || r)::bytea), 'k1', gen_random_uuid(), 'accepted', at, at,
      at + interval '1 min', at + interval '1 min',
      CASE WHEN made.status <> 'failed' THEN at + interval '1 min' END,
      CASE WHEN made.status = 'returned' THEN at + interval '1 min' END
    FROM wallets w JOIN partners ON partners.id = w.partner_id, generate_series($2::integer + 1, $3::integer) AS n,
    LATERAL (SELECT ('x' || substr(md5(n::text), 1, 7))::bit(28)::integer % ($3::integer / 10) AS r,
      now() - interval '1 h' - ((n * 0.6180339887) % 1) * interval '358 days' AS at,
      CASE WHEN n % 50 = 0 THEN 'failed' WHEN n % 97 = 0 THEN 'returned' ELSE 'completed' END AS status) made
    WHERE partners.slug = $1 AND w.environment = 'sandbox'
    -- As in production, payouts that were created together are stored together.
    ORDER BY made.at`,
    [slug, from, to, firstNames],
  )
  await sql.query('SET session_replication_role = origin')
  await sql.query(rows[0]?.definition ?? '')
  await sql.query('SELECT rebuild_payout_totals(id) FROM partners WHERE slug = $1', [slug])
  await sql.query('VACUUM ANALYZE')
  await sql.query('CHECKPOINT')
  await untilIdle(sql)
}

/** Loading data starts vacuum workers, whose load must not count as slower reads. */
async function untilIdle(sql: Postgres): Promise<void> {
  for (let idle = 0; idle < 10; ) {
    const { rows } = await sql.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (state = 'active' OR backend_type = 'autovacuum worker')`,
    )
    idle = rows[0]?.count === '0' ? idle + 1 : 0
    await wait(300)
  }
}

const firstNames =
  'Ada Grace Edsger Barbara Alan Donald Margaret Tony Radia Leslie Frances John Jean Ken Dennis Niklaus'.split(' ')

interface SomePayout {
  readonly id: string
  readonly name: string
}

/** Returns one of the older payouts. */
async function somePayout(sql: Postgres): Promise<SomePayout> {
  const { rows } = await sql.query<SomePayout>(
    `SELECT p.id, recipient_name AS name FROM payouts p JOIN partners ON partners.id = partner_id
      WHERE slug = $1 AND p.status = 'completed' ORDER BY p.created_at OFFSET 500 LIMIT 1`,
    [slug],
  )
  const [payout] = rows
  if (payout === undefined) throw new Error('there are no payouts')
  return payout
}

type ReadTimes = ReadonlyMap<string, { readonly ms: number; readonly besideMs: number }>

/**
 * Measures GET /v1/account alongside each read. Its work does not depend on history, so it shows how busy the machine
 * was.
 */
async function measureReads(system: System, key: string, payout: SomePayout): Promise<ReadTimes> {
  const get = async (path: string) => {
    const text = getText({ path, headers: { Authorization: `Bearer ${key}` } })
    const target = { port: system.port, next: () => text, status: 200 }
    return (await runLoad(target, { clients: 1, seconds: 0.5 })).p50Ms
  }
  const times = new Map<string, { ms: number; besideMs: number }>()
  for (const [name, path] of reads(payout)) {
    await get(path)
    const taken: { ms: number; besideMs: number }[] = []
    for (let round = 0; round < rounds; round++) taken.push({ ms: await get(path), besideMs: await get('/v1/account') })
    times.set(name, {
      ms: median(taken.map(({ ms }) => ms)),
      besideMs: median(taken.map(({ besideMs }) => besideMs)),
    })
  }
  return times
}

function reads({ id, name }: SomePayout): (readonly [name: string, path: string])[] {
  const list = (query: string) => `/v1/payouts?${query}`
  return [
    ['usage', '/v1/usage'],
    ['usage of 12 months', '/v1/usage/history?months=12'],
    ['recipients', '/v1/recipients'],
    ['payouts', '/v1/payouts'],
    ['payouts, an old page', list(`starting_after=${id}`)],
    ['search: one recipient', list(`q=${encodeURIComponent(name)}`)],
    ['search: one reference', list('q=Invoice%207777')],
    ['search: a first name', list('q=Barbara')],
    ['search: all', list('q=invoice')],
    ['search: none', list('q=nobody%20here')],
    ['search: two letters', list('q=qz')],
    ['filter: status', list('status=failed')],
    ['filter: last four digits', list('account_last4=0815')],
    ['filter: reference', list('reference=Invoice%207777')],
    ['filter: created before', list('created_before=2026-03-01T00:00:00Z')],
  ]
}

function readLines(measured: readonly ReadTimes[]): string[] {
  const [small, large] = measured
  const rows = [...(small ?? [])].map(([name, before]) => {
    const after = large?.get(name) ?? { ms: Number.NaN, besideMs: Number.NaN }
    const [ratio, beside] = [after.ms / before.ms, after.besideMs / before.besideMs]
    const cells = [before.ms.toFixed(1), after.ms.toFixed(1), ratio.toFixed(2), beside.toFixed(2)]
    return `  ${name.padEnd(26)}${cells.map((cell) => cell.padStart(10)).join('')}`
  })
  const head = ['10,000 ms', '400,000 ms', 'ratio', 'account']
  return [
    `Reads of one partner over HTTP, one client, median p50 of ${rounds} rounds, with 10,000 and with 400,000 payouts (aim: a ratio of at most 2.00).`,
    '"account" is the ratio for GET /v1/account, measured alongside: it shows how much busier the machine was.',
    `  ${''.padEnd(26)}${head
      .map((cell) => cell.padStart(11))
      .join('')
      .slice(1)}`,
    ...rows,
  ]
}

/**
 * Alternates between both cases, because machines are noisy. The flood consists of clients that send the next search
 * after each response.
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
