// What the one step of a recall or trace is told and tells: an id, and how long to wait.

export interface CaseRef {
  readonly caseId: string
}

export type CaseStanding =
  | { readonly at: 'over' }
  /** Null when it is late, and people know. */
  | { readonly at: 'open'; readonly dueInMs: number | null }

export interface PayoutCaseSteps {
  /** How the case stands by its row; the first to find it late tells people, once. Safe to repeat. */
  lookAfterCase(ref: CaseRef): Promise<CaseStanding>
}
