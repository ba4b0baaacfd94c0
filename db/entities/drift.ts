// The tables of the proof: what differs between our books and the bank's, and how far each wallet was proved.
import { EntitySchema } from 'typeorm'
import type { Finding } from '../../domain/drift'
import { id, idOf, orNull, text, time } from './columns'

export interface StoredDrift extends Finding {
  readonly id: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly resolvedAt: Date | null
  readonly toldAt: Date | null
}

export const drift = new EntitySchema<StoredDrift>({
  name: 'Drift',
  tableName: 'drifts',
  columns: {
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
  },
  uniques: [{ name: 'drifts_subject_unique', columns: ['kind', 'subject'] }],
  indices: [{ name: 'drifts_open_index', columns: ['walletId'], where: 'resolved_at IS NULL' }],
  checks: [
    {
      name: 'drifts_kind_check',
      expression: `kind IN ('wallet_balance', 'set_sum', 'payout_ledger',
        'transfer_without_payout', 'transfer_amount', 'payout_without_transfer', 'deposit_not_booked', 'bank_balance',
        'silent_payout')`,
    },
  ],
})

export type ProofOutcome = 'equal' | 'drift' | 'busy' | 'no_answer' | 'no_bank'

export interface StoredProof {
  readonly walletId: string
  readonly lookedAt: Date
  readonly outcome: ProofOutcome
  readonly comparedAt: Date | null
  readonly provedTo: string | null
  readonly provedToAt: Date | null
}

export const proof = new EntitySchema<StoredProof>({
  name: 'Proof',
  tableName: 'proofs',
  columns: {
    walletId: { ...idOf('Wallet'), primary: true },
    lookedAt: time,
    outcome: text,
    comparedAt: orNull(time),
    provedTo: orNull(text),
    provedToAt: orNull(time),
  },
  checks: [
    {
      name: 'proofs_outcome_check',
      expression: `outcome IN ('equal', 'drift', 'busy', 'no_answer', 'no_bank')`,
    },
  ],
})
