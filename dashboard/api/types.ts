// The names that the pages use for the API's schemas.
import type { Account, Case, Compliance, CreatePayoutRequest, Payout, Recipient, Session } from './schemas'

export type * from './schemas'

export interface List<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export type Environment = Payout['environment']
export type Role = Session['member']['role']
export type CaseKind = Case['kind']
export type SignedInPartner = Session['partner']
export type PartnerOfMine = Session['partners'][number]
/** The kinds of email notification that admins receive. */
export type NotificationKind = keyof SignedInPartner['notifications']
export type BankFunding = NonNullable<Account['bank_funding']>
export type BusinessVerification = Compliance['business_verification']

/** The form always sets the recipient's type. */
export type PayoutRequest = CreatePayoutRequest & { readonly recipient: Required<Pick<Recipient, 'type'>> }

export type PayoutStatus = Payout['status']
export const payoutStatuses = [
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'returned',
] as const satisfies readonly PayoutStatus[]
