// Compares authenticated reads to a bare Koa handler that runs one SELECT of the same rows.
import { Client } from 'pg'
import { choosePort } from '../../local/ports'
import { getText, runLoad } from '../load'
import { type Measured, median, medianOf, ratioOf } from '../measured'
import { type ChildProgram, cpuMsOf, type System, startChild } from '../system'

const rounds = 5
const seconds = 2
const clients = 16
const aim = 0.7

interface Server {
  readonly port: number
  readonly child: ChildProgram
}

interface Round {
  readonly load: Measured
  readonly cpuMicros: number
}

export async function measureReads(system: System): Promise<string[]> {
  const id = await insertPayouts(system)
  system.ops('partner', 'set', '--partner', 'demo', '--rate-limit-sandbox', '10000')
  const { databaseUrl: DATABASE_URL, partnerId: PARTNER_ID, env } = system
  const bare = await start('bench/bare/koa.js', { DATABASE_URL, PARTNER_ID })
  // One partner's reads of its history usually take turns. Here they have as many connections as the bare handler.
  const ours = await start('api/main.js', { ...env, READS_PER_PARTNER: '16', DATABASE_READ_POOL_SIZE: '10' })
  const lines = [`Reads, ${clients} clients, medians of ${rounds} interleaved rounds of ${seconds} s:`]
  try {
    for (const path of [`/v1/payouts/${id}`, '/v1/payouts', '/v1/balance'])
      lines.push(...(await measure(path, { bare, ours, key: system.sandboxKey })))
  } finally {
    await Promise.all([bare.child.stop(), ours.child.stop()])
  }
  return lines
}

async function start(main: string, env: System['env']): Promise<Server> {
  const port = await choosePort(0)
  return { port, child: await startChild(main, { ...env, PORT: String(port) }) }
}

async function measure(path: string, servers: { bare: Server; ours: Server; key: string }): Promise<string[]> {
  const bareText = getText({ path, headers: {} })
  const ourText = getText({ path, headers: { Authorization: `Bearer ${servers.key}` } })
  const bares: Round[] = []
  const ours: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const bareRound = await takeRound(servers.bare, bareText)
    const ourRound = await takeRound(servers.ours, ourText)
    // The first round is a warm-up.
    if (round > 0) {
      bares.push(bareRound)
      ours.push(ourRound)
    }
  }
  const loads = (taken: readonly Round[]) => taken.map(({ load }) => load)
  const ratio = ratioOf(loads(ours), loads(bares), 'perSecond').toFixed(2)
  const cpuRatio = median(ours.map(({ cpuMicros }, n) => (bares[n]?.cpuMicros ?? Number.NaN) / cpuMicros)).toFixed(2)
  return [
    `  GET ${path.replace(/[0-9a-f-]{36}/, '{id}')}`,
    row('bare Koa + one SELECT', bares),
    row('ours, authenticated', ours),
    `    ratio of requests per second: ${ratio} (aim: at least ${aim}), of requests per CPU second: ${cpuRatio}`,
  ]
}

async function takeRound({ port, child: { pid } }: Server, text: string): Promise<Round> {
  const before = cpuMsOf(pid)
  const load = await runLoad({ port, next: () => text, status: 200 }, { clients, seconds })
  return { load, cpuMicros: ((cpuMsOf(pid) - before) / load.count) * 1_000 }
}

function row(name: string, taken: readonly Round[]): string {
  const loads = taken.map(({ load }) => load)
  const of = (field: keyof Measured) => medianOf(loads, field)
  const perSecond = of('perSecond').toFixed(0).padStart(6)
  const cpu = median(taken.map(({ cpuMicros }) => cpuMicros)).toFixed(0)
  return `    ${name.padEnd(24)}${perSecond}/s   p50 ${of('p50Ms').toFixed(2)} ms   p99 ${of('p99Ms').toFixed(2)} ms   CPU ${cpu} µs`
}

/** Inserts more completed payouts than a page holds. Returns the ID of one of them. */
async function insertPayouts({ databaseUrl, partnerId }: System): Promise<string> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, idempotency_key, fingerprint, fingerprint_key_id,
         field_fingerprints, status, reference, country, created_via, created_by, amount_pence, fee_pence,
         fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, bank_key,
         verdict_at, created_at, updated_at, closed_at, completed_at)
       SELECT gen_random_uuid(), partner_id, environment, id, rail, 'bench-payout-' || number, '\\x00', 'k1', '{}',
         'completed', 'Invoice ' || number, 'GB', 'api', 'bench', 12000, 219, 110, 153300000, 790000000, 'Ada Lovelace',
         '7890', gen_random_uuid(), now(), now(), now(), now(), now()
       FROM wallets, generate_series(1, 60) AS number WHERE partner_id = $1 AND environment = 'sandbox' RETURNING id`,
      [partnerId],
    )
    return rows[0]?.id ?? ''
  } finally {
    await client.end()
  }
}
