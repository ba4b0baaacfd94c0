// Verifies our own books for a wallet, from its checkpoint or in full. Each comparison is one statement, so it
// sees one snapshot.
import type { Finding } from '../../../domain/controls/drift'
import type { Tx } from '../../database'
import { manualEventKinds } from '../../payouts/events'
import { type Sql, sql } from '../../sql'
import { findSuspenseAccount } from '../../wallets/wallets'
import {
  type Changes,
  type Checkpoint,
  countAllBookings,
  countBookings,
  dropCheckpoint,
  findCheckpoint,
  isBehind,
  lockProof,
  saveCheckpoint,
  sumSince,
  takeAllChanges,
  takeChanges,
} from './checkpoints'

interface LedgerDrifts {
  readonly findings: readonly Finding[]
  /** The sum of the wallet's entries without a bank movement. */
  readonly unnamedMicroUsdc: bigint
}

interface VerifiedLedger extends LedgerDrifts {
  /** The time of the checkpoint from which the changes were verified. Null if every row was verified. */
  readonly since: Date | null
}

interface LedgerToVerify {
  readonly walletId: string
  /** A checkpoint is used only if the last full verification was at this time or later. */
  readonly fullSince: Date
  readonly at: Date
}

/**
 * Needs its own transaction, because a full verification of a large wallet takes minutes. Verifies the changes since
 * the checkpoint, or every row if there is no usable checkpoint or a change fails a check. The checkpoint moves only if
 * there is no finding.
 */
export async function verifyLedger(tx: Tx, { walletId, fullSince, at }: LedgerToVerify): Promise<VerifiedLedger> {
  await allowLongStatements(tx)
  await lockProof(tx, walletId)
  const checkpoint = await findCheckpoint(tx, walletId)
  const isUsable = checkpoint !== null && checkpoint.fullAt >= fullSince
  const moved = isUsable ? await verifyChanges(tx, walletId, checkpoint) : null
  if (moved === null) return { ...(await verifyAll(tx, walletId, at)), since: null }
  await saveCheckpoint(tx, walletId, { ...moved, verifiedAt: at })
  return { findings: [], unnamedMicroUsdc: 0n, since: moved.verifiedAt }
}

/** Verifies every row. Neither uses nor changes the checkpoint. */
export async function findLedgerDrifts(tx: Tx, walletId: string): Promise<LedgerDrifts> {
  await allowLongStatements(tx)
  const findings: Finding[] = []
  for (const check of [balances, setSums, ...payoutChecks]) {
    findings.push(...(await tx.run<Finding>(check(walletId), { answerMs })))
  }
  findings.push(...(await findSuspenseDrift(tx, walletId)))
  const unnamed = await tx.run<Finding>(unnamedEntries(walletId), { answerMs })
  const unnamedMicroUsdc = unnamed.reduce((total, { found }) => total + BigInt(found), 0n)
  return { findings: [...findings, ...unnamed], unnamedMicroUsdc }
}

/** Limits the size of the ID arrays in one statement. */
const changesAtOnce = 20_000

/**
 * Returns the checkpoint after the changes, or null if a check fails. Reads the sum before it removes changes from the
 * list, so that no concurrent change is missed.
 */
async function verifyChanges(tx: Tx, walletId: string, checkpoint: Checkpoint): Promise<Checkpoint | null> {
  const { isSound, ...sum } = await sumSince(tx, walletId, checkpoint)
  if (!isSound || (await findSuspenseDrift(tx, walletId)).length > 0) return null
  let { bookings } = checkpoint
  for (;;) {
    const changes = await takeChanges(tx, walletId, changesAtOnce)
    if (await hasDrift(tx, walletId, changes, checkpoint)) return null
    bookings += await countBookings(tx, changes.sets)
    if (changes.count < changesAtOnce) return { ...checkpoint, ...sum, bookings }
  }
}

async function hasDrift(tx: Tx, walletId: string, changes: Changes, { entryId }: Checkpoint): Promise<boolean> {
  const { payouts, sets, isUnclear } = changes
  if (isUnclear || (entryId !== null && (await isBehind(tx, walletId, sets, entryId)))) return true
  for (const check of setChecks) {
    if ((await tx.run(check(walletId, sets), { answerMs })).length > 0) return true
  }
  for (const check of payoutChecks) {
    if ((await tx.run(check(walletId, payouts), { answerMs })).length > 0) return true
  }
  return false
}

