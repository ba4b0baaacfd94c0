// Verifies our own books of a wallet, from its checkpoint or in full. Each question is one statement and so of one moment.
import type { Finding } from '../../../domain/controls/drift'
import type { Statement, Tx } from '../../database'
import { peoplesKinds } from '../../payouts/events'
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

export interface LedgerDrifts {
  readonly findings: readonly Finding[]
  /** What the wallet has got by entries without a movement. */
  readonly unnamedMicroUsdc: bigint
}

export interface LedgerToVerify {
  readonly walletId: string
  /** A checkpoint is used only when every row was verified since then. */
  readonly fullSince: Date
  readonly at: Date
}

/**
 * In a transaction of its own: a full verification of a large wallet takes longer than a caller would wait. Verifies what changed
 * since the checkpoint; without one, or when anything about the changes is wrong, verifies every row. The checkpoint moves
 * only when nothing was found.
 */
export async function verifyLedger(tx: Tx, { walletId, fullSince, at }: LedgerToVerify): Promise<LedgerDrifts> {
  await tx.query(allowLong, [String(statementMs)])
  await lockProof(tx, walletId)
  const checkpoint = await findCheckpoint(tx, walletId)
  const isUsable = checkpoint !== null && checkpoint.fullAt >= fullSince
  const moved = isUsable ? await verifyChanges(tx, walletId, checkpoint) : null
  if (moved === null) return verifyAll(tx, walletId, at)
  await saveCheckpoint(tx, walletId, { ...moved, verifiedAt: at })
  return { findings: [], unnamedMicroUsdc: 0n }
}

/** Verifies every row, whatever the checkpoint says, and leaves the checkpoint as it is. */
export async function findLedgerDrifts(tx: Tx, walletId: string): Promise<LedgerDrifts> {
  await tx.query(allowLong, [String(statementMs)])
  const findings: Finding[] = []
  for (const each of [balances, suspense, setSums.all, ...payoutQuestions.map(({ all }) => all)]) {
    for (const finding of await tx.query<Finding>(each, [walletId])) findings.push(finding)
  }
  const unnamed = await tx.query<Finding>(unnamedEntries.all, [walletId])
  const unnamedMicroUsdc = unnamed.reduce((total, { found }) => total + BigInt(found), 0n)
  return { findings: [...findings, ...unnamed], unnamedMicroUsdc }
}

/** Bounds the arrays of ids in one statement. */
const changesAtOnce = 20_000

/** The checkpoint behind the changes; null when something is wrong. The sum is read before the changes are taken. */
async function verifyChanges(tx: Tx, walletId: string, checkpoint: Checkpoint): Promise<Checkpoint | null> {
  const { isSound, ...sum } = await sumSince(tx, walletId, checkpoint)
  if (!isSound || (await tx.query(suspense, [walletId])).length > 0) return null
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
  for (const question of setQuestions) {
    if ((await tx.query(question.changed, [walletId, sets])).length > 0) return true
  }
  for (const question of payoutQuestions) {
    if ((await tx.query(question.changed, [walletId, payouts])).length > 0) return true
  }
  return false
}

/** The sum is read before the changes are taken, and both before the rows are verified. */
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

interface Question {
  /** About every row of wallet $1. */
  readonly all: Statement
  /** About those of its rows that $2 names. */
  readonly changed: Statement
}

/** `only` is empty for every row, and limits `id` to the changed ones otherwise. */
function question(name: string, textOf: (only: (id: string) => string) => string): Question {
  return {
    all: { name, answerMs, text: textOf(() => '') },
    changed: { name: `${name}-changed`, answerMs, text: textOf((id) => `AND ${id} = ANY ($2::uuid[])`) },
  }
}

const allowLong: Statement = { name: 'proof-prepare', text: `SELECT set_config('statement_timeout', $1, true)` }

// Each entry says the balance after it: the first one that does not is named, whatever later ones have made of it.
const balances: Statement = {
  name: 'proof-balance',
  answerMs,
  text: `SELECT 'wallet_balance' AS kind, w.id AS "walletId", w.id::text AS subject, 'entries sum to ' || total AS expected,
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
    WHERE w.id = $1 AND (w.balance_micro_usdc <> total OR first.id IS NOT NULL)`,
}

