// Compares GET /v1/payouts/{id} with authentication to a bare Koa handler that runs the same single SELECT.
import { Client } from 'pg'
import { getText, runLoad } from '../load'
import { type Measured, medianOf, ratioOf } from '../measured'
import { type System, startChild } from '../system'

const rounds = 5
const seconds = 2
const clients = 16

export async function measureRead(system: System): Promise<string[]> {
  const id = await insertPayout(system)
  system.ops('partner', 'set', '--partner', 'demo', '--rate-limit-sandbox', '10000')
  const barePort = system.port + 1
  const bare = await startChild('bench/bare/koa.js', { DATABASE_URL: system.databaseUrl, PORT: String(barePort) })

  const path = `/v1/payouts/${id}`
  const bareText = getText({ path, headers: {} })
  const ourText = getText({ path, headers: { Authorization: `Bearer ${system.sandboxKey}` } })
  const ours: Measured[] = []
  const bares: Measured[] = []
  for (let round = 0; round <= rounds; round++) {
    const bareRound = await runLoad({ port: barePort, next: () => bareText, status: 200 }, { clients, seconds })
    const ourRound = await runLoad({ port: system.port, next: () => ourText, status: 200 }, { clients, seconds })
    // The first round is a warm-up.
    if (round > 0) {
      bares.push(bareRound)
      ours.push(ourRound)
    }
  }
  await bare.stop()
  const ratio = ratioOf(ours, bares, 'perSecond')
  return [
    `GET /v1/payouts/{id}, ${clients} clients, median of ${rounds} interleaved rounds of ${seconds} s`,
    row('bare Koa + one SELECT', bares),
    row('ours, authenticated', ours),
    `  ratio of requests per second: ${ratio.toFixed(2)} (aim: at least 0.50)`,
  ]
}

function row(name: string, measured: readonly Measured[]): string {
  const of = (field: keyof Measured) => medianOf(measured, field)
  const perSecond = of('perSecond').toFixed(0).padStart(6)
  return `  ${name.padEnd(24)}${perSecond}/s   p50 ${of('p50Ms').toFixed(2)} ms   p99 ${of('p99Ms').toFixed(2)} ms`
}

async function insertPayout({ databaseUrl, partnerId }: System): Promise<string> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, idempotency_key, fingerprint, fingerprint_key_id,
         field_fingerprints, status, reference, country, created_via, created_by, amount_pence, fee_pence,
         fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, bank_key,
         verdict_at, created_at, updated_at, closed_at, completed_at)
       SELECT gen_random_uuid(), partner_id, environment, id, rail, 'bench-payout', '\\x00', 'k1', '{}', 'completed',
         'Invoice 1042', 'GB', 'api', 'bench', 12000, 219, 110, 153300000, 790000000, 'Ada Lovelace', '7890',
         gen_random_uuid(), now(), now(), now(), now(), now()
       FROM wallets WHERE partner_id = $1 AND environment = 'sandbox' RETURNING id`,
      [partnerId],
    )
    return rows[0]?.id ?? ''
  } finally {
    await client.end()
  }
}
