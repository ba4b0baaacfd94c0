// Where our books and the bank's differ: found again and again, told once, and gone when they are looked for in vain.
import type { DriftKind, Finding } from '../domain/drift'
import type { Environment } from '../domain/environment'
import type { Queryable, Statement, Tx } from './database'
import { newId } from './id'

export interface Drift extends Finding {
  readonly id: string
  readonly partner: string
  readonly environment: Environment
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly resolvedAt: Date | null
}

/** What a look has decided: those of these kinds that it did not find are gone. */
export interface Looked {
  /** Null for a look at all wallets. */
  readonly walletId: string | null
  readonly kinds: readonly DriftKind[]
  readonly findings: readonly Finding[]
  readonly at: Date
}

/** Answers how many were new; one that was gone and is back is new. */
export async function recordLook(tx: Tx, { walletId, kinds, findings, at }: Looked): Promise<number> {
  let fresh = 0
  for (const { kind, walletId: wallet, subject, expected, found } of findings) {
    const [row] = await tx.query<{ fresh: boolean }>(upsert, [newId(at), kind, wallet, subject, expected, found, at])
    if (row?.fresh) fresh += 1
  }
  const seen = findings.map(({ kind, subject }) => `${kind} ${subject}`)
  await tx.query(resolveOthers, [walletId, kinds, seen, at])
  return fresh
}

/** Those that are there now, the longest known first; `gone` shows those that are no longer, the last one first. */
export async function listDrifts(db: Queryable, which: 'open' | 'gone', limit: number): Promise<Drift[]> {
  return db.query<Drift>(which === 'open' ? selectOpen : selectGone, [limit])
}

/** Nobody else tells these; they count as told when the transaction ends. */
export async function takeUntold(tx: Tx, { at, limit }: { at: Date; limit: number }): Promise<Drift[]> {
  return tx.query<Drift>(tell, [at, limit])
}

const columns = `d.id, d.kind, d.wallet_id AS "walletId", d.subject, d.expected, d.found, partners.slug AS partner,
  wallets.environment, d.first_seen_at AS "firstSeenAt", d.last_seen_at AS "lastSeenAt", d.resolved_at AS "resolvedAt"`

const whose = 'JOIN wallets ON wallets.id = d.wallet_id JOIN partners ON partners.id = wallets.partner_id'

// `fresh` looks at the row as it was: told_at is null after this for a new one and for one that had been gone.
const upsert: Statement = {
  name: 'drift-seen',
  text: `WITH before AS (SELECT resolved_at FROM drifts WHERE kind = $2 AND subject = $4)
    INSERT INTO drifts AS d (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
    ON CONFLICT (kind, subject) DO UPDATE SET expected = excluded.expected, found = excluded.found,
      last_seen_at = excluded.last_seen_at, resolved_at = NULL,
      first_seen_at = CASE WHEN d.resolved_at IS NULL THEN d.first_seen_at ELSE excluded.first_seen_at END,
      told_at = CASE WHEN d.resolved_at IS NULL THEN d.told_at END
    RETURNING NOT EXISTS (SELECT FROM before WHERE resolved_at IS NULL) AS fresh`,
}

const resolveOthers: Statement = {
  name: 'drifts-gone',
  text: `UPDATE drifts SET resolved_at = $4 WHERE resolved_at IS NULL AND ($1::uuid IS NULL OR wallet_id = $1)
    AND kind = ANY ($2::text[]) AND NOT (kind || ' ' || subject = ANY ($3::text[]))`,
}

const selectOpen: Statement = {
  name: 'drifts-open',
  text: `SELECT ${columns} FROM drifts d ${whose} WHERE d.resolved_at IS NULL ORDER BY d.first_seen_at, d.id LIMIT $1`,
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
        SELECT id FROM drifts WHERE told_at IS NULL AND resolved_at IS NULL ORDER BY first_seen_at, id LIMIT $2
        FOR UPDATE SKIP LOCKED
      ) RETURNING *
    )
    SELECT ${columns} FROM told d ${whose} ORDER BY d.first_seen_at, d.id`,
}
