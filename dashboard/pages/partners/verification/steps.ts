// The steps of a verification, with the state of each.
import type { BusinessVerification } from '../../../api/types'

export interface Step {
  readonly name: string
  readonly state: 'done' | 'yours' | 'theirs' | 'later'
}

const answered = new Set(['under_review', 'paused', 'approved'])

/** Empty before it has started and after it was rejected. */
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

const names = ['Business details', 'Bank terms', 'Bank review', 'Live wallet'] as const
