// What the steps of a verification tell their workflow: where it stands, and nothing of the business.
import type { VerificationStatus } from '../../domain/partners/partner'

export interface PartnerToVerify {
  readonly partnerId: string
}

export interface VerificationStanding {
  readonly status: VerificationStatus
  /** The bank lets the business pay, and its wallet or the ways of money into it are not there yet. */
  readonly ready: boolean
}

/** Each asks the bank, stores what it says in one transaction, and may be repeated at any point. */
export interface VerificationSteps {
  /** Both do the same: the customer at the bank is made by whoever asks first, once it was begun. */
  openLiveCustomer(partner: PartnerToVerify): Promise<VerificationStanding>
  checkLiveCustomer(partner: PartnerToVerify): Promise<VerificationStanding>
  /** Wallet, deposit address, bank account, charge and approval, once. */
  connectLiveWallet(partner: PartnerToVerify): Promise<VerificationStanding>
}

export interface VerificationsPage {
  /** The last partner of the page before; null for the first. */
  readonly after: string | null
  readonly limit: number
}

export interface VerificationsSteps {
  /** Starts the verification of each partner of the page whose own does not run; `next` is null on the last page. */
  startVerifications(page: VerificationsPage): Promise<{ readonly started: number; readonly next: string | null }>
}
