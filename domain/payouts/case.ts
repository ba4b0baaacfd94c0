// Recalls and traces: their kinds, the payouts they apply to, and their outcomes.
import type { PayoutStatus } from './payout'

export const caseKinds = ['recall', 'trace'] as const
export type CaseKind = (typeof caseKinds)[number]

export const caseOutcomes = ['returned', 'refused', 'found', 'not_found', 'withdrawn'] as const
export type CaseOutcome = (typeof caseOutcomes)[number]

export const caseStatuses = ['open', 'overdue', 'resolved'] as const
type CaseStatus = (typeof caseStatuses)[number]

/** A case is overdue once the worker has recorded `overdueAt`, not as soon as its due date has passed. */
export function caseStatusOf(row: { readonly overdueAt: Date | null; readonly resolvedAt: Date | null }): CaseStatus {
  if (row.resolvedAt !== null) return 'resolved'
  return row.overdueAt === null ? 'open' : 'overdue'
}

/** A recall needs a completed payout. A trace needs a payout that the bank has accepted. */
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