/**
 * Reads the sum, then removes the changes from the list, then verifies the rows. This order misses no concurrent
 * change.
 */
async function verifyAll(tx: Tx, walletId: string, at: Date): Promise<LedgerDrifts> {
  const { entryId, balanceMicroUsdc } = await sumSince(tx, walletId, nothing)
  await takeAllChanges(tx, walletId)
  const found = await findLedgerDrifts(tx, walletId)
  if (found.findings.length > 0) await dropCheckpoint(tx, walletId)
  else {
    const bookings = await countAllBookings(tx, walletId)
    await saveCheckpoint(tx, walletId, { entryId, balanceMicroUsdc, bookings, verifiedAt: at, fullAt: at })
  }
  return found
}

const nothing = { entryId: null, balanceMicroUsdc: 0n }

const statementMs = 120_000
const answerMs = statementMs + 2_000

async function allowLongStatements(tx: Tx): Promise<void> {
  await tx.sql`SELECT set_config('statement_timeout', ${String(statementMs)}, true)`
}

/** Checks every row of the wallet, or only the rows with the given IDs. Returns one row for each drift. */
type Check = (walletId: string, changed?: readonly string[]) => Sql

function isChanged(id: Sql, changed: readonly string[] | undefined): Sql {
  return changed === undefined ? sql`` : sql`AND ${id} = ANY (${changed}::uuid[])`
}

// Each entry stores the balance after it. The finding names the first entry with a wrong balance.
const balances: Check = (
  walletId,
) => sql`SELECT 'wallet_balance' AS kind, w.id AS wallet_id, w.id::text AS subject, 'entries sum to ' || total AS expected,
      concat_ws(', ', 'balance ' || w.balance_micro_usdc, 'after entry ' || first.id || ' balance '
        || coalesce(first.stated::text, 'none') || ', entries sum to ' || first.running) AS found,
      concat_ws(' ', w.balance_micro_usdc - total, first.id, first.stated - first.running) AS size
    FROM wallets w JOIN ledger_accounts a ON a.wallet_id = w.id AND a.kind = 'wallet' AND a.currency = 'USDC'
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(e.amount_micro_usdc), 0) AS total FROM ledger_entries e WHERE e.account_id = a.id) summed
    LEFT JOIN LATERAL (
      SELECT * FROM (SELECT e.id, e.balance_micro_usdc AS stated, sum(e.amount_micro_usdc) OVER (ORDER BY e.id) AS running
        FROM ledger_entries e WHERE e.account_id = a.id) each
      WHERE stated IS DISTINCT FROM running ORDER BY id LIMIT 1) first ON true
    WHERE w.id = ${walletId} AND (w.balance_micro_usdc <> total OR first.id IS NOT NULL)`

// Suspense must equal the total of the deposits that are held or that an operator has decided to keep in suspense.
async function findSuspenseDrift(tx: Tx, walletId: string): Promise<Finding[]> {
  const accountId = await findSuspenseAccount(tx, walletId)
  const check = sql`SELECT 'suspense_balance' AS kind, ${walletId}::uuid AS wallet_id, ${walletId}::text AS subject, 'held deposits of ' || held AS expected,
      'suspense ' || total AS found, (total - held)::text AS size
    FROM (SELECT
      (SELECT coalesce(sum(amount_micro_usdc), 0) FROM ledger_entries WHERE account_id = ${accountId}) AS total,
      (SELECT coalesce(sum(amount_micro_usdc), 0) FROM held_deposits
        WHERE wallet_id = ${walletId} AND (resolved_at IS NULL OR outcome = 'kept')) AS held
    ) compared WHERE total <> held`
  return tx.run<Finding>(check, { answerMs, plan: 'each time' })
}

