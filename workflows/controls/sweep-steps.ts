// What the steps of a sweep tell their workflow: counts, and where the next page begins.

export interface Page {
  /** Where the page before ended, in the step's own words; null for the first, which continues where the last sweep stopped. */
  readonly after: string | null
  readonly limit: number
}

export interface Swept {
  /** Open payouts that were looked at, and those of them that had no workflow and got one. */
  readonly looked: number
  readonly started: number
  /** Sandboxes that are still simulated. */
  readonly connecting: number
  /** Workflows whose payout was over. */
  readonly woken: number
  /** Payouts that people were told about now. */
  readonly overdue: number
  /** What could not be done this time; the log says why, and the next sweep tries again. */
  readonly failed: number
}

/** `next` is null on the last page; a worker of the first release answers without it. */
export interface SweptPage extends Partial<Swept> {
  readonly next?: Page['after']
}

/** One that can not be helped does not keep a step from the others of its page. */
export interface SweepSteps {
  /** Starts a workflow for each open payout of the page that has none. */
  sweepPayouts(page: Page): Promise<SweptPage>
  /** Starts connecting each sandbox of the page that is still simulated. */
  sweepSandboxes(page: Page): Promise<SweptPage>
  /** Wakes workflows whose payout is over, and reports those whose payout does not exist. */
  sweepStrays(page: Page): Promise<SweptPage>
  /** Tells people, once, of each payout that is older than it should get without being over. */
  reportOverdue(page: Page): Promise<SweptPage>
}
