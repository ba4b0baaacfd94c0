// Drifts are differences between our books and the bank's. Each is reported once, and resolved when a proof no longer
// finds it.
import { assert } from '../../../domain/assert'
import { type DriftKind, type Finding, sizeOf } from '../../../domain/controls/drift'
import type { Environment } from '../../../domain/environment'
import { entity, id, idOf, orNull, text, time, uuid, withDefault } from '../../columns'
import type { Queryable, Tx } from '../../database'
import { newId } from '../../id'
import { type Sql, sql } from '../../sql'
import { proof } from './wallets'

interface DriftRow extends Required<Finding> {
  readonly id: string
  readonly acceptedById: string | null
  /** Set when the proof has continued past an accepted drift. */
  readonly passedAt: Date | null
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly resolvedAt: Date | null
  /** The time at which the drift was reported. */
  readonly toldAt: Date | null
}

export const drift = entity<DriftRow>('Drift', 'drifts', {
  id,
  kind: text,
  walletId: idOf('Wallet'),
  subject: text,
  expected: text,
  found: text,
  firstSeenAt: time,
  lastSeenAt: time,
  resolvedAt: orNull(time),
  toldAt: orNull(time),
  size: withDefault(text, ''),
  acceptedById: orNull(idOf('DriftDecision')),
  passedAt: orNull(time),
})

/** An operator's decision about a drift. A decision never changes, and does not touch the ledger. */
interface DriftDecisionRow extends Omit<Finding, 'size'> {
  readonly id: string
  readonly driftId: string
  readonly outcome: 'accepted' | 'reopened'
  readonly reason: string
  readonly decidedBy: string
  readonly decidedAt: Date
}

export const driftDecision = entity<DriftDecisionRow>('DriftDecision', 'drift_decisions', {
  id,
  driftId: uuid,
  walletId: idOf('Wallet'),
  kind: text,
  subject: text,
  expected: text,
  found: text,
  outcome: text,
  reason: text,
  decidedBy: text,
  decidedAt: time,
})

export interface Drift extends Finding {
  /** A drift that reappears after it was resolved, or whose size changes, gets a new ID. */
  readonly id: string
  readonly partner: string
  readonly environment: Environment
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly resolvedAt: Date | null
  /** Null until an operator has accepted the drift. */
  readonly acceptedAt: Date | null
  readonly acceptedBy: string | null
  readonly reason: string | null
}

/** The result of a check. Recording it resolves the drifts of these kinds that the check did not find. */
export interface DriftCheck {
  /** Null for a check of all wallets. */
  readonly walletId: string | null
  readonly kinds: readonly DriftKind[]
  readonly findings: readonly Finding[]
  readonly at: Date
}

export interface Recorded {
  /** The number of new drifts, including resolved drifts that reappear and accepted drifts whose size has changed. */
  readonly fresh: number
  /** Drifts that are not accepted. */
  readonly open: readonly Finding[]
}

export async function recordDriftCheck(tx: Tx, { walletId, kinds, findings, at }: DriftCheck): Promise<Recorded> {
  let fresh = 0
  const open: Finding[] = []
  for (const finding of findings) {
    const row = await recordFinding(tx, finding, at)
    if (row.isFresh) fresh += 1
    if (!row.isAccepted) open.push(finding)
  }
  await tx.sql`UPDATE drifts SET resolved_at = ${at} WHERE resolved_at IS NULL AND passed_at IS NULL
    AND (${walletId}::uuid IS NULL OR wallet_id = ${walletId}::uuid) AND kind = ANY (${kinds}::text[])
    AND NOT (kind || ' ' || subject = ANY (${findings.map(keyOf)}::text[]))`
  return { fresh, open }
}

