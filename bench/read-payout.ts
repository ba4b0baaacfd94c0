// GET /v1/payouts/{id} with authentication, against a bare Koa handler that does the same one SELECT: a ratio in one run.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'pg'
import { environment } from '../config'
import { load, type Measured } from './load'
import { dist, type System } from './system'

const rounds = 7
const seconds = 3
const clients = 16

export async function readPayout(system: System): Promise<string[]> {
  const id = await insertPayout(system)
  system.ops('partner', 'set', '--partner', 'demo', '--rate-limit-sandbox', '10000')
  const barePort = system.port + 1
  const bare = fork(dist('bench/bare-koa.js'), {
    env: { ...environment(), DATABASE_URL: system.databaseUrl, PORT: String(barePort) },
  })
  await once(bare, 'message')

  const path = `/v1/payouts/${id}`
  const ours: Measured[] = []
  const bares: Measured[] = []
  for (let round = 0; round <= rounds; round++) {
    const [bareRound, ourRound] = [
      await load({ port: barePort, path, headers: {} }, { clients, seconds }),
      await load(
        { port: system.port, path, headers: { Authorization: `Bearer ${system.sandboxKey}` } },
        { clients, seconds },
      ),
    ]
    // The first round only warms both up.
    if (round > 0) {
      bares.push(bareRound)
      ours.push(ourRound)
    }
  }
  bare.kill()
  const ratio = median(ours.map((our, n) => our.perSecond / (bares[n]?.perSecond ?? Number.NaN)))
  return [
    `GET /v1/payouts/{id}, ${clients} clients, median of ${rounds} interleaved rounds of ${seconds} s`,
    row('bare Koa + one SELECT', bares),
    row('ours, authenticated', ours),
    `  ratio of requests per second: ${ratio.toFixed(2)} (aim: at least 0.50)`,
  ]
}

function row(name: string, measured: readonly Measured[]): string {
  const of = (field: keyof Measured) => median(measured.map((each) => each[field]))
  const perSecond = of('perSecond').toFixed(0).padStart(6)
  return `  ${name.padEnd(24)}${perSecond}/s   p50 ${of('p50Ms').toFixed(2)} ms   p99 ${of('p99Ms').toFixed(2)} ms`
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function insertPayout({ databaseUrl, partnerId }: System): Promise<string> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, idempotency_key, fingerprint, fingerprint_key_id,
         field_fingerprints, status, reference, country, created_via, created_by, amount_pence, fee_pence,
         fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, bank_key,
         verdict_at, created_at, updated_at)
       SELECT gen_random_uuid(), partner_id, environment, id, rail, 'bench-payout', '\\x00', 'k1', '{}', 'processing',
         'Invoice 1042', 'GB', 'api', 'bench', 12000, 219, 110, 153300000, 790000000, 'Ada Lovelace', '7890',
         gen_random_uuid(), now(), now(), now()
       FROM wallets WHERE partner_id = $1 AND environment = 'sandbox' RETURNING id`,
      [partnerId],
    )
    return rows[0]?.id ?? ''
  } finally {
    await client.end()
  }
}
