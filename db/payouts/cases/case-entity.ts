// The tables of recalls and traces, and of what people noted about them, which only ever grows.
import { EntitySchema } from 'typeorm'
import type { CaseKind, CaseOutcome } from '../../../domain/payouts/case'
import { bigint, id, idOf, orNull, sequence, text, time } from '../../columns'

export interface StoredCase {
  readonly id: string
  readonly payoutId: string
  readonly kind: CaseKind
  readonly reason: string
  readonly openedBy: string
  readonly openedAt: Date
  readonly dueAt: Date
  readonly overdueAt: Date | null
  readonly resolvedAt: Date | null
  readonly resolvedBy: string | null
  readonly outcome: CaseOutcome | null
  readonly costMicropounds: bigint | null
}

export interface StoredCaseNote {
  readonly id: bigint
  readonly caseId: string
  readonly at: Date
  readonly madeBy: string
  readonly note: string
}

export const payoutCase = new EntitySchema<StoredCase>({
  name: 'Case',
  tableName: 'cases',
  columns: {
    id,
    payoutId: idOf('Payout'),
    kind: text,
    reason: text,
    openedBy: text,
    openedAt: time,
    dueAt: time,
    overdueAt: orNull(time),
    resolvedAt: orNull(time),
    resolvedBy: orNull(text),
    outcome: orNull(text),
    costMicropounds: orNull(bigint),
  },
})

export const caseNote = new EntitySchema<StoredCaseNote>({
  name: 'CaseNote',
  tableName: 'case_notes',
  columns: { id: sequence, caseId: idOf('Case'), at: time, madeBy: text, note: text },
})
