// Maps the bank's verification status to ours. Pure functions, so that tests can try every value.
import type { Screening, VerificationStatus } from './partner'

export interface BankVerification {
  /** The bank's status, unchanged. */
  readonly providerStatus: string
  readonly termsAccepted: boolean
  readonly paysGbp: boolean
  readonly reasons: readonly Reason[]
}

/** The bank's reason for a rejection. */
export interface Reason {
  /** Shown to the partner. */
  readonly text: string
  /** The time at which the bank gave the reason, in the bank's format. Null if unknown. */
  readonly at: string | null
}

export interface OurVerification {
  readonly status: VerificationStatus
  /**
   * The reasons that were known when the partner tried again. Null if the partner has not tried again, or if the bank's
   * status has changed since.
   */
  readonly reasonsKnown: readonly string[] | null
  readonly wallet: 'connected' | 'absent'
}

export interface VerificationUpdate {
  readonly status: VerificationStatus
  readonly screening: Screening
  readonly reasonsKnown: readonly string[] | null
  /** If the bank's status is unknown, our status stays the same and an operator must act. */
  readonly bankStatus: 'known' | 'unknown'
}

export function verificationUpdate(bank: BankVerification, ours: OurVerification): VerificationUpdate {
  const status = statusOf(bank, ours)
  return {
    status: status ?? ours.status,
    screening: screeningOf(bank.providerStatus),
    reasonsKnown: bank.providerStatus === 'rejected' ? ours.reasonsKnown : null,
    bankStatus: status === null ? 'unknown' : 'known',
  }
}

/** Returns a mark that distinguishes reasons with the same text at different times. */
export function markOf({ text, at }: Reason): string {
  return `${at ?? ''} ${text}`
}

/** Returns whether the bank allows this business to have a wallet and pay GBP. */
export function isReady({ providerStatus, termsAccepted, paysGbp }: BankVerification): boolean {
  return providerStatus === 'approved' && termsAccepted && paysGbp
}

/** The reason shown to the partner when the bank refused to open the customer. */
export const openingRefused =
  'The bank could not open a verification for this name and contact email. Change the contact email or contact support.'

/**
 * Returns whether a verification can start: the first time, and again after a rejection, unless the rejection is
 * final.
 */
export function canStart(status: VerificationStatus, providerStatus: string | null): boolean {
  return status === 'not_started' || (status === 'rejected' && providerStatus !== 'offboarded')
}

function statusOf(bank: BankVerification, ours: OurVerification): VerificationStatus | null {
  switch (bank.providerStatus) {
    case 'not_started':
      return 'pending'
    case 'incomplete':
    case 'awaiting_questionnaire':
    case 'awaiting_ubo':
      return 'action_required'
    case 'under_review':
    case 'paused':
      return 'in_review'
    case 'approved':
      return statusOfApproved(bank, ours)
    case 'rejected':
      return isKnownRejection(bank, ours) ? 'action_required' : 'rejected'
    case 'offboarded':
      return 'rejected'
    default:
      return null
  }
}

/** A business is approved once it can pay: terms accepted, GBP allowed, wallet created. */
function statusOfApproved(bank: BankVerification, { wallet }: OurVerification): VerificationStatus {
  if (!bank.termsAccepted) return 'action_required'
  return isReady(bank) && wallet === 'connected' ? 'approved' : 'in_review'
}

/** Returns whether the partner already knew every reason when it tried again. */
function isKnownRejection({ reasons }: BankVerification, { reasonsKnown }: OurVerification): boolean {
  return reasonsKnown !== null && reasons.every((reason) => reasonsKnown.includes(markOf(reason)))
}

function screeningOf(providerStatus: string): Screening {
  if (providerStatus === 'approved') return 'clear'
  return ['rejected', 'paused', 'offboarded'].includes(providerStatus) ? 'blocked' : 'in_review'
}
