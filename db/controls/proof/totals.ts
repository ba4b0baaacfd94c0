// Recounts a wallet's payouts for some months, to verify the totals that triggers maintain.
import type { Finding } from '../../../domain/controls/drift'
import type { Tx } from '../../database'
import { identifier, type Sql, sql } from '../../sql'

export interface TotalsToVerify {
  readonly walletId: string
  /** The time of the previous proof. Null recounts every month. */
  readonly since: Date | null
  readonly at: Date
}

/**
 * Recounts the months with an open drift, and, if a recount is due, the current month and one other month in rotation.
 * A recount costs as much as a month and all recipients of the wallet. So that the average cost of a proof does not
 * grow with the history, a wallet with more payouts is recounted less often, but at least once a day.
 */
export async function findTotalsDrifts(tx: Tx, toVerify: TotalsToVerify): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const month of await listMonths(tx, toVerify)) {
    findings.push(...(await compareMonth(tx, toVerify.walletId, month)))
  }
  return findings
}

/** The default interval between proofs. With another interval, the rotation may repeat or skip a month. */
const turnMs = 15 * 60_000
/** Up to this many payouts, every proof recounts two months. Ten times as many payouts are recounted every ten turns. */
const payoutsPerTurn = 5_000
const turnsPerDay = 96
const answerMs = 122_000

async function listMonths(tx: Tx, { walletId, since, at }: TotalsToVerify): Promise<string[]> {
  const [turn, before] = [turnAt(at, walletId), since && turnAt(since, walletId)]
  const rows = await tx.sql<{ month: string }>`WITH bounds AS (
      SELECT london_month(${at}::timestamptz) AS current, least(
        (SELECT london_month(min(p.created_at)) FROM payouts p WHERE ${isOfWallet('p')} AND ${isVisible}),
        (SELECT min(t.month) FROM payout_months t WHERE ${isOfWallet('t')})) AS first, (
        SELECT greatest(1, least(${turnsPerDay}::bigint, ceil(coalesce(sum(t.created), 0) / ${payoutsPerTurn}::numeric)))::bigint
        FROM payout_months t WHERE ${isOfWallet('t')}) AS turns
      FROM wallets w WHERE w.id = ${walletId}
    ), due AS (
      SELECT current, first, ${turn}::bigint / turns AS period, ${before}::bigint IS NULL AS is_full,
        turns = 1 OR ${turn}::bigint / turns > ${before}::bigint / turns AS is_due
      FROM bounds
    ), months AS (
      SELECT month::date, row_number() OVER (ORDER BY month) - 1 AS place, count(*) OVER () AS months, period, is_full, is_due
      FROM due, generate_series(first::timestamp, current, interval '1 month') AS month
    )
    SELECT current AS month FROM due WHERE is_full OR is_due
    UNION SELECT month FROM months WHERE is_full OR (is_due AND place = period % months)
    UNION SELECT (split_part(subject, ' ', 2) || '-01')::date FROM drifts
      WHERE wallet_id = ${walletId} AND kind = 'payout_totals' AND resolved_at IS NULL
    ORDER BY 1`
  return rows.map(({ month }) => month)
}

/** Numbers the turns. Each wallet has its own offset, so that large wallets are recounted at different times. */
function turnAt(at: Date, walletId: string): number {
  return Math.floor(at.getTime() / turnMs) + (parseInt(walletId.slice(-8), 16) % turnsPerDay)
}

/**
 * Uses one statement, and so one snapshot, because a payout and its totals change in one transaction. A recipient's
 * last dates must not be earlier than those of any of its months, and must equal those of the month they fall in.
 */
