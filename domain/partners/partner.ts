// The closed sets of values that describe a partner, its verification, its members and the notices that admins receive.

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

const screenings = ['clear', 'in_review', 'blocked'] as const
export type Screening = (typeof screenings)[number]

/**
 * The screening shown to the partner. It is `not_started` before verification starts, whatever the database column
 * contains.
 */
export const shownScreenings = ['not_started', ...screenings] as const

export function shownScreening(partner: {
  readonly verificationStatus: VerificationStatus
  readonly screening: Screening
}): (typeof shownScreenings)[number] {
  return partner.verificationStatus === 'not_started' ? 'not_started' : partner.screening
}

/**
 * Decides how to store a new name. A new name needs an operator's approval during verification, after it is approved,
 * and once live is open.
 */
export function renamed(
  partner: {
    readonly name: string
    readonly verificationStatus: VerificationStatus
    readonly liveOpenedAt: object | null
  },
  name: string,
): { readonly name: string; readonly requestedName: string | null } {
  const { verificationStatus, liveOpenedAt } = partner
  const isUnverified = verificationStatus === 'not_started' || verificationStatus === 'rejected'
  if (name === partner.name || (isUnverified && liveOpenedAt === null)) return { name, requestedName: null }
  return { name: partner.name, requestedName: name }
}

/** Words that cannot be a slug, because such a partner's sign-in page would look like one of our own pages. */
const reservedSlugs: ReadonlySet<string> = new Set(
  `about account accounts activity admin administrator api app assets audit auth bank billing blog cdn compliance contact
  dashboard docs documentation download email help home invoices keys legal live login logout mail me members metrics new null
  official openapi ops p partner partners payment payments payout payouts pricing privacy public root sandbox secure security
  settings sign-in sign-out sign-up signin signout signup sso static status support system team temporal terms test undefined
  v1 v2 verification verify wallet webhook webhooks www`.split(/\s+/),
)

export function isReservedSlug(slug: string): boolean {
  return reservedSlugs.has(slug)
}

export const memberRoles = ['admin', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]

/** Notices that are emailed to a partner's admins. The partner can disable each of them. */
export const noticeKinds = [
  'payout_failed',
  'payout_returned',
  'low_balance',
  'verification',
  'top_up',
  'case',
] as const
export type SwitchableNotice = (typeof noticeKinds)[number]

/**
 * Also includes the notice about a key's or admin's first live payout. It is a security notice, so it cannot be
 * disabled.
 */
export type NoticeKind = SwitchableNotice | 'first_payout'
