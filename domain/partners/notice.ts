// The kinds of notices mailed to a partner's admins.

/** The partner can disable each of these. */
export const noticeKinds = [
  'payout_failed',
  'payout_returned',
  'low_balance',
  'verification',
  'top_up',
  'case',
] as const
export type SwitchableNotice = (typeof noticeKinds)[number]

/** The first live payout of a key or an admin is a security notice, so it is always mailed. */
export type NoticeKind = SwitchableNotice | 'first_payout'
