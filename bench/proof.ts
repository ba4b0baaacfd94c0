// Measures the proof of one wallet's own books with 10,000 and with 100,000 ledger entries. Only ten payouts changed
// since the checkpoint.
import { Client as Postgres } from 'pg'
import { proveWallet } from '../activities/controls/proof/prove-wallets'
import { listWalletsToProve } from '../db/controls/proof/wallets'
import { openDatabase } from '../db/data-source'
import type { Db } from '../db/database'
import { createRails } from '../rail/rails'
import { systemClock } from '../runtime/clock'
import { loadOpsConfig } from '../runtime/config/config'
import { createLog } from '../runtime/log'
import { median } from './measured'
import type { System } from './system'

const sizes = [10_000, 100_000] as const
const entriesEach = 4
const changed = 10
const rounds = 15
const slug = 'bench-proof'

export async function measureProof(system: System, print: (lines: readonly string[]) => void): Promise<void> {
  system.ops('partner', 'create', '--name', 'Bench Proof', '--slug', slug, '--email', 'proof@payouts.test')
  const sql = new Postgres({ connectionString: system.databaseUrl })
  await sql.connect()
  const db = await openDatabase({ url: system.databaseUrl, poolSize: 2, onError: () => undefined })
  try {
    await addDeposit(sql)
    const measured: Times[] = []
    for (const [n, size] of sizes.entries()) {
      await addPayouts(sql, { from: (sizes[n - 1] ?? 0) / entriesEach, to: size / entriesEach })
      measured.push(await measure(system, { sql, db }))
    }
    print(linesOf(measured))
  } finally {
    await db.close()
    await sql.end()
  }
}

interface Times {
  readonly fullMs: number
  readonly changesMs: number
}

async function measure(system: System, { sql, db }: { sql: Postgres; db: Db }): Promise<Times> {
  const prove = await proving(system, db)
  const full: number[] = []
  const changes: number[] = []
  for (let round = 0; round < rounds; round++) {
    if (round < 3) full.push(await timed(() => prove('full')))
    await sql.query(
      `UPDATE payouts SET closed_at = closed_at + interval '1 second' WHERE id IN (SELECT p.id FROM payouts p
        JOIN partners ON partners.id = p.partner_id WHERE slug = $1 ORDER BY p.id OFFSET $2 LIMIT $3)`,
      [slug, round * changed, changed],
    )
    changes.push(await timed(() => prove('changes')))
  }
  return { fullMs: median(full), changesMs: median(changes) }
}

