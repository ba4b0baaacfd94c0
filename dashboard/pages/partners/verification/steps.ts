// The steps of a verification, with the state of each, and the bank's view of the current application.
import type { BusinessVerification, Compliance } from '../../../api/types'
import { texts } from './texts'

export interface Step {
  readonly name: string
  readonly state: 'done' | 'yours' | 'theirs' | 'later'
}

const { names } = texts.steps
const answered = new Set(['under_review', 'paused', 'approved'])

/** Empty before verification starts and after a rejection. */
export function stepsOf(verification: BusinessVerification): readonly Step[] {
  const { status, provider_status, terms_url } = verification
  if (status === 'not_started' || status === 'rejected') return []
  if (status === 'approved') return names.map((name) => ({ name, state: 'done' }))
  const isKnown = provider_status !== null
  const isAnswered = answered.has(provider_status ?? '')
  const isReviewed = provider_status === 'approved'
  const states: readonly Step['state'][] = [
    isAnswered ? 'done' : isKnown ? 'yours' : 'later',
    terms_url === null ? (isKnown ? 'done' : 'later') : 'yours',
    isReviewed ? 'done' : isAnswered ? 'theirs' : 'later',
    isReviewed && terms_url === null ? 'theirs' : 'later',
  ]
  return names.map((name, index) => ({ name, state: states[index] ?? 'later' }))
}

export function nextSentence({ status, provider_status, continue_url, terms_url }: BusinessVerification): string {
  if (status === 'pending' && continue_url === null) return texts.status.connecting
  if (provider_status === 'paused') return texts.status.paused
  if (provider_status === 'approved' && status !== 'approved')
    return terms_url === null ? texts.status.openingWallet : texts.status.onlyTermsLeft
  if (status === 'in_review' && terms_url !== null) return texts.status.termsLeft
  return texts.status.next[status]
}

interface BankView {
  readonly bankStatus: string | null
  readonly screening: Compliance['screening']
}

/**
 * After a rejection, the bank keeps its status until the next application is complete. The status then describes the
 * earlier application. The bank screens a business only once it has all details.
 */
export function bankViewOf({
  business_verification: { status, provider_status },
  screening,
}: Pick<Compliance, 'business_verification' | 'screening'>): BankView {
  const isEarlier = provider_status === 'rejected' && status !== 'rejected'
  const isDecided = status === 'rejected' && provider_status !== null
  const isScreened = isDecided || answered.has(provider_status ?? '')
  return { bankStatus: isEarlier ? null : provider_status, screening: isScreened ? screening : 'not_started' }
}
