// A recall or trace as the API and the ops CLI show it.

import type { CaseRow } from '../../../db/payouts/cases/cases'
import type { CaseNote } from '../../../db/payouts/cases/notes'
import { formatPence, penceFromMicropounds } from '../../../domain/money'
import { caseStatusOf } from '../../../domain/payouts/case'

export function presentCase(row: CaseRow, notes: readonly CaseNote[]) {
  const charge_gbp = row.resolvedAt === null ? null : formatPence(penceFromMicropounds(row.chargeMicropounds ?? 0n))
  return {
    object: 'case' as const,
    id: row.id,
    payout_id: row.payoutId,
    kind: row.kind,
    status: caseStatusOf(row),
    reason: row.reason,
    opened_by: row.openedBy,
    opened_at: row.openedAt.toISOString(),
    due_at: row.dueAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    outcome: row.outcome,
    charge_gbp,
    notes: notes.map(({ at, madeBy, note }) => ({ at: at.toISOString(), by: madeBy, note })),
  }
}
