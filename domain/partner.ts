// The closed sets of words that describe a partner, its verification and its people (§2, design §5).

export const partnerStatuses = ['active', 'suspended', 'closed'] as const
export type PartnerStatus = (typeof partnerStatuses)[number]

export const verificationStatuses = [
  'not_started',
  'pending',
  'action_required',
  'in_review',
  'approved',
  'rejected',
] as const
export type VerificationStatus = (typeof verificationStatuses)[number]

export const screenings = ['clear', 'in_review', 'blocked'] as const
export type Screening = (typeof screenings)[number]

/** What is shown: before verification starts the bank has screened nothing, whatever the column's default says. */
export const shownScreenings = ['not_started', ...screenings] as const

export function shownScreening(partner: {
  readonly verificationStatus: VerificationStatus
  readonly screening: Screening
}): (typeof shownScreenings)[number] {
  return partner.verificationStatus === 'not_started' ? 'not_started' : partner.screening
}

export const memberRoles = ['admin', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]
