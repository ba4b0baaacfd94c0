// What the steps of connecting a sandbox tell their workflow: the bank's ids, no names.

export interface SandboxCustomer {
  readonly verificationRef: string
  readonly customerRef: string | null
  /** Whether the bank lets this customer have a wallet and pay pounds. */
  readonly ready: boolean
}

export interface SandboxRefs {
  readonly partnerId: string
  readonly verificationRef: string
  readonly customerRef: string
  readonly walletRef: string
  readonly address: string | null
}

export interface ConnectSandboxSteps {
  /** The customer at the bank, made by whoever asks first. */
  openSandboxCustomer(partner: { readonly partnerId: string }): Promise<SandboxCustomer>
  checkSandboxCustomer(customer: { readonly verificationRef: string }): Promise<SandboxCustomer>
  createSandboxWallet(customer: {
    readonly partnerId: string
    readonly customerRef: string
  }): Promise<Pick<SandboxRefs, 'walletRef' | 'address'>>
  /** `busy` while a payout of the simulated wallet is not over; nothing has changed then. */
  connectSandboxWallet(refs: SandboxRefs): Promise<'connected' | 'busy'>
}