async function proving(system: System, db: Db): Promise<(depth: 'changes' | 'full') => Promise<void>> {
  const { bank, proof: limits } = loadOpsConfig(system.env)
  const rails = createRails({ bank, clock: systemClock, timeouts: { connectMs: 1_000, callMs: 1_000 } })
  const log = createLog({ level: 'error', name: 'bench' })
  const wallets = await listWalletsToProve(db, { environment: 'live', after: null, limit: 1_000 })
  const [ours] = await db.sql<{ id: string }>`SELECT w.id FROM wallets w JOIN partners ON partners.id = partner_id
    WHERE slug = ${slug} AND environment = 'live'`
  const wallet = wallets.find(({ id }) => id === ours?.id)
  if (wallet === undefined) throw new Error('there is no wallet to prove')
  return async (depth) => {
    const { outcome, drifts } = await proveWallet({ db, clock: systemClock, log, rails, limits }, wallet, {
      bank: 'there',
      depth,
    })
    if (outcome !== 'no_bank' || drifts > 0) throw new Error(`The proof returned ${outcome} with ${drifts} drifts.`)
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function linesOf(measured: readonly Times[]): string[] {
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(12)
  const rows = measured.map(
    ({ fullMs, changesMs }, n) =>
      `  ${String(sizes[n]).padStart(7)} entries${ms(changesMs)} for the changes${ms(fullMs)} in full`,
  )
  const [small, large] = measured
  const ratio = (of: keyof Times) => ((large?.[of] ?? Number.NaN) / (small?.[of] ?? Number.NaN)).toFixed(2)
  return [
    `A proof of one wallet's own books, ${changed} payouts changed since the checkpoint`,
    ...rows,
    `  ${sizes[1]} against ${sizes[0]} entries: ${ratio('changesMs')} for the changes (aim: at most 1.5), ${ratio('fullMs')} in full`,
  ]
}

const perPayout = 153_300_000

/** Makes one large deposit, so that the wallet covers every payout. */
async function addDeposit(sql: Postgres): Promise<void> {
  await sql.query(
    `SELECT post_ledger_set(w.id, gen_random_uuid(), 'deposit', 'bench', NULL, 'bench', 'bench', now(), '{wallet,top_ups}',
      ARRAY[$2::bigint, -$2::bigint]) FROM wallets w JOIN partners ON partners.id = partner_id
      WHERE slug = $1 AND environment = 'live'`,
    [slug, perPayout * (sizes[1] / entriesEach)],
  )
}

/**
 * Adds completed payouts, spread over a year, with their entries, events and charges. Triggers are off, because there
 * are many rows.
 */
async function addPayouts(sql: Postgres, { from, to }: { from: number; to: number }): Promise<void> {
  await sql.query('SET session_replication_role = replica')
  await sql.query(
    `CREATE TEMP TABLE made AS SELECT n, gen_random_uuid() AS id, w.id AS wallet_id, w.partner_id, w.balance_micro_usdc,
        now() - interval '1 hour' - ((n * 0.6180339887) % 1) * interval '358 days' AS at
      FROM wallets w JOIN partners ON partners.id = w.partner_id, generate_series($2::integer + 1, $3::integer) AS n
      WHERE slug = $1 AND w.environment = 'live'`,
    [slug, from, to],
  )
  await sql.query(
    `INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, idempotency_key, fingerprint, fingerprint_key_id,
        field_fingerprints, status, country, created_via, created_by, amount_pence, fee_pence, fee_in_transfer_pence,
        wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, bank_key, verdict, verdict_at, created_at,
        updated_at, closed_at, completed_at)
      SELECT id, partner_id, 'live', wallet_id, 'provider_production', 'history-' || n, sha256(n::text::bytea), 'k1', '{}',
        'completed', 'GB', 'api', 'bench', 12000, 219, 110, ${perPayout}, 790000000, 'Ada Lovelace', '5678',
        gen_random_uuid(), 'accepted', at, at, at, at, at FROM made`,
  )
  await sql.query(
    `INSERT INTO payout_events (payout_id, at, kind, status, made_by) SELECT id, at, 'completed', 'completed', 'bank' FROM made`,
  )
  await sql.query(
    `INSERT INTO charges (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at)
      SELECT gen_random_uuid(), partner_id, kind, id::text, id, amount, date_trunc('month', at)::date, at
      FROM made, (VALUES ('payout_fee', 1090000), ('network_fee', 22000)) AS charge (kind, amount)`,
  )
  await sql.query(
    `WITH sets AS (
        INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, created_by, created_at)
        SELECT gen_random_uuid(), wallet_id, cause, id || '/1', id, 'bench', at
        FROM made, (VALUES ('debit'), ('settled')) AS step (cause) RETURNING id, wallet_id, cause, payout_id
      )
      INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT sets.id, a.id, posting.amount,
        CASE WHEN posting.kind = 'wallet' THEN made.balance_micro_usdc - ${perPayout}::bigint * (made.n - $1::integer) END
      FROM sets JOIN made ON made.id = sets.payout_id
      JOIN (VALUES ('debit', 'wallet', -${perPayout}), ('debit', 'in_transit', ${perPayout}),
        ('settled', 'in_transit', -${perPayout}), ('settled', 'paid_out', ${perPayout})) AS posting (cause, kind, amount)
        ON posting.cause = sets.cause
      JOIN ledger_accounts a ON a.wallet_id = sets.wallet_id AND a.kind = posting.kind
      ORDER BY made.n, sets.cause`,
    [from],
  )
  await sql.query(
    `UPDATE wallets SET balance_micro_usdc = balance_micro_usdc - ${perPayout}::bigint * $1
      WHERE id = (SELECT wallet_id FROM made LIMIT 1)`,
    [to - from],
  )
  await sql.query('SELECT rebuild_payout_totals(partner_id) FROM made LIMIT 1')
  await sql.query('DROP TABLE made')
  await sql.query('SET session_replication_role = origin')
  await sql.query('VACUUM ANALYZE')
}