async function compareMonth(tx: Tx, walletId: string, month: string): Promise<Finding[]> {
  return tx.run<Finding>(
    sql`WITH w AS MATERIALIZED (SELECT id, partner_id, environment FROM wallets WHERE id = ${walletId}
    ), counted AS (
      SELECT (SELECT count(*) FROM w JOIN payouts p ON ${isOfWallet('p')} WHERE ${isVisible} AND ${isIn(month, sql`p.created_at`)}) AS created,
        count(p.id) AS completed, coalesce(sum(p.amount_pence), 0) AS paid, coalesce(sum(p.fee_pence), 0) AS fees
      FROM w JOIN payouts p ON ${isOfWallet('p')}
      WHERE ${isVisible} AND p.status = 'completed' AND ${isIn(month, sql`p.completed_at`)}
    ), kept AS (
      SELECT coalesce(sum(t.created), 0) AS created, coalesce(sum(t.completed), 0) AS completed,
        coalesce(sum(t.paid_pence), 0) AS paid, coalesce(sum(t.fees_pence), 0) AS fees
      FROM w JOIN payout_months t ON ${isOfWallet('t')} WHERE t.month = ${month}::date
    ), recipients AS (
      SELECT p.account_hash, count(*) AS payouts, count(*) FILTER (WHERE p.status = 'completed') AS completed,
        coalesce(sum(p.amount_pence) FILTER (WHERE p.status = 'completed'), 0) AS paid_pence,
        max(p.created_at) AS last_created_at, max(p.completed_at) FILTER (WHERE p.status = 'completed') AS last_completed_at,
        (array_agg(p.created_at ORDER BY p.completed_at DESC, p.created_at DESC)
          FILTER (WHERE p.status = 'completed'))[1] AS paid_created_at
      FROM w JOIN payouts p ON ${isOfWallet('p')}
      WHERE ${isVisible} AND p.status NOT IN ('failed', 'cancelled') AND p.account_hash IS NOT NULL AND ${isIn(month, sql`p.created_at`)}
      GROUP BY p.account_hash
    ), months AS (
      SELECT m.* FROM w JOIN recipient_months m ON ${isOfWallet('m')} WHERE m.month = ${month}::date
    ), wrong AS (
      SELECT count(DISTINCT account_hash) AS wrong FROM (
        SELECT account_hash FROM recipients r FULL JOIN months m USING (account_hash)
        WHERE (r.payouts, r.completed, r.paid_pence, r.last_created_at, r.last_completed_at, r.paid_created_at)
          IS DISTINCT FROM (m.payouts, m.completed, m.paid_pence, m.last_created_at, m.last_completed_at, m.paid_created_at)
        UNION ALL
        SELECT account_hash FROM months m
        FULL JOIN (SELECT t.* FROM w JOIN recipient_totals t ON ${isOfWallet('t')}) t USING (account_hash)
        WHERE t.partner_id IS NULL OR t.last_paid_at <> coalesce(t.last_completed_at, t.last_created_at)
          OR t.last_created_at < m.last_created_at
          OR (m.last_completed_at IS NOT NULL AND coalesce((t.last_completed_at, t.paid_created_at)
            < (m.last_completed_at, m.paid_created_at), true))
          OR (${isIn(month, sql`t.last_created_at`)} AND t.last_created_at IS DISTINCT FROM m.last_created_at)
          OR (${isIn(month, sql`t.paid_created_at`)} AND (t.last_completed_at, t.paid_created_at)
            IS DISTINCT FROM (m.last_completed_at, m.paid_created_at))
      ) each
    )
    SELECT 'payout_totals' AS kind, w.id AS wallet_id, w.id || ' ' || to_char(${month}::date, 'YYYY-MM') AS subject,
      ${summaryOf(sql`counted`, sql`0`)} AS expected, ${summaryOf(sql`kept`, sql`wrong.wrong`)} AS found,
      concat_ws(' ', kept.created - counted.created, kept.completed - counted.completed, kept.paid - counted.paid,
        kept.fees - counted.fees, wrong.wrong) AS size
    FROM w, counted, kept, wrong
    WHERE (kept.created, kept.completed, kept.paid, kept.fees) <> (counted.created, counted.completed, counted.paid, counted.fees)
      OR wrong.wrong > 0`,
    { answerMs },
  )
}

function isOfWallet(alias: 'p' | 't' | 'm'): Sql {
  return sql`${identifier(alias)}.partner_id = w.partner_id AND ${identifier(alias)}.environment = w.environment`
}

const isVisible = sql`p.released_at IS NULL AND (p.verdict_at IS NOT NULL OR p.answered_at IS NOT NULL)`

function isIn(month: string, time: Sql): Sql {
  return sql`${time} >= london_month_start(${month}::date)
    AND ${time} < london_month_start((${month}::date + interval '1 month')::date)`
}

function summaryOf(counts: Sql, wrong: Sql): Sql {
  return sql`concat(${counts}.created, ' created, ', ${counts}.completed, ' completed, ', ${inPounds(sql`${counts}.paid`)}, ' paid, ',
    ${inPounds(sql`${counts}.fees`)}, ' fees, ', ${wrong}, ' recipients differ')`
}

function inPounds(pence: Sql): Sql {
  return sql`trim_scale(round(${pence} / 100.0, 2)) || ' GBP'`
}
