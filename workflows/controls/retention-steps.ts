// What the steps that erase what was kept long enough are told and tell: counts.

export interface RetentionSteps {
  /** Erases up to `limit` sealed recipients of payouts that are over for long enough; answers how many. Safe to repeat. */
  eraseRecipients(batch: { readonly limit: number }): Promise<number>
  /** The same for the bank's events that were handled, and that wait for nobody. */
  eraseBankEvents(batch: { readonly limit: number }): Promise<number>
}
