// What the step that seals the audit chain is told and tells.

export interface AuditSteps {
  /** Chains up to `limit` rows of each table that nobody has sealed yet; answers how many. Safe to repeat. */
  sealAudit(batch: { readonly limit: number }): Promise<number>
}
