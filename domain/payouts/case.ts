// Recalls and traces of payouts: what they are called, of which payouts they can be asked for, and how they can end.
import type { PayoutStatus } from './payout'

export const caseKinds = ['recall', 'trace'] as const
export type CaseKind = (typeof caseKinds)[number]

export const caseOutcomes = ['returned', 'refused', 'found', 'not_found', 'withdrawn'] as const
export type CaseOutcome = (typeof caseOutcomes)[number]

export const caseStatuses = ['open', 'overdue', 'resolved'] as const
export type CaseStatus = (typeof caseStatuses)[number]

/** Overdue from when people were told that it is. */
export function caseStatusOf(row: { readonly overdueAt: Date | null; readonly resolvedAt: Date | null }): CaseStatus {
  if (row.resolvedAt !== null) return 'resolved'
  return row.overdueAt === null ? 'open' : 'overdue'
}

/** Only what has arrived can be called back; what is on its way, or should have arrived, can be looked for. */
const openFor: Readonly<Record<CaseKind, readonly PayoutStatus[]>> = {
  recall: ['completed'],
  trace: ['processing', 'completed'],
}

export function canOpen(kind: CaseKind, status: PayoutStatus): boolean {
  return openFor[kind].includes(status)
}

const endsOf: Readonly<Record<CaseKind, readonly CaseOutcome[]>> = {
  recall: ['returned', 'refused', 'withdrawn'],
  trace: ['found', 'not_found', 'returned', 'withdrawn'],
}

export function canEnd(kind: CaseKind, outcome: CaseOutcome): boolean {
  return endsOf[kind].includes(outcome)
}
