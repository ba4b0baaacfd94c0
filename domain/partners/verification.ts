// What the bank's verification of a business means to us (design §5): pure, so that every word of the bank can be tried.
import type { Screening, VerificationStatus } from './partner'

/** What the bank says. */
export interface BankStanding {
  /** Its own word. */
  readonly providerStatus: string
  readonly termsAccepted: boolean
  readonly paysGbp: boolean
  readonly reasons: readonly Reason[]
}

/** Why the bank refused. */
export interface Reason {
  /** For people to read. */
  readonly text: string
  /** When the bank gave it, in its own writing; null when it does not say. */
  readonly at: string | null
}

/** What we know besides. */
export interface OurStanding {
  readonly status: VerificationStatus
  /** The marks of the reasons that were known when the partner tried again; null when it has not, or the bank has moved on since. */
  readonly reasonsKnown: readonly string[] | null
  readonly wallet: 'connected' | 'absent'
}

export interface Standing {
  readonly status: VerificationStatus
  readonly screening: Screening
  readonly reasonsKnown: readonly string[] | null
  /** An unknown one changes no status: people have to look. */
  readonly word: 'known' | 'unknown'
}

export function standingOf(bank: BankStanding, ours: OurStanding): Standing {
  const status = statusOf(bank, ours)
  return {
    status: status ?? ours.status,
    screening: screeningOf(bank.providerStatus),
    reasonsKnown: bank.providerStatus === 'rejected' ? ours.reasonsKnown : null,
    word: status === null ? 'unknown' : 'known',
  }
}

/** Tells a reason from one of the same words at another time. */
export function markOf({ text, at }: Reason): string {
  return `${at ?? ''} ${text}`
}

/** Whether the bank lets this business have a wallet and pay pounds. */
export function isReady({ providerStatus, termsAccepted, paysGbp }: BankStanding): boolean {
  return providerStatus === 'approved' && termsAccepted && paysGbp
}

/** What people read when the bank has not even opened it. */
export const openingRefused =
  'The bank could not open a verification for this name and contact email. Change the contact email or ask us.'

/** The first time, and again after a refusal; whom the bank has sent away for good can not. */
export function canStart(status: VerificationStatus, providerStatus: string | null): boolean {
  return status === 'not_started' || (status === 'rejected' && providerStatus !== 'offboarded')
}

function statusOf(bank: BankStanding, ours: OurStanding): VerificationStatus | null {
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

/** A business is approved once it can pay: with the terms accepted, pounds allowed and its wallet there. */
function statusOfApproved(bank: BankStanding, { wallet }: OurStanding): VerificationStatus {
  if (!bank.termsAccepted) return 'action_required'
  return isReady(bank) && wallet === 'connected' ? 'approved' : 'in_review'
}

/** Every reason is one that the partner knew when it tried again. */
function isOldNews({ reasons }: BankStanding, { reasonsKnown }: OurStanding): boolean {
  return reasonsKnown !== null && reasons.every((reason) => reasonsKnown.includes(markOf(reason)))
}

function screeningOf(providerStatus: string): Screening {
  if (providerStatus === 'approved') return 'clear'
  return ['rejected', 'paused', 'offboarded'].includes(providerStatus) ? 'blocked' : 'in_review'
}
