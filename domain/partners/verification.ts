// Maps the bank's verification status to ours. Pure, so that tests can try every value.
import type { Screening, VerificationStatus } from './partner'

/** The bank's answer. */
export interface BankVerification {
  /** The bank's own status. */
  readonly providerStatus: string
  readonly termsAccepted: boolean
  readonly paysGbp: boolean
  readonly reasons: readonly Reason[]
}

/** The bank's reason for a rejection. */
export interface Reason {
  /** Shown to the partner. */
  readonly text: string
  /** When the bank gave it, in the bank's format; null if unknown. */
  readonly at: string | null
}

/** What our own records add. */
export interface OurVerification {
  readonly status: VerificationStatus
  /** The reasons known when the partner tried again. Null if it did not, or if the bank's status has changed since. */
  readonly reasonsKnown: readonly string[] | null
  readonly wallet: 'connected' | 'absent'
}

export interface VerificationUpdate {
  readonly status: VerificationStatus
  readonly screening: Screening
  readonly reasonsKnown: readonly string[] | null
  /** An unknown status changes nothing; an operator has to look. */
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

/** Distinguishes a reason from one with the same text at another time. */
export function markOf({ text, at }: Reason): string {
  return `${at ?? ''} ${text}`
}

/** Whether the bank allows this business to have a wallet and pay GBP. */
export function isReady({ providerStatus, termsAccepted, paysGbp }: BankVerification): boolean {
  return providerStatus === 'approved' && termsAccepted && paysGbp
}

/** Shown when the bank refused to open the customer. */
export const openingRefused =
  'The bank could not open a verification for this name and contact email. Change the contact email or ask us.'

/** The first time, and again after a rejection, unless the bank's rejection is final. */
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
      return isOldNews(bank, ours) ? 'action_required' : 'rejected'
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

/** Whether the partner knew every reason when it tried again. */
function isOldNews({ reasons }: BankVerification, { reasonsKnown }: OurVerification): boolean {
  return reasonsKnown !== null && reasons.every((reason) => reasonsKnown.includes(markOf(reason)))
}

function screeningOf(providerStatus: string): Screening {
  if (providerStatus === 'approved') return 'clear'
  return ['rejected', 'paused', 'offboarded'].includes(providerStatus) ? 'blocked' : 'in_review'
}
