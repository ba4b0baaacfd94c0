// The tables of the proof: what differs between our books and the bank's, what people say to it, and how far each wallet was proved.
import { EntitySchema } from 'typeorm'
import type { Finding } from '../../../domain/controls/drift'
import { bigint, id, idOf, integer, orNull, sequence, text, time, uuid, withDefault } from '../../columns'

export interface StoredDrift extends Required<Finding> {
  readonly id: string
  readonly acceptedById: string | null
  readonly passedAt: Date | null
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
    size: withDefault(text, ''),
    acceptedById: orNull(idOf('DriftDecision')),
    passedAt: orNull(time),
  },
})

export interface StoredDriftDecision extends Omit<Finding, 'size'> {
  readonly id: string
  readonly driftId: string
  readonly outcome: 'accepted' | 'reopened'
  readonly reason: string
  readonly decidedBy: string
  readonly decidedAt: Date
}

export const driftDecision = new EntitySchema<StoredDriftDecision>({
  name: 'DriftDecision',
  tableName: 'drift_decisions',
  columns: {
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
  },
})

/** With equal, drift and no_bank a wallet was compared with its bank, or is at none. An idle sandbox is left out until it wakes up. */
export type ProofOutcome = 'equal' | 'drift' | 'busy' | 'no_answer' | 'no_bank' | 'too_long' | 'failed' | 'idle'

export interface StoredProof {
  readonly walletId: string
  readonly lookedAt: Date
  readonly outcome: ProofOutcome
  readonly comparedAt: Date | null
  readonly provedTo: string | null
  readonly provedToAt: Date | null
  readonly summedTo: string | null
  readonly bankMicroUsdc: bigint
  readonly acceptedMicroUsdc: bigint
  readonly bookings: number
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
    summedTo: orNull(text),
    bankMicroUsdc: withDefault(bigint, 0),
    acceptedMicroUsdc: withDefault(bigint, 0),
    bookings: withDefault(integer, 0),
  },
})

/** Up to where a wallet's own books were verified without a drift, and the sums up to there. */
export interface StoredProofCheckpoint {
  readonly walletId: string
  readonly entryId: bigint | null
  readonly balanceMicroUsdc: bigint
  readonly bookings: number
  readonly verifiedAt: Date
  readonly fullAt: Date
}

export const proofCheckpoint = new EntitySchema<StoredProofCheckpoint>({
  name: 'ProofCheckpoint',
  tableName: 'proof_checkpoints',
  columns: {
    walletId: { ...idOf('Wallet'), primary: true },
    entryId: orNull(bigint),
    balanceMicroUsdc: bigint,
    bookings: integer,
    verifiedAt: time,
    fullAt: time,
  },
})

/** A payout or a ledger set that changed since its wallet's checkpoint. */
export interface StoredProofChange {
  readonly id: bigint
  readonly walletId: string
  readonly payoutId: string | null
  readonly setId: string | null
}

export const proofChange = new EntitySchema<StoredProofChange>({
  name: 'ProofChange',
  tableName: 'proof_changes',
  columns: { id: sequence, walletId: uuid, payoutId: orNull(uuid), setId: orNull(uuid) },
})
