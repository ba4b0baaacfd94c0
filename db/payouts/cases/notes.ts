// What people noted about recalls and traces; the partner reads it too.
import type { Queryable, Tx } from '../../database'

export interface CaseNote {
  readonly caseId: string
  readonly at: Date
  readonly madeBy: string
  readonly note: string
}

export async function addCaseNote(tx: Tx, { caseId, at, madeBy, note }: CaseNote): Promise<void> {
  await tx.sql`INSERT INTO case_notes (case_id, at, made_by, note) VALUES (${caseId}, ${at}, ${madeBy}, ${note})`
}

/** Oldest first. */
export async function listCaseNotes(db: Queryable, caseIds: readonly string[]): Promise<CaseNote[]> {
  return db.sql<CaseNote>`SELECT case_id, at, made_by, note FROM case_notes
    WHERE case_id = ANY (${caseIds}::uuid[]) ORDER BY id`
}
