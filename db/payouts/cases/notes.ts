// What people noted about recalls and traces; the partner reads it too.
import type { Queryable, Statement, Tx } from '../../database'

export interface CaseNote {
  readonly caseId: string
  readonly at: Date
  readonly madeBy: string
  readonly note: string
}

export async function addCaseNote(tx: Tx, { caseId, at, madeBy, note }: CaseNote): Promise<void> {
  await tx.query(insert, [caseId, at, madeBy, note])
}

/** Oldest first. */
export async function listCaseNotes(db: Queryable, caseIds: readonly string[]): Promise<CaseNote[]> {
  return db.query<CaseNote>(selectNotes, [caseIds])
}

const insert: Statement = {
  name: 'case-note-insert',
  text: 'INSERT INTO case_notes (case_id, at, made_by, note) VALUES ($1, $2, $3, $4)',
}

const selectNotes: Statement = {
  name: 'case-notes',
  text: `SELECT case_id AS "caseId", at, made_by AS "madeBy", note FROM case_notes
    WHERE case_id = ANY ($1::uuid[]) ORDER BY id`,
}
