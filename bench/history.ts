// Generates stored payouts with everything that belongs to them, for benchmarks and for tests of query plans.
import type { Client as Postgres } from 'pg'

export interface History {
  /** The partners whose slug starts with this text share the payouts evenly. */
  readonly slugs: string
  /** Payouts that already exist, and payouts afterwards. Even ones are live, odd ones are in the sandbox. */
  readonly from: number
  readonly to: number
}

const perPayout = 153_300_000

/** The first names of the generated recipients. */
export const firstNames =
  'Ada Grace Edsger Barbara Alan Donald Margaret Tony Radia Leslie Frances John Jean Ken Dennis Niklaus'.split(' ')

/**
 * Spreads the payouts over a year, with a tenth as many recipients. The rows pass a reconciliation: each live payout has
 * its ledger entries, events and charges. Past months are invoiced. Triggers are off, because there are many rows.
 */
export async function addHistory(sql: Postgres, history: History): Promise<void> {
  const { rows } = await sql.query<{ definition: string }>(
    `SELECT pg_get_indexdef('payouts_search_index'::regclass) AS definition`,
  )
  await sql.query('DROP INDEX payouts_search_index')
  await sql.query('SET session_replication_role = replica')
  await sql.query('BEGIN')
  // A running system must not seal the new rows, which get their links here.
  await sql.query('LOCK TABLE audit_chain IN EXCLUSIVE MODE')
  await sql.query(makePayouts(history))
  await sql.query('ANALYZE made')
  for (const statement of [...statements, 'DROP TABLE made', 'COMMIT']) await sql.query(statement)
  await sql.query('SET session_replication_role = origin')
  await sql.query(rows[0]?.definition ?? '')
  await sql.query(`SELECT rebuild_payout_totals(id) FROM partners WHERE slug LIKE '${history.slugs}%'`)
  await sql.query('VACUUM ANALYZE')
}

/** IDs start with their time, as in production, so payouts that were created together are stored together. */
const idAt = (at: string) =>
  `encode(overlay(uuid_send(gen_random_uuid()) PLACING substr(int8send((extract(epoch FROM ${at}) * 1000)::bigint), 3) FROM 1), 'hex')::uuid`

/** 53 and 97 share no factor with common numbers of partners. With 50, one of 100 partners got only failed payouts. */
const makePayouts = ({ slugs, from, to }: History) => `CREATE TEMP TABLE made AS
  WITH chosen AS (
    SELECT w.*, row_number() OVER (PARTITION BY w.environment ORDER BY partners.slug) - 1 AS place
    FROM wallets w JOIN partners ON partners.id = w.partner_id WHERE slug LIKE '${slugs}%'
  ), numbered AS MATERIALIZED (
    SELECT n, now() - interval '1 hour' - ((n * 0.6180339887) % 1) * interval '358 days' AS at,
      CASE WHEN n % 2 = 0 THEN 'live' ELSE 'sandbox' END AS environment,
      (n / 2) % (SELECT count(DISTINCT partner_id) FROM chosen) AS place,
      ('x' || substr(md5(n::text), 1, 7))::bit(28)::integer % ${Math.ceil(to / 10)} AS recipient
    FROM generate_series(${from + 1}, ${to}) AS n
  )
  SELECT n, ${idAt('at')} AS id, w.id AS wallet_id, w.partner_id, w.environment, at, recipient,
    CASE WHEN w.environment = 'live' THEN 'completed' WHEN n % 53 = 1 THEN 'failed' WHEN n % 97 = 1 THEN 'returned'
      ELSE 'completed' END AS status,
    row_number() OVER (PARTITION BY w.id ORDER BY at) AS nth, w.balance_micro_usdc
  FROM numbered JOIN chosen w USING (environment, place)`

const seller = { name: 'Payouts Ltd', email: 'billing@payouts.test', companyNumber: null, vat: null }
const invoiceDocument = {
  seller: { ...seller, addressLines: ['London'], paymentLines: ['Sort code 00-00-00'] },
  buyer: { name: 'Bench', addressLines: [] },
}

