// What the steps of the audit chain are told and tell.

export interface AuditSteps {
  /** Chains up to `limit` rows of each table that nobody has sealed yet; answers how many. Safe to repeat. */
  sealAudit(batch: { readonly limit: number }): Promise<number>
  /** Follows the whole chain, and tells ops of a fault that it was not told yet. Safe to repeat. */
  verifyAudit(): Promise<AuditVerdict>
}

export interface AuditVerdict {
  /** How many hold, and the hash of the last of them: kept with the history, outside of the database that it is about. */
  readonly links: string
  readonly head: string
  readonly fault: string | null
}
