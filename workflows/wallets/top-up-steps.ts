// What the one step of a sandbox top-up is told and tells: ids and amounts.

export interface SandboxTopUp {
  readonly partnerId: string
  /** Which of the partner's people asked for it; the step looks up what the activity list calls them. */
  readonly memberId?: string
  /** The key that asked for it, by its prefix, where no person did. */
  readonly keyPrefix?: string
  readonly usdc: string
  /** The same one again adds nothing. */
  readonly causeRef: string
}

export interface ToppedUp {
  /** What the wallet holds now, rounded down. */
  readonly balanceUsdc: string
}

export interface TopUpSteps {
  /** Test money, made at the sandbox bank where the wallet is at one, and booked; once, however often it is asked for. */
  topUpSandbox(topUp: SandboxTopUp): Promise<ToppedUp>
}
