// Where our books and the bank's differ: found again and again, told once, and gone when they are looked for in vain.
import { type DriftKind, type Finding, sizeOf } from '../../../domain/controls/drift'
import type { Environment } from '../../../domain/environment'
import type { Queryable, Statement, Tx } from '../../database'
import { newId } from '../../id'

export interface Drift extends Finding {
  /** Of the drift as it is: one that comes back, or whose size changes, has another. */
  readonly id: string
  readonly partner: string
  readonly environment: Environment
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly resolvedAt: Date | null
  /** Null until people have accepted it. */
  readonly acceptedAt: Date | null
  readonly acceptedBy: string | null
  readonly reason: string | null
}

/** What a look has decided: those of these kinds that it did not find are gone. */
export interface Looked {
  /** Null for a look at all wallets. */
  readonly walletId: string | null
  readonly kinds: readonly DriftKind[]
  readonly findings: readonly Finding[]
  readonly at: Date
}

export interface Recorded {
  /** How many were new; one that was gone and is back is new, and so is an accepted one of another size. */
  readonly fresh: number
  /** Those that nobody has accepted. */
  readonly open: readonly Finding[]
}

export async function recordLook(tx: Tx, { walletId, kinds, findings, at }: Looked): Promise<Recorded> {
  let fresh = 0
  const open: Finding[] = []
  for (const finding of findings) {
    const { kind, walletId: wallet, subject, expected, found } = finding
    const values = [newId(at), kind, wallet, subject, expected, found, at, sizeOf(finding)]
    const [row] = await tx.query<{ fresh: boolean; accepted: boolean }>(upsert, values)
    if (row?.fresh) fresh += 1
    if (!row?.accepted) open.push(finding)
  }
  await tx.sql`UPDATE drifts SET resolved_at = ${at} WHERE resolved_at IS NULL AND passed_at IS NULL
    AND (${walletId}::uuid IS NULL OR wallet_id = ${walletId}::uuid) AND kind = ANY (${kinds}::text[]) AND NOT (kind || ' ' || subject = ANY (${findings.map(keyOf)}::text[]))`
  return { fresh, open }
}

/** Accepted ones behind which the proof goes on. False when one of them is accepted no longer. */
export async function passAccepted(tx: Tx, findings: readonly Finding[], at: Date): Promise<boolean> {
  if (findings.length === 0) return true
  return (
    (
      await tx.sql`UPDATE drifts SET passed_at = ${at} WHERE kind || ' ' || subject = ANY (${findings.map(keyOf)}::text[]) AND resolved_at IS NULL
    AND accepted_by_id IS NOT NULL RETURNING id`
    ).length === findings.length
  )
}

export interface KnownDrift {
  readonly kind: DriftKind
  readonly subject: string
  readonly size: string
  readonly isAccepted: boolean
  /** The proof has gone on behind it. */
  readonly isPassed: boolean
}

/** What of a wallet is there, as far as is known. */
export async function listKnownDrifts(db: Queryable, walletId: string): Promise<KnownDrift[]> {
  return db.sql<KnownDrift>`SELECT kind, subject, size, accepted_by_id IS NOT NULL AS is_accepted, passed_at IS NOT NULL AS is_passed
    FROM drifts WHERE wallet_id = ${walletId} AND resolved_at IS NULL`
}

/** Open and accepted ones that are there now, the longest known first; `gone` those that are no longer, the last one first. */
export async function listDrifts(db: Queryable, which: 'open' | 'accepted' | 'gone', limit: number): Promise<Drift[]> {
  return db.query<Drift>({ open: selectOpen, accepted: selectAccepted, gone: selectGone }[which], [limit])
}

/** Nobody else tells these; they count as told when the transaction ends. */
export async function takeUntold(tx: Tx, { at, limit }: { at: Date; limit: number }): Promise<Drift[]> {
  return tx.query<Drift>(tell, [at, limit])
}

function keyOf({ kind, subject }: Pick<Finding, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}

const columns = `d.id, d.kind, d.wallet_id AS "walletId", d.subject, d.expected, d.found, d.size, partners.slug AS partner,
  wallets.environment, d.first_seen_at AS "firstSeenAt", d.last_seen_at AS "lastSeenAt", d.resolved_at AS "resolvedAt",
  decision.decided_at AS "acceptedAt", decision.decided_by AS "acceptedBy", decision.reason`

const whose = `JOIN wallets ON wallets.id = d.wallet_id JOIN partners ON partners.id = wallets.partner_id
  LEFT JOIN drift_decisions decision ON decision.id = d.accepted_by_id`

const isSame = 'd.resolved_at IS NULL AND d.size = excluded.size'
const isNew = 'd.resolved_at IS NOT NULL OR (d.accepted_by_id IS NOT NULL AND d.size <> excluded.size)'

// `fresh` looks at the row as it was: told_at is null after this for a new one and for one that had been gone.
const upsert: Statement = {
  name: 'drift-seen',
  text: `WITH before AS (SELECT resolved_at, accepted_by_id, size FROM drifts WHERE kind = $2 AND subject = $4)
    INSERT INTO drifts AS d (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at, size)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)
    ON CONFLICT (kind, subject) DO UPDATE SET id = CASE WHEN ${isSame} THEN d.id ELSE excluded.id END,
      expected = excluded.expected, found = excluded.found, size = excluded.size,
      last_seen_at = excluded.last_seen_at, resolved_at = NULL, passed_at = NULL,
      accepted_by_id = CASE WHEN ${isSame} THEN d.accepted_by_id END,
      first_seen_at = CASE WHEN ${isNew} THEN excluded.first_seen_at ELSE d.first_seen_at END,
      told_at = CASE WHEN ${isNew} THEN NULL ELSE d.told_at END
    RETURNING accepted_by_id IS NOT NULL AS accepted,
      NOT EXISTS (SELECT FROM before WHERE resolved_at IS NULL AND (accepted_by_id IS NULL OR size = $8)) AS fresh`,
}

const byAge = 'ORDER BY d.first_seen_at, d.id LIMIT $1'

const selectOpen: Statement = {
  name: 'drifts-open',
  text: `SELECT ${columns} FROM drifts d ${whose} WHERE d.resolved_at IS NULL AND d.accepted_by_id IS NULL ${byAge}`,
}

const selectAccepted: Statement = {
  name: 'drifts-accepted',
  text: `SELECT ${columns} FROM drifts d ${whose} WHERE d.resolved_at IS NULL AND d.accepted_by_id IS NOT NULL ${byAge}`,
}

const selectGone: Statement = {
  name: 'drifts-gone-list',
  text: `SELECT ${columns} FROM drifts d ${whose} WHERE d.resolved_at IS NOT NULL
    ORDER BY d.resolved_at DESC, d.id LIMIT $1`,
}

const tell: Statement = {
  name: 'drifts-tell',
  text: `WITH told AS (
      UPDATE drifts SET told_at = $1 WHERE id IN (
        SELECT id FROM drifts WHERE told_at IS NULL AND resolved_at IS NULL AND accepted_by_id IS NULL
        ORDER BY first_seen_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
      ) RETURNING *
    )
    SELECT ${columns} FROM told d ${whose} ORDER BY d.first_seen_at, d.id`,
}