// A set must belong to the same wallet as its payout and its entries, and its entries must sum to zero.
const setSums: Check = (
  walletId,
  changed,
) => sql`SELECT 'set_sum' AS kind, wallet_id, id::text AS subject, '0' AS expected,
      CASE WHEN entries = 0 THEN 'no entries' WHEN strange > 0 THEN strange || ' entries of another wallet'
        WHEN is_astray THEN 'a payout of another wallet, or none' ELSE total::text END AS found
    FROM (
      SELECT s.id, s.wallet_id, count(e.id) AS entries, sum(e.amount_micro_usdc) AS total,
        count(e.id) FILTER (WHERE a.wallet_id IS DISTINCT FROM s.wallet_id) AS strange,
        s.payout_id IS NOT NULL AND p.id IS NULL AS is_astray
      FROM ledger_sets s LEFT JOIN ledger_entries e ON e.set_id = s.id LEFT JOIN ledger_accounts a ON a.id = e.account_id
      LEFT JOIN payouts p ON p.id = s.payout_id AND p.wallet_id = s.wallet_id
      WHERE s.wallet_id = ${walletId} ${isChanged(sql`s.id`, changed)} GROUP BY s.id, p.id
    ) compared
    WHERE entries = 0 OR total <> 0 OR strange > 0 OR is_astray ORDER BY id LIMIT 1000`

// A payout's status and its entries change in one transaction, so they must agree.
const payoutLedgers: Check = (walletId, changed) => sql`SELECT 'payout_ledger' AS kind, wallet_id, id::text AS subject,
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
      LEFT JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = p.wallet_id
      WHERE p.wallet_id = ${walletId} ${isChanged(sql`p.id`, changed)} GROUP BY p.id
    ) moved
    WHERE credits > debits OR CASE
      WHEN gone THEN wallet <> 0 OR transit <> 0 OR paid <> 0
      WHEN status = 'pending' THEN wallet NOT IN (0, -sends) OR transit <> -wallet OR paid <> 0
      WHEN status = 'processing' THEN wallet <> -sends OR transit <> sends OR paid <> 0
      WHEN status = 'completed' THEN wallet <> -sends OR transit <> 0 OR paid <> sends
      WHEN closed THEN transit <> 0 OR paid <> 0
      ELSE wallet <> -sends OR transit + paid <> sends END
    ORDER BY id LIMIT 1000`

// A payout's row must match its wallet's owner, its quote and the last status in its timeline. Manual events change no
// status, so they are skipped. A closed payout has no timeline if it is as old as the archived ones.
const payoutRows: Check = (walletId, changed) => sql`SELECT 'payout_row' AS kind, p.wallet_id, p.id::text AS subject,
      concat_ws(', ', 'of its wallet', w.environment, 'sends ' || quoted.sends, coalesce(last.status, 'no timeline')) AS expected,
      concat_ws(', ', CASE WHEN p.partner_id = w.partner_id THEN 'of its wallet' ELSE 'of another partner' END,
        p.environment || ' by ' || p.rail, 'sends ' || p.wallet_sends_micro_usdc, p.status) AS found
    FROM payouts p JOIN wallets w ON w.id = p.wallet_id
    CROSS JOIN LATERAL (SELECT 10000 * div((p.amount_pence + p.fee_in_transfer_pence) * 1000000000::numeric
      + p.gbp_per_usd_nano - 1, p.gbp_per_usd_nano) AS sends) quoted
    LEFT JOIN LATERAL (SELECT e.status FROM payout_events e WHERE e.payout_id = p.id
      AND e.kind <> ALL (${manualEventKinds}::text[]) ORDER BY e.id DESC LIMIT 1) last ON true
    WHERE p.wallet_id = ${walletId} ${isChanged(sql`p.id`, changed)} AND p.released_at IS NULL AND (p.partner_id <> w.partner_id OR p.environment <> w.environment
      OR (p.rail = 'provider_production') <> (w.environment = 'live') OR p.wallet_sends_micro_usdc <> quoted.sends
      OR (last.status IS DISTINCT FROM p.status AND NOT (last.status IS NULL AND p.closed_at IS NOT NULL
        AND p.created_at <= coalesce((SELECT max(newest_at) FROM archives WHERE table_name = 'payout_events'), '-infinity'))))
    ORDER BY p.id LIMIT 1000`

const inPounds = (micropounds: Sql) => sql`trim_scale(round(${micropounds} / 1000000.0, 6)) || ' GBP'`

