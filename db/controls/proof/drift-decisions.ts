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
  const [drift] =
    await tx.sql<DriftToDecide>`SELECT d.id, d.wallet_id, d.kind, d.subject, d.expected, d.found, partners.id AS partner_id,
      partners.slug AS partner, wallets.environment, d.accepted_by_id IS NOT NULL AS is_accepted
    FROM drifts d JOIN wallets ON wallets.id = d.wallet_id JOIN partners ON partners.id = wallets.partner_id
    WHERE d.id = ${id} AND d.resolved_at IS NULL FOR UPDATE OF d`
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
  await tx.sql`UPDATE proofs SET proved_to = NULL, proved_to_at = NULL, summed_to = NULL WHERE wallet_id = ${drift.walletId}`
}

async function insertDecision(
  tx: Tx,
  { id, walletId, kind, subject, expected, found }: DriftToDecide,
  outcome: StoredDriftDecision['outcome'],
  { reason, by, at }: DriftDecision,
): Promise<string> {
  const decisionId = newId(at)
  await tx.sql`INSERT INTO drift_decisions
      (id, drift_id, wallet_id, kind, subject, expected, found, outcome, reason, decided_by, decided_at)
    VALUES (${decisionId}, ${id}, ${walletId}, ${kind}, ${subject}, ${expected}, ${found}, ${outcome}, ${reason}, ${by}, ${at})`
  return decisionId
}

const accept: Statement = {
  name: 'drift-accept',
  text: 'UPDATE drifts SET accepted_by_id = $2, passed_at = NULL WHERE id = $1',
}