const statements: readonly string[] = [
  `INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, idempotency_key, fingerprint, fingerprint_key_id,
      field_fingerprints, status, failure_reason, reference, country, created_via, created_by, amount_pence, fee_pence,
      fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, account_hash,
      account_hash_key_id, bank_key, transfer_ref, transfer_state, submit_started_at, verdict, verdict_at, created_at,
      updated_at, closed_at, completed_at, returned_at)
    SELECT id, partner_id, environment, wallet_id,
      CASE environment WHEN 'live' THEN 'provider_production' ELSE 'simulated' END, 'history-' || n, sha256(n::text::bytea), 'k1', '{}', status,
      CASE WHEN status = 'failed' THEN 'invalid_account: The bank rejected the account details.' END, 'Invoice ' || n,
      'GB', 'api', 'bench', CASE environment WHEN 'live' THEN 12000 ELSE 10000 + n % 1000 END, 219, 110, ${perPayout},
      790000000, ('{${firstNames.join()}}'::text[])[1 + recipient % 16] || ' '
        || initcap(substr(translate(md5((recipient / 16)::text), '0123456789', 'ghijklmnop'), 1, 7)),
      lpad((recipient % 10000)::text, 4, '0'), sha256(('account ' || recipient)::bytea), 'k1', gen_random_uuid(),
      'history-' || n, 'delivered', at, 'accepted', at, at, at + interval '1 min', at + interval '1 min',
      CASE WHEN status <> 'failed' THEN at + interval '1 min' END,
      CASE WHEN status = 'returned' THEN at + interval '1 min' END
    FROM made ORDER BY at`,
  `INSERT INTO sealed_recipients (payout_id, key_id, sealed)
      SELECT id, 'k1', decode(repeat(md5(n::text), 16), 'hex') FROM made WHERE at > now() - interval '90 days' ORDER BY at`,
  `INSERT INTO payout_events (payout_id, at, kind, status, made_by)
      SELECT id, at, kind, event.status, 'bank' FROM made,
        (VALUES (1, 'created', 'pending'), (2, 'processing', 'processing'), (3, 'completed', 'completed'))
          AS event (place, kind, status)
      ORDER BY at, n, place`,
  `INSERT INTO bank_events (id, environment, event_id, category, object_ref, object_state, payout_id, received_at,
        handled_at, outcome)
      SELECT ${idAt('at')}, environment, n || '/' || state, 'transfer', 'history-' || n, state, id, at, at, 'woken'
      FROM made, (VALUES ('processing'), ('delivered')) AS event (state) ORDER BY at`,
  `INSERT INTO activity (partner_id, at, environment, action, changes, status, made_by, detail)
      SELECT partner_id, at, environment, CASE call WHEN 1 THEN 'payout.create' ELSE 'payout.read' END, call = 1,
        CASE call WHEN 1 THEN 201 ELSE 200 END, 'key:kp_bench', id::text FROM made, generate_series(1, 2) AS call
      ORDER BY at`,
  `INSERT INTO charges (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at)
      SELECT ${idAt('at')}, partner_id, kind, id::text, id, amount, london_month(at), at
      FROM made, (VALUES ('payout_fee', 1090000), ('network_fee', 22000)) AS charge (kind, amount)
      WHERE environment = 'live' ORDER BY at`,
  `INSERT INTO invoices (id, partner_id, period, number, status, total_pence, issued_at, due_at, paid_at, mailed_at,
        created_at, document)
      SELECT gen_random_uuid(), partner_id, month, 'INV-' || partner_id || '-' || month, 'paid', 0, now(), now(), now(),
        now(), now(), '${JSON.stringify(invoiceDocument)}'
      FROM (SELECT DISTINCT partner_id, month FROM charges WHERE month < london_month(now())) billed
      ON CONFLICT DO NOTHING`,
  `INSERT INTO invoice_charges (invoice_id, charge_id)
      SELECT invoices.id, charges.id FROM made JOIN charges ON charges.payout_id = made.id
      JOIN invoices ON invoices.partner_id = charges.partner_id AND invoices.period = charges.month`,
  `INSERT INTO uninvoiced_charges (charge_id, partner_id, month, kind, amount_micropounds)
      SELECT charges.id, charges.partner_id, month, kind, amount_micropounds FROM made
      JOIN charges ON charges.payout_id = made.id WHERE month = london_month(now())`,
  `UPDATE partners SET billed_until = london_month(now()) - interval '1 month'
      WHERE id IN (SELECT partner_id FROM made)`,
  // One large deposit per generation, so that the wallet covers every payout.
  `WITH deposits AS (
        INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, bank_ref, created_by, created_at)
        SELECT gen_random_uuid(), wallet_id, 'deposit', 'bench/' || min(n), 'bench/' || min(n), 'bench', min(at) FROM made
        WHERE environment = 'live' GROUP BY wallet_id RETURNING id, wallet_id
      )
      INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT deposits.id, a.id, CASE a.kind WHEN 'wallet' THEN total ELSE -total END,
        CASE a.kind WHEN 'wallet' THEN balance + total END
      FROM deposits JOIN (SELECT wallet_id, max(balance_micro_usdc) AS balance, count(*) * ${perPayout}::bigint AS total
        FROM made GROUP BY wallet_id) sums USING (wallet_id)
      JOIN ledger_accounts a ON a.wallet_id = deposits.wallet_id AND a.kind IN ('wallet', 'top_ups')`,
  `WITH sets AS (
        INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, created_by, created_at)
        SELECT ${idAt('at')}, wallet_id, cause, id || '/1', id, 'bench', at
        FROM made, (VALUES ('debit'), ('settled')) AS step (cause) WHERE environment = 'live' ORDER BY at
        RETURNING id, wallet_id, cause, payout_id
      )
      INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT sets.id, a.id, posting.amount, CASE WHEN posting.kind = 'wallet'
        THEN made.balance_micro_usdc + ${perPayout}::bigint * (count(*) FILTER (WHERE posting.kind = 'wallet') OVER (PARTITION BY made.wallet_id) - made.nth) END
      FROM sets JOIN made ON made.id = sets.payout_id
      JOIN (VALUES ('debit', 'wallet', -${perPayout}), ('debit', 'in_transit', ${perPayout}),
        ('settled', 'in_transit', -${perPayout}), ('settled', 'paid_out', ${perPayout})) AS posting (cause, kind, amount)
        ON posting.cause = sets.cause
      JOIN ledger_accounts a ON a.wallet_id = sets.wallet_id AND a.kind = posting.kind
      ORDER BY made.at, made.n, sets.cause`,
  // The hashes are not valid. The sealer reads only which rows have a link.
  `INSERT INTO audit_chain (sequence, table_name, row_id, row_hash, chain_hash, sealed_at)
      SELECT coalesce((SELECT max(sequence) FROM audit_chain), 0) + row_number() OVER (ORDER BY at), table_name, row_id,
        sha256(row_id::bytea), sha256(row_id::bytea), at
      FROM (
        SELECT 'ledger_sets' AS table_name, s.id::text AS row_id, s.created_at AS at FROM made
          JOIN ledger_sets s ON s.payout_id = made.id
        UNION ALL
        SELECT 'ledger_entries', e.id::text, s.created_at FROM made JOIN ledger_sets s ON s.payout_id = made.id
          JOIN ledger_entries e ON e.set_id = s.id
        UNION ALL
        SELECT 'charges', c.id::text, c.created_at FROM made JOIN charges c ON c.payout_id = made.id
        UNION ALL
        SELECT 'activity', a.id::text, a.at FROM made JOIN activity a ON a.detail = made.id::text AND a.changes
      ) sealed`,
  // After the generated rows, no sealer searches them again.
  `INSERT INTO audit_progress (id, passed_to, next_to, next_before, next_at)
      SELECT 1, max(sequence), max(sequence), 0, now() FROM audit_chain
      ON CONFLICT (id) DO UPDATE SET passed_to = excluded.passed_to, next_to = excluded.next_to`,
]