// The transaction that closes a completed live payout charges its fees, and the transaction that returns it credits
// them. Before the payout is closed, its fees may or may not exist. Network and exception costs are not compared,
// because the bank sets them.
const payoutCharges: Check = (
  walletId,
  changed,
) => sql`SELECT 'payout_charge' AS kind, ${walletId}::uuid AS wallet_id, subject,
      dues || ' fees of ' || ${inPounds(sql`due`)} || ', ' || dues || ' network fees, ' || backs || ' credits of '
        || ${inPounds(sql`back`)} AS expected,
      fees || ' fees of ' || ${inPounds(sql`fee`)} || ', ' || networks || ' network fees, ' || credits || ' credits of '
        || ${inPounds(sql`credit`)} AS found
    FROM (
      SELECT coalesce(p.id::text, c.subject) AS subject, coalesce(p.dues, 0) AS dues, coalesce(p.due, 0) AS due,
        CASE WHEN p.is_back AND p.due > 0 THEN 1 ELSE 0 END AS backs, CASE WHEN p.is_back THEN p.due ELSE 0 END AS back,
        coalesce(c.fees, 0) AS fees, coalesce(c.fee, 0) AS fee, coalesce(c.networks, 0) AS networks,
        coalesce(c.credits, 0) AS credits, coalesce(c.credit, 0) AS credit, coalesce(p.awaits_charge, false) AS awaits_charge
      FROM (
        SELECT id, (completed_at IS NOT NULL)::integer AS dues, completed_at IS NOT NULL AND returned_at IS NOT NULL AS is_back,
          CASE WHEN completed_at IS NOT NULL THEN 10000 * (fee_pence - fee_in_transfer_pence) ELSE 0 END AS due,
          status = 'completed' AND closed_at IS NULL AS awaits_charge
        FROM payouts WHERE wallet_id = ${walletId} ${isChanged(sql`id`, changed)}
      ) p FULL JOIN (
        SELECT coalesce(payout_id::text, cause_ref) AS subject, count(*) FILTER (WHERE kind = 'payout_fee') AS fees,
          coalesce(sum(amount_micropounds) FILTER (WHERE kind = 'payout_fee'), 0) AS fee,
          count(*) FILTER (WHERE kind = 'network_fee') AS networks, count(*) FILTER (WHERE kind = 'credit') AS credits,
          coalesce(sum(amount_micropounds) FILTER (WHERE kind = 'credit'), 0) AS credit
        FROM charges WHERE partner_id = (SELECT partner_id FROM wallets WHERE id = ${walletId}) ${isChanged(sql`payout_id`, changed)}
          AND (kind IN ('payout_fee', 'network_fee') OR (kind = 'credit' AND payout_id IS NOT NULL))
        GROUP BY 1
      ) c ON c.subject = p.id::text
      WHERE EXISTS (SELECT FROM wallets WHERE id = ${walletId} AND environment = 'live')
    ) compared
    WHERE NOT awaits_charge AND (fees, fee, networks, credits, credit) IS DISTINCT FROM (dues, due, dues, backs, back)
    ORDER BY subject LIMIT 1000`

// Finds money that was credited without a bank movement. A sandbox that is not connected to a bank has no movements.
const unnamedEntries: Check = (
  walletId,
  changed,
) => sql`SELECT 'entry_without_movement' AS kind, s.wallet_id, s.id::text AS subject,
      'a movement at the bank' AS expected, sum(e.amount_micro_usdc)::text AS found
    FROM ledger_sets s JOIN wallets w ON w.id = s.wallet_id JOIN ledger_entries e ON e.set_id = s.id
    JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = s.wallet_id AND a.kind IN ('wallet', 'suspense')
    WHERE s.wallet_id = ${walletId} ${isChanged(sql`s.id`, changed)} AND w.rail <> 'simulated' AND s.bank_ref IS NULL AND s.payout_id IS NULL
      AND (w.environment = 'live' OR s.cause NOT IN ('float', 'float_reversal', 'top_up'))
    GROUP BY s.id HAVING sum(e.amount_micro_usdc) <> 0 ORDER BY s.id LIMIT 1000`

const setChecks: readonly Check[] = [setSums, unnamedEntries]
const payoutChecks: readonly Check[] = [payoutLedgers, payoutRows, payoutCharges]
