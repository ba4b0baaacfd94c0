// I1–I3 for the ledger: sums, balances, one debit per attempt, and at most one credit per debit. Also checks the
// charges and credits of each payout.
import type { Records } from './records'

export async function ledgerRules(records: Records): Promise<string[]> {
  const found: string[] = []
  for (const { rule, sql } of rules) {
    const rows: { what: string }[] = await records.query(sql)
    found.push(...rows.map(({ what }) => `${rule}: ${what}`))
  }
  return found
}

/** Throws if the ledger breaks a rule, for checks after each test. */
export async function requireValidLedger(records: Records): Promise<void> {
  const found = await ledgerRules(records)
  if (found.length > 0) throw new Error(found.join('\n'))
}

/** The amounts that each payout has moved in the wallet, in-transit and paid-out accounts. */
const moved = `
  SELECT p.id, p.attempt, p.status, p.released_at, p.closed_at, p.submit_started_at, p.wallet_sends_micro_usdc AS sends,
    coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'wallet'), 0) AS wallet,
    coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'in_transit'), 0) AS transit,
    coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'paid_out'), 0) AS paid
  FROM payouts p
  LEFT JOIN ledger_sets s ON s.payout_id = p.id
  LEFT JOIN ledger_entries e ON e.set_id = s.id
  LEFT JOIN ledger_accounts a ON a.id = e.account_id
  GROUP BY p.id`

const rules = [
  {
    rule: 'I1 every set sums to zero in each currency',
    sql: `SELECT s.id::text AS what FROM ledger_sets s
      LEFT JOIN ledger_entries e ON e.set_id = s.id LEFT JOIN ledger_accounts a ON a.id = e.account_id
      GROUP BY s.id, a.currency HAVING coalesce(sum(e.amount_micro_usdc), 1) <> 0`,
  },
  {
    rule: 'I2 a wallet holds the sum of its entries',
    sql: `SELECT w.id::text || ' holds ' || w.balance_micro_usdc AS what FROM wallets w
      LEFT JOIN ledger_accounts a ON a.wallet_id = w.id AND a.kind = 'wallet'
      LEFT JOIN ledger_entries e ON e.account_id = a.id
      GROUP BY w.id HAVING w.balance_micro_usdc <> coalesce(sum(e.amount_micro_usdc), 0)`,
  },
  {
    rule: 'I2 a wallet is never below zero, and each entry states the balance after it',
    sql: `SELECT 'entry ' || id || ' says ' || coalesce(stated::text, 'nothing') || ', is ' || running AS what FROM (
        SELECT e.id, e.balance_micro_usdc AS stated,
          sum(e.amount_micro_usdc) OVER (PARTITION BY e.account_id ORDER BY e.id) AS running
        FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id WHERE a.kind = 'wallet'
      ) entries WHERE running < 0 OR stated IS DISTINCT FROM running`,
  },
  {
    rule: 'I3 one debit for each attempt',
    sql: `SELECT s.cause_ref || ' has ' || count(*) AS what FROM ledger_sets s
      WHERE s.cause = 'debit' GROUP BY s.payout_id, s.cause_ref HAVING count(*) > 1
      UNION ALL
      SELECT p.id || '/' || p.attempt || ' has none and is ' || p.status FROM payouts p
      WHERE p.status IN ('processing', 'completed', 'returned') AND NOT EXISTS (SELECT FROM ledger_sets s
        WHERE s.payout_id = p.id AND s.cause = 'debit' AND s.cause_ref = p.id || '/' || p.attempt)`,
  },
  {
    rule: 'I3 a debit is reversed at most once, and nothing else is',
    sql: `SELECT payout_id::text || ': ' || debits || ' debits, ' || credits || ' credits' AS what FROM (
        SELECT payout_id, count(*) FILTER (WHERE cause = 'debit') AS debits,
          count(*) FILTER (WHERE cause IN ('reversal', 'refund', 'return')) AS credits
        FROM ledger_sets WHERE payout_id IS NOT NULL GROUP BY payout_id
      ) sets WHERE credits > debits
      UNION ALL
      SELECT s.cause_ref || ' was reversed and never debited' FROM ledger_sets s WHERE s.cause = 'reversal'
        AND NOT EXISTS (SELECT FROM ledger_sets d WHERE d.cause = 'debit' AND d.cause_ref = s.cause_ref)`,
  },
  {
    rule: 'I3 a refused or cancelled payout has debited nothing',
    sql: `SELECT id::text || ' moved ' || wallet AS what FROM (${moved}) m
      WHERE (released_at IS NOT NULL OR status = 'cancelled') AND (wallet <> 0 OR transit <> 0)`,
  },
  {
    rule: 'I3 a payout in flight or delivered has debited the amount it sends, once',
    sql: `SELECT id::text || ' moved ' || wallet || ' and sends ' || sends AS what FROM (${moved}) m
      WHERE status IN ('processing', 'completed') AND wallet <> -sends`,
  },
  {
    rule: 'I3 a final payout leaves nothing in transit',
    sql: `SELECT id::text || ' (' || status || ') leaves ' || transit AS what FROM (${moved}) m
      WHERE closed_at IS NOT NULL AND (transit <> 0 OR paid <> CASE status WHEN 'completed' THEN sends ELSE 0 END)`,
  },
  {
    rule: 'a completed live payout is charged once, and nothing else is',
    sql: `SELECT p.id::text || ' (' || p.environment || ' ' || p.status || ') has ' || count(c.id) AS what FROM payouts p
      LEFT JOIN charges c ON c.payout_id = p.id AND c.kind = 'payout_fee'
      GROUP BY p.id HAVING count(c.id) <> CASE WHEN p.environment = 'live' AND p.completed_at IS NOT NULL THEN 1 ELSE 0 END`,
  },
  {
    rule: 'a returned live payout is charged at most one exception, and credited its fee if it had one',
    sql: `SELECT p.id::text || ' has ' || exceptions || ' exceptions and ' || credits || ' credits' AS what FROM payouts p
      CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE kind = 'exception' AND cause_ref = 'return/' || p.id) AS exceptions,
        count(*) FILTER (WHERE kind = 'credit' AND cause_ref = p.id::text) AS credits,
        count(*) FILTER (WHERE kind = 'payout_fee' AND amount_micropounds > 0) AS fees
        FROM charges c WHERE c.payout_id = p.id) charged
      CROSS JOIN LATERAL (SELECT p.environment = 'live' AND p.returned_at IS NOT NULL AS came_back) back
      WHERE exceptions > (came_back)::int OR credits <> CASE WHEN came_back THEN fees ELSE 0 END`,
  },
] as const