// What is held for people, or stays where it is by their word.
const suspense: Statement = {
  name: 'proof-suspense',
  answerMs,
  text: `SELECT 'suspense_balance' AS kind, $1::uuid AS "walletId", $1::text AS subject, 'held deposits of ' || held AS expected,
      'suspense ' || total AS found, (total - held)::text AS size
    FROM (SELECT
      (SELECT coalesce(sum(e.amount_micro_usdc), 0) FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
        WHERE a.wallet_id = $1 AND a.kind = 'suspense') AS total,
      (SELECT coalesce(sum(amount_micro_usdc), 0) FROM held_deposits
        WHERE wallet_id = $1 AND (resolved_at IS NULL OR outcome = 'kept')) AS held
    ) told WHERE total <> held`,
}

// A set stays within its wallet, and so does the payout that it is for.
const setSums = question(
  'proof-sets',
  (only) => `SELECT 'set_sum' AS kind, wallet_id AS "walletId", id::text AS subject, '0' AS expected,
      CASE WHEN entries = 0 THEN 'no entries' WHEN strange > 0 THEN strange || ' entries of another wallet'
        WHEN is_astray THEN 'a payout of another wallet, or none' ELSE total::text END AS found
    FROM (
      SELECT s.id, s.wallet_id, count(e.id) AS entries, sum(e.amount_micro_usdc) AS total,
        count(e.id) FILTER (WHERE a.wallet_id IS DISTINCT FROM s.wallet_id) AS strange,
        s.payout_id IS NOT NULL AND p.id IS NULL AS is_astray
      FROM ledger_sets s LEFT JOIN ledger_entries e ON e.set_id = s.id LEFT JOIN ledger_accounts a ON a.id = e.account_id
      LEFT JOIN payouts p ON p.id = s.payout_id AND p.wallet_id = s.wallet_id
      WHERE s.wallet_id = $1 ${only('s.id')} GROUP BY s.id, p.id
    ) told
    WHERE entries = 0 OR total <> 0 OR strange > 0 OR is_astray ORDER BY id LIMIT 1000`,
)

// A payout's status and its entries change in one transaction, so they agree in every moment.
const payoutLedgers = question(
  'proof-payouts',
  (only) => `SELECT 'payout_ledger' AS kind, wallet_id AS "walletId", id::text AS subject,
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
      WHERE p.wallet_id = $1 ${only('p.id')} GROUP BY p.id
    ) moved
    WHERE credits > debits OR CASE
      WHEN gone THEN wallet <> 0 OR transit <> 0 OR paid <> 0
      WHEN status = 'pending' THEN wallet NOT IN (0, -sends) OR transit <> -wallet OR paid <> 0
      WHEN status = 'processing' THEN wallet <> -sends OR transit <> sends OR paid <> 0
      WHEN status = 'completed' THEN wallet <> -sends OR transit <> 0 OR paid <> sends
      WHEN closed THEN transit <> 0 OR paid <> 0
      ELSE wallet <> -sends OR transit + paid <> sends END
    ORDER BY id LIMIT 1000`,
)

const byPeople = peoplesKinds.map((kind) => `'${kind}'`).join()

// What a payout's row says of itself: its wallet's owner, its quote, and the status that its timeline ends with. What
// people do changes no status.
const payoutRows = question(
  'proof-payout-rows',
  (only) => `SELECT 'payout_row' AS kind, p.wallet_id AS "walletId", p.id::text AS subject,
      concat_ws(', ', 'of its wallet', w.environment, 'sends ' || quoted.sends, coalesce(last.status, 'no timeline')) AS expected,
      concat_ws(', ', CASE WHEN p.partner_id = w.partner_id THEN 'of its wallet' ELSE 'of another partner' END,
        p.environment || ' by ' || p.rail, 'sends ' || p.wallet_sends_micro_usdc, p.status) AS found
    FROM payouts p JOIN wallets w ON w.id = p.wallet_id
    CROSS JOIN LATERAL (SELECT 10000 * div((p.amount_pence + p.fee_in_transfer_pence) * 1000000000::numeric
      + p.gbp_per_usd_nano - 1, p.gbp_per_usd_nano) AS sends) quoted
    LEFT JOIN LATERAL (SELECT e.status FROM payout_events e WHERE e.payout_id = p.id
      AND e.kind NOT IN (${byPeople}) ORDER BY e.id DESC LIMIT 1) last ON true
    WHERE p.wallet_id = $1 ${only('p.id')} AND p.released_at IS NULL AND (p.partner_id <> w.partner_id OR p.environment <> w.environment
      OR (p.rail = 'provider_production') <> (w.environment = 'live') OR p.wallet_sends_micro_usdc <> quoted.sends
      OR last.status IS DISTINCT FROM p.status)
    ORDER BY p.id LIMIT 1000`,
)

