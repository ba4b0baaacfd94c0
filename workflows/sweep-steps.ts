// What the steps of a sweep tell their workflow: counts, and where the next page begins.

export interface OpenPage {
  readonly after: { readonly createdAt: string; readonly payoutId: string } | null
  readonly limit: number
}

export interface PartnerPage {
  readonly after: string | null
  readonly limit: number
}

/** `next` is null on the last page. */
export interface SweptPayouts {
  readonly looked: number
  readonly started: number
  readonly next: OpenPage['after']
}

export interface SweptSandboxes {
  readonly started: number
  readonly next: PartnerPage['after']
}

export interface SweepSteps {
  /** Starts a workflow for each open payout of the page that has none. */
  sweepPayouts(page: OpenPage): Promise<SweptPayouts>
  /** Starts connecting each sandbox of the page that is still simulated. */
  sweepSandboxes(page: PartnerPage): Promise<SweptSandboxes>
  /** Wakes workflows whose payout is over, and reports those whose payout does not exist. */
  sweepStrays(page: { readonly limit: number }): Promise<{ readonly woken: number }>
}
