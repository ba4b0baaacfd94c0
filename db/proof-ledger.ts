// What our own books say against themselves, each question in one statement and so of one moment: nothing under way disturbs it.
import type { Finding } from '../domain/drift'
import type { Queryable, Statement, Tx } from './database'

/** In a transaction of its own: a wallet with millions of entries takes longer than a caller would wait. */
export async function findLedgerDrifts(tx: Tx, walletId: string): Promise<Finding[]> {
  await tx.query(allowLong, [String(statementMs)])
  const found: Finding[] = []
  for (const question of [balances, setSums, payoutLedgers]) {
    found.push(...(await tx.query<Finding>(question, [walletId])))
  }
  return found
}

/** Payouts that are not over and of which nothing was heard for longer than they may take. */
export async function findSilentPayouts(
  db: Queryable,
  { sentBefore, unknownBefore, limit }: { sentBefore: Date; unknownBefore: Date; limit: number },
): Promise<Finding[]> {
  return db.query<Finding>(silent, [sentBefore, unknownBefore, limit])
}

const statementMs = 120_000
const answerMs = statementMs + 2_000

const allowLong: Statement = { name: 'proof-prepare', text: `SELECT set_config('statement_timeout', $1, true)` }

const balances: Statement = {
  name: 'proof-balance',
  answerMs,
  text: `SELECT 'wallet_balance' AS kind, id AS "walletId", id::text AS subject, 'entries sum to ' || total AS expected,
      'balance ' || balance_micro_usdc || ', last entry ' || last AS found
    FROM (
      SELECT w.id, w.balance_micro_usdc,
        (SELECT coalesce(sum(e.amount_micro_usdc), 0) FROM ledger_entries e WHERE e.account_id = a.id) AS total,
        coalesce((SELECT e.balance_micro_usdc FROM ledger_entries e WHERE e.account_id = a.id ORDER BY e.id DESC LIMIT 1),
          0) AS last
      FROM wallets w JOIN ledger_accounts a ON a.wallet_id = w.id AND a.kind = 'wallet' AND a.currency = 'USDC'
      WHERE w.id = $1
    ) told
    WHERE balance_micro_usdc <> total OR balance_micro_usdc <> last`,
}

const setSums: Statement = {
  name: 'proof-sets',
  answerMs,
  text: `SELECT 'set_sum' AS kind, s.wallet_id AS "walletId", s.id::text AS subject, '0' AS expected,
      coalesce(sum(e.amount_micro_usdc)::text, 'no entries') AS found
    FROM ledger_sets s LEFT JOIN ledger_entries e ON e.set_id = s.id LEFT JOIN ledger_accounts a ON a.id = e.account_id
    WHERE s.wallet_id = $1
    GROUP BY s.id, a.currency HAVING coalesce(sum(e.amount_micro_usdc), 1) <> 0 ORDER BY s.id LIMIT 1000`,
}

// A payout's status and its entries change in one transaction, so they agree in every moment.
const payoutLedgers: Statement = {
  name: 'proof-payouts',
  answerMs,
  text: `SELECT 'payout_ledger' AS kind, wallet_id AS "walletId", id::text AS subject,
      CASE WHEN gone THEN 'nothing moved' WHEN closed THEN status || ', sends ' || sends || ', nothing in transit'
        ELSE status || ', sends ' || sends END AS expected,
      'wallet ' || wallet || ', in transit ' || transit || ', paid out ' || paid || ', ' || debits || ' debits, '
        || credits || ' credits' AS found
    FROM (
      SELECT p.id, p.wallet_id, p.status, p.wallet_sends_micro_usdc AS sends, p.closed_at IS NOT NULL AS closed,
        p.released_at IS NOT NULL OR p.status = 'cancelled' AS gone,
        coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'wallet'), 0) AS wallet,
        coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'in_transit'), 0) AS transit,
        coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'paid_out'), 0) AS paid,
        count(DISTINCT s.id) FILTER (WHERE s.cause = 'debit') AS debits,
        count(DISTINCT s.id) FILTER (WHERE s.cause IN ('reversal', 'refund', 'return')) AS credits
      FROM payouts p LEFT JOIN ledger_sets s ON s.payout_id = p.id LEFT JOIN ledger_entries e ON e.set_id = s.id
      LEFT JOIN ledger_accounts a ON a.id = e.account_id
      WHERE p.wallet_id = $1 GROUP BY p.id
    ) moved
    WHERE credits > debits OR CASE
      WHEN gone THEN wallet <> 0 OR transit <> 0
      WHEN status IN ('processing', 'completed') AND wallet <> -sends THEN true
      WHEN status = 'pending' AND wallet NOT IN (0, -sends) THEN true
      WHEN closed THEN transit <> 0 OR paid <> CASE status WHEN 'completed' THEN sends ELSE 0 END
      ELSE false END
    ORDER BY id LIMIT 1000`,
}

// While sending is paused, what was not sent yet waits for people and not in silence.
const silent: Statement = {
  name: 'proof-silent',
  text: `SELECT 'silent_payout' AS kind, p.wallet_id AS "walletId", p.id::text AS subject,
      'news since ' || to_char(deadline AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expected,
      p.status || ', last heard of ' || to_char(heard AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS found
    FROM payouts p
    CROSS JOIN LATERAL (SELECT CASE WHEN p.transfer_ref IS NULL THEN $2::timestamptz ELSE $1::timestamptz END AS deadline) d
    CROSS JOIN LATERAL (SELECT greatest(p.created_at, p.returned_at,
      (SELECT max(e.at) FROM payout_events e WHERE e.payout_id = p.id AND e.kind <> 'attention'),
      (SELECT max(r.resumed_at) FROM rail_pauses r WHERE r.environment = p.environment)) AS heard) h
    WHERE p.released_at IS NULL AND p.closed_at IS NULL AND heard < deadline
      AND p.created_at < greatest($1::timestamptz, $2::timestamptz)
      AND NOT (p.submit_started_at IS NULL
        AND EXISTS (SELECT FROM rail_pauses r WHERE r.environment = p.environment AND r.resumed_at IS NULL))
    ORDER BY p.created_at LIMIT $3`,
}
