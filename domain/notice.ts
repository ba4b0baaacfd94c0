// What a partner's admins are mailed about, each of which they can switch off.

export const noticeKinds = [
  'payout_failed',
  'payout_returned',
  'low_balance',
  'verification',
  'top_up',
  'case',
] as const
export type NoticeKind = (typeof noticeKinds)[number]
