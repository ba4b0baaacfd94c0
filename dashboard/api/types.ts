// The answers of /v1 as the dashboard reads them (the OpenAPI document is at /openapi.json).

export type Environment = 'sandbox' | 'live'
export type Role = 'admin' | 'viewer'

export interface List<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export interface Session {
  readonly member: { readonly email: string; readonly name: string | null; readonly role: Role }
  readonly partner: SignedInPartner
  readonly partners: readonly PartnerOfMine[]
  /** Whether business verification is approved. */
  readonly live: boolean
  readonly expires_at: string
  readonly temporal_ui_url: string | null
}

export interface PartnerOfMine {
  readonly slug: string
  readonly name: string
  /** Somebody there has invited this person, who has not accepted yet. */
  readonly invited: boolean
}

export interface PublicPartner {
  readonly slug: string
  readonly name: string
  readonly logo_url?: string | null
  readonly brand_color?: string | null
}

export interface SignedInPartner extends PublicPartner {
  readonly id: string
  /** Waits for an operator's approval. */
  readonly requested_name: string | null
  readonly status: string
  readonly billing_email: string | null
  readonly contact_email: string | null
  /** Line by line. */
  readonly billing_address: string | null
  readonly notifications: Readonly<Record<NotificationKind, boolean>>
  /** Below this the live wallet is low; null: nobody has said. */
  readonly low_balance_usdc: string | null
}

/** What admins are mailed about. */
export type NotificationKind = 'payout_failed' | 'payout_returned' | 'low_balance' | 'verification' | 'top_up' | 'case'

export interface Account {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly environment: Environment
  readonly funding_wallet: { readonly currency: 'USDC'; readonly chain: string; readonly address: string | null }
  readonly enabled_countries: readonly string[]
  readonly prices: { readonly payout?: string; readonly monthly_account?: string }
  readonly rail?: 'provider_production' | 'provider_sandbox' | 'simulated'
  readonly bank_funding: BankFunding | null
}

/** Where the bank takes pounds for the wallet. */
export interface BankFunding {
  readonly sort_code: string
  readonly account_number: string
  readonly account_holder_name: string
  readonly bank_name: string
}

export interface Balance {
  readonly usdc: string
  readonly approx_gbp: string
  readonly gbp_per_usd: number
}

export interface Quote {
  readonly seller_receives_gbp: string
  readonly fee_gbp: string
  readonly wallet_sends_usdc: string
  readonly exchange_rate: { readonly gbp_per_usd: number }
  readonly fee_breakdown: { readonly taken_in_transfer_gbp: string; readonly on_monthly_invoice_gbp: string }
}

export const payoutStatuses = ['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

export interface Payout {
  readonly id: string
  readonly environment: Environment
  readonly status: PayoutStatus
  readonly reference?: string | null
  readonly amount_gbp: string
  readonly fee_gbp: string
  readonly fee_breakdown: Quote['fee_breakdown']
  readonly wallet_sent_usdc: string
  readonly recipient: { readonly name: string | null; readonly account_last4: string | null }
  readonly failure_reason?: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly created_via: 'api' | 'dashboard'
}

export interface PayoutDetails extends Pick<Quote, 'fee_breakdown' | 'exchange_rate'> {
  readonly created_by: string
  readonly idempotency_key: string
  readonly bank_reference: string | null
}

export interface PayoutEvent {
  readonly at: string
  readonly event: string
  readonly status: PayoutStatus | null
  readonly by: string | null
  readonly detail: string | null
}

export type CaseKind = 'recall' | 'trace'

export interface Case {
  readonly id: string
  readonly kind: CaseKind
  readonly status: 'open' | 'overdue' | 'resolved'
  readonly reason: string
  readonly opened_by: string
  readonly opened_at: string
  readonly due_at: string
  readonly resolved_at: string | null
  readonly outcome: string | null
  readonly charge_gbp: string | null
  readonly notes: readonly { readonly at: string; readonly by: string; readonly note: string }[]
}

export interface PayoutRequest {
  readonly amount_gbp: string
  readonly reference?: string
  readonly recipient: {
    readonly type: 'individual' | 'business'
    readonly first_name: string
    readonly last_name: string
    readonly email?: string
    readonly address: {
      readonly line1: string
      readonly line2?: string
      readonly city: string
      readonly postal_code: string
    }
    readonly bank: { readonly bank_name: string; readonly sort_code: string; readonly account_number: string }
  }
}

export interface SimilarPayouts {
  readonly similar: readonly { readonly id: string; readonly created_at: string; readonly status: PayoutStatus }[]
}

export interface WalletEntry {
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly amount_usdc: string
  readonly balance_usdc: string
  readonly payout_id: string | null
  readonly description: string | null
}

export interface RecipientSummary {
  readonly name: string | null
  readonly account_last4: string | null
  readonly payouts: number
  readonly paid_gbp: string
  readonly last_paid_at: string
}

export interface Usage {
  readonly period_start: string
  readonly payouts: {
    readonly count: number
    readonly completed: number
    readonly paid_to_sellers_gbp: string
    readonly fees_gbp: string
  }
  readonly invoice_so_far: {
    readonly lines: readonly { readonly kind: string; readonly amount_gbp: string }[]
    readonly total_gbp: string
  }
}

export interface UsageMonth {
  readonly period_start: string
  readonly count: number
  readonly completed: number
  readonly paid_gbp: string
  readonly fees_gbp: string
}

export interface Invoice {
  readonly id: string
  readonly number: string
  readonly period: string
  readonly status: 'draft' | 'open' | 'paid' | 'void'
  readonly total_gbp: string
  readonly issued_at: string | null
  readonly due_at: string | null
  readonly lines: readonly {
    readonly kind: string
    readonly description: string
    readonly quantity: number
    readonly unit_amount_gbp: string
    readonly amount_gbp: string
  }[]
}

export interface ApiKey {
  readonly id: string
  readonly environment: Environment
  readonly key_prefix: string
  readonly label: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

export interface CreatedKey extends ApiKey {
  readonly secret: string
}

export interface Member {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  /** Invited until the first sign-in. */
  readonly status: 'invited' | 'active'
  readonly last_login_at: string | null
  readonly created_at: string
}

export interface Activity {
  readonly at: string
  readonly environment: Environment | null
  readonly action: string
  readonly status: number | null
  readonly by: string
  readonly detail: string | null
  readonly request_id?: string | null
}

export interface BusinessVerification {
  readonly status: string
  readonly provider_status: string | null
  readonly continue_url: string | null
  readonly terms_url: string | null
  /** Why the bank refused, oldest first. */
  readonly reasons: readonly string[]
  readonly can_start: boolean
}

export interface Compliance {
  readonly business_verification: BusinessVerification
  readonly account: {
    readonly isolated_wallet: boolean
    readonly wallet_chain: string | null
    readonly enabled_countries: readonly string[]
    readonly payout_limits_gbp: { readonly min: string; readonly max_per_payout: string }
    readonly billing_email: string | null
    readonly contact_email: string | null
  }
  readonly screening: string
}
