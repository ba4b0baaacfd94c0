// What people decide about a drift, one row for each decision and none of them ever changed. The ledger is not touched.
import type { Environment } from '../../../domain/environment'
import type { Statement, Tx } from '../../database'
import { newId } from '../../id'
import type { StoredDriftDecision } from './drift-entity'

export interface DriftToDecide
  extends Pick<StoredDriftDecision, 'walletId' | 'kind' | 'subject' | 'expected' | 'found'> {
  readonly id: string
  readonly partnerId: string
  readonly partner: string
  readonly environment: Environment
  readonly isAccepted: boolean
}

export interface DriftDecision {
  readonly reason: string
  readonly by: string
  readonly at: Date
}

/** Null when there is none, when it is gone, and when it has changed since it had this id. */
export async function lockDrift(tx: Tx, id: string): Promise<DriftToDecide | null> {
  const [drift] = await tx.query<DriftToDecide>(selectLocked, [id])
  return drift ?? null
}

/** It alerts nobody while it stays as it is. */
export async function acceptDrift(tx: Tx, drift: DriftToDecide, decision: DriftDecision): Promise<void> {
  const decisionId = await insertDecision(tx, drift, 'accepted', decision)
  await tx.query(accept, [drift.id, decisionId])
}

/** Its wallet is proved from its first movement again: the proof may have gone on behind the drift. */
export async function reopenDrift(tx: Tx, drift: DriftToDecide, decision: DriftDecision): Promise<void> {
  await insertDecision(tx, drift, 'reopened', decision)
  await tx.query(accept, [drift.id, null])
  await tx.query(proveAnew, [drift.walletId])
}

async function insertDecision(
  tx: Tx,
  { id, walletId, kind, subject, expected, found }: DriftToDecide,
  outcome: StoredDriftDecision['outcome'],
  { reason, by, at }: DriftDecision,
): Promise<string> {
  const decisionId = newId(at)
  await tx.query(insert, [decisionId, id, walletId, kind, subject, expected, found, outcome, reason, by, at])
  return decisionId
}

const selectLocked: Statement = {
  name: 'drift-lock',
  text: `SELECT d.id, d.wallet_id AS "walletId", d.kind, d.subject, d.expected, d.found, partners.id AS "partnerId",
      partners.slug AS partner, wallets.environment, d.accepted_by_id IS NOT NULL AS "isAccepted"
    FROM drifts d JOIN wallets ON wallets.id = d.wallet_id JOIN partners ON partners.id = wallets.partner_id
    WHERE d.id = $1 AND d.resolved_at IS NULL FOR UPDATE OF d`,
}

const insert: Statement = {
  name: 'drift-decision-insert',
  text: `INSERT INTO drift_decisions
      (id, drift_id, wallet_id, kind, subject, expected, found, outcome, reason, decided_by, decided_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
}

const accept: Statement = {
  name: 'drift-accept',
  text: 'UPDATE drifts SET accepted_by_id = $2, passed_at = NULL WHERE id = $1',
}

const proveAnew: Statement = {
  name: 'proof-anew',
  text: 'UPDATE proofs SET proved_to = NULL, proved_to_at = NULL, summed_to = NULL WHERE wallet_id = $1',
}
