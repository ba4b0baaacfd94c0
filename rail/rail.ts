// The port to a bank: what the service asks of it, whichever bank answers.

export interface Rail {
  /** The bank's sell rate, GBP per USD × 10⁹; throws RailUnavailable when the bank does not answer. */
  rate(): Promise<bigint>
}

/** Trouble at the bank, as opposed to a refusal, which is a value. */
export class RailUnavailable extends Error {
  constructor(call: string, options?: ErrorOptions) {
    super(`the bank did not answer: ${call}`, options)
    this.name = 'RailUnavailable'
  }
}