const inPounds = (micropounds: string) => `trim_scale(round(${micropounds} / 1000000.0, 6)) || ' GBP'`

// What a live payout cost is charged in the transaction that completes it, and its fee credited in the one that brings it back. The
// costs of the network and of exceptions are the bank's word of that moment, which is kept nowhere else.
const payoutCharges = question(
  'proof-charges',
  (only) => `SELECT 'payout_charge' AS kind, $1::uuid AS "walletId", subject,
      dues || ' fees of ' || ${inPounds('due')} || ', ' || dues || ' network fees, ' || backs || ' credits of '
        || ${inPounds('back')} AS expected,
      fees || ' fees of ' || ${inPounds('fee')} || ', ' || networks || ' network fees, ' || credits || ' credits of '
        || ${inPounds('credit')} AS found
    FROM (
      SELECT coalesce(p.id::text, c.subject) AS subject, coalesce(p.dues, 0) AS dues, coalesce(p.due, 0) AS due,
        CASE WHEN p.is_back AND p.due > 0 THEN 1 ELSE 0 END AS backs, CASE WHEN p.is_back THEN p.due ELSE 0 END AS back,
        coalesce(c.fees, 0) AS fees, coalesce(c.fee, 0) AS fee, coalesce(c.networks, 0) AS networks,
        coalesce(c.credits, 0) AS credits, coalesce(c.credit, 0) AS credit
      FROM (
        SELECT id, (completed_at IS NOT NULL)::integer AS dues, completed_at IS NOT NULL AND returned_at IS NOT NULL AS is_back,
          CASE WHEN completed_at IS NOT NULL THEN 10000 * (fee_pence - fee_in_transfer_pence) ELSE 0 END AS due
        FROM payouts WHERE wallet_id = $1 ${only('id')}
      ) p FULL JOIN (
        SELECT coalesce(payout_id::text, cause_ref) AS subject, count(*) FILTER (WHERE kind = 'payout_fee') AS fees,
          coalesce(sum(amount_micropounds) FILTER (WHERE kind = 'payout_fee'), 0) AS fee,
          count(*) FILTER (WHERE kind = 'network_fee') AS networks, count(*) FILTER (WHERE kind = 'credit') AS credits,
          coalesce(sum(amount_micropounds) FILTER (WHERE kind = 'credit'), 0) AS credit
        FROM charges WHERE partner_id = (SELECT partner_id FROM wallets WHERE id = $1) ${only('payout_id')}
          AND (kind IN ('payout_fee', 'network_fee') OR (kind = 'credit' AND payout_id IS NOT NULL))
        GROUP BY 1
      ) c ON c.subject = p.id::text
      WHERE EXISTS (SELECT FROM wallets WHERE id = $1 AND environment = 'live')
    ) told
    WHERE (fees, fee, networks, credits, credit) IS DISTINCT FROM (dues, due, dues, backs, back) ORDER BY subject LIMIT 1000`,
)

// Money that came in without the bank's name for it. Before a sandbox is connected to its bank there is no such name.
const unnamedEntries = question(
  'proof-unnamed',
  (only) => `SELECT 'entry_without_movement' AS kind, s.wallet_id AS "walletId", s.id::text AS subject,
      'a movement at the bank' AS expected, sum(e.amount_micro_usdc)::text AS found
    FROM ledger_sets s JOIN wallets w ON w.id = s.wallet_id JOIN ledger_entries e ON e.set_id = s.id
    JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = s.wallet_id AND a.kind IN ('wallet', 'suspense')
    WHERE s.wallet_id = $1 ${only('s.id')} AND w.rail <> 'simulated' AND s.bank_ref IS NULL AND s.payout_id IS NULL
      AND (w.environment = 'live' OR s.cause NOT IN ('float', 'float_reversal', 'top_up'))
    GROUP BY s.id HAVING sum(e.amount_micro_usdc) <> 0 ORDER BY s.id LIMIT 1000`,
)

const setQuestions: readonly Question[] = [setSums, unnamedEntries]
const payoutQuestions: readonly Question[] = [payoutLedgers, payoutRows, payoutCharges]