/** Marks the accepted drifts that the proof continues past. Returns false if one of them is no longer accepted. */
export async function passAccepted(tx: Tx, findings: readonly Finding[], at: Date): Promise<boolean> {
  if (findings.length === 0) return true
  const passed = await tx.sql`UPDATE drifts SET passed_at = ${at}
    WHERE kind || ' ' || subject = ANY (${findings.map(keyOf)}::text[]) AND resolved_at IS NULL
      AND accepted_by_id IS NOT NULL RETURNING id`
  return passed.length === findings.length
}

export interface KnownDrift {
  readonly kind: DriftKind
  readonly subject: string
  readonly size: string
  readonly isAccepted: boolean
  /** Whether the proof has continued past the drift. */
  readonly isPassed: boolean
}

/** Lists the open and accepted drifts of a wallet. */
export async function listKnownDrifts(db: Queryable, walletId: string): Promise<KnownDrift[]> {
  return db.sql<KnownDrift>`SELECT kind, subject, size, accepted_by_id IS NOT NULL AS is_accepted, passed_at IS NOT NULL AS is_passed
    FROM drifts WHERE wallet_id = ${walletId} AND resolved_at IS NULL`
}

/** Lists open and accepted drifts oldest first. `gone` lists the resolved ones, latest first. */
export async function listDrifts(db: Queryable, which: 'open' | 'accepted' | 'gone', limit: number): Promise<Drift[]> {
  const { condition, order } = lists[which]
  return db.sql<Drift>`SELECT ${columns} FROM drifts d ${owners} WHERE ${condition} ORDER BY ${order} LIMIT ${limit}`
}

/**
 * Marks up to `limit` unreported open drifts as reported and returns them. Locks their rows, so that no other process
 * reports the same drifts.
 */
export async function takeUnreportedDrifts(tx: Tx, { at, limit }: { at: Date; limit: number }): Promise<Drift[]> {
  return tx.sql<Drift>`WITH taken AS (
      UPDATE drifts SET told_at = ${at} WHERE id IN (
        SELECT id FROM drifts WHERE told_at IS NULL AND resolved_at IS NULL AND accepted_by_id IS NULL
        ORDER BY first_seen_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING *
    )
    SELECT ${columns} FROM taken d ${owners} ORDER BY d.first_seen_at, d.id`
}

export interface DriftToDecide extends Pick<DriftRow, 'id' | 'walletId' | 'kind' | 'subject' | 'expected' | 'found'> {
  readonly partnerId: string
  readonly partner: string
  readonly environment: Environment
  readonly isAccepted: boolean
}

interface DriftDecision {
  readonly reason: string
  readonly by: string
  readonly at: Date
}

/** Locks the drift. Returns null if no unresolved drift has this ID: it is unknown, was resolved or has changed. */
export async function lockDrift(tx: Tx, id: string): Promise<DriftToDecide | null> {
  const [locked] =
    await tx.sql<DriftToDecide>`SELECT d.id, d.wallet_id, d.kind, d.subject, d.expected, d.found, partners.id AS partner_id,
      partners.slug AS partner, wallets.environment, d.accepted_by_id IS NOT NULL AS is_accepted
    FROM drifts d JOIN wallets ON wallets.id = d.wallet_id JOIN partners ON partners.id = wallets.partner_id
    WHERE d.id = ${id} AND d.resolved_at IS NULL FOR UPDATE OF d`
  return locked ?? null
}

/** An accepted drift raises no alert while its size stays the same. */
export async function acceptDrift(tx: Tx, accepted: DriftToDecide, decision: DriftDecision): Promise<void> {
  const decisionId = await insertDecision(tx, accepted, 'accepted', decision)
  await tx.repo(drift).update({ id: accepted.id }, { acceptedById: decisionId, passedAt: null })
}

/** The next proof of the wallet starts from its first movement, because proofs may have continued past the drift. */
export async function reopenDrift(
  tx: Tx,
  { walletId, ...reopened }: DriftToDecide,
  decision: DriftDecision,
): Promise<void> {
  await insertDecision(tx, { walletId, ...reopened }, 'reopened', decision)
  await tx.repo(drift).update({ id: reopened.id }, { acceptedById: null, passedAt: null })
  await tx.repo(proof).update({ walletId }, { provedTo: null, provedToAt: null, summedTo: null })
}

