// What the steps that mail a partner's admins are told and tell: counts.

export interface NoticesSent {
  /** Notices that were told, or that nobody wants to be told. */
  readonly told: number
  readonly mails: number
  /** What could not be told this time; the log says why, and the next run tries again. */
  readonly failed: number
  /** Whether there may be more. */
  readonly more: boolean
}

export interface NoticeSteps {
  /** Finds live wallets that have become low; answers how many were new. */
  checkLowBalances(page: { readonly limit: number }): Promise<number>
  /** Makes mails of the notices of up to `limit` groups, each notice once. */
  sendNotices(page: { readonly limit: number }): Promise<NoticesSent>
}