async function insertDecision(
  tx: Tx,
  { id, walletId, kind, subject, expected, found }: DriftToDecide,
  outcome: DriftDecisionRow['outcome'],
  { reason, by, at }: DriftDecision,
): Promise<string> {
  const decisionId = newId(at)
  const decided = { walletId, kind, subject, expected, found, outcome, reason, decidedBy: by, decidedAt: at }
  await tx.repo(driftDecision).insert({ id: decisionId, driftId: id, ...decided })
  return decisionId
}

/**
 * `is_fresh` is computed from the row as it was before the upsert. The upsert clears `told_at` for a new drift, so that
 * the drift is reported.
 */
async function recordFinding(
  tx: Tx,
  finding: Finding,
  at: Date,
): Promise<{ readonly isFresh: boolean; readonly isAccepted: boolean }> {
  const { kind, walletId, subject, expected, found } = finding
  const size = sizeOf(finding)
  const [row] = await tx.sql<{ isFresh: boolean; isAccepted: boolean }>`WITH before AS (
      SELECT resolved_at, accepted_by_id, size FROM drifts WHERE kind = ${kind} AND subject = ${subject}
    )
    INSERT INTO drifts AS d (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at, size)
    VALUES (${newId(at)}, ${kind}, ${walletId}, ${subject}, ${expected}, ${found}, ${at}, ${at}, ${size})
    ON CONFLICT (kind, subject) DO UPDATE SET id = CASE WHEN ${isSame} THEN d.id ELSE excluded.id END,
      expected = excluded.expected, found = excluded.found, size = excluded.size,
      last_seen_at = excluded.last_seen_at, resolved_at = NULL, passed_at = NULL,
      accepted_by_id = CASE WHEN ${isSame} THEN d.accepted_by_id END,
      first_seen_at = CASE WHEN ${isNew} THEN excluded.first_seen_at ELSE d.first_seen_at END,
      told_at = CASE WHEN ${isNew} THEN NULL ELSE d.told_at END
    RETURNING accepted_by_id IS NOT NULL AS is_accepted,
      NOT EXISTS (SELECT FROM before WHERE resolved_at IS NULL AND (accepted_by_id IS NULL OR size = ${size})) AS is_fresh`
  assert(row !== undefined, 'an upsert must return its row')
  return row
}

const isSame = sql`d.resolved_at IS NULL AND d.size = excluded.size`
const isNew = sql`d.resolved_at IS NOT NULL OR (d.accepted_by_id IS NOT NULL AND d.size <> excluded.size)`

function keyOf({ kind, subject }: Pick<Finding, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}

const lists: Readonly<Record<'open' | 'accepted' | 'gone', { readonly condition: Sql; readonly order: Sql }>> = {
  open: { condition: sql`d.resolved_at IS NULL AND d.accepted_by_id IS NULL`, order: sql`d.first_seen_at, d.id` },
  accepted: {
    condition: sql`d.resolved_at IS NULL AND d.accepted_by_id IS NOT NULL`,
    order: sql`d.first_seen_at, d.id`,
  },
  gone: { condition: sql`d.resolved_at IS NOT NULL`, order: sql`d.resolved_at DESC, d.id` },
}

const columns = sql`d.id, d.kind, d.wallet_id, d.subject, d.expected, d.found, d.size, partners.slug AS partner,
  wallets.environment, d.first_seen_at, d.last_seen_at, d.resolved_at, decision.decided_at AS accepted_at,
  decision.decided_by AS accepted_by, decision.reason`

const owners = sql`JOIN wallets ON wallets.id = d.wallet_id JOIN partners ON partners.id = wallets.partner_id
  LEFT JOIN drift_decisions decision ON decision.id = d.accepted_by_id`
