// The schemas of /openapi.json as types. Generated: run `npm run generate:types` after a change to the API.

export type Account = {
  readonly object: 'account'
  readonly id: string
  readonly name: string
  readonly requested_name: string | null
  readonly status: 'active' | 'suspended' | 'closed'
  readonly environment: Environment
  readonly funding_wallet: {
    readonly currency: 'USDC'
    readonly chain: string
    readonly address: string | null
  }
  readonly bank_funding: {
    readonly sort_code: string
    readonly account_number: string
    readonly account_holder_name: string
    readonly bank_name: string
  } | null
  readonly enabled_countries: readonly string[]
  readonly prices: {
    readonly payout?: string
    readonly payout_in_transfer?: string
    readonly monthly_account?: string
    readonly business_verification?: string
    readonly network_fees?: string
    readonly bank_exceptions?: string
  }
  readonly rail?: 'provider_production' | 'provider_sandbox' | 'simulated'
  readonly payouts_paused_at: string | null
}

export type Activity = {
  readonly id: string
  readonly at: string
  readonly environment: Environment | null
  readonly action: string
  readonly status: number | null
  readonly by: string
  readonly detail: string | null
  readonly request_id: string | null
  readonly payout: {
    readonly id: string
    readonly amount_gbp: string
    readonly recipient: {
      readonly name: string | null
      readonly account_last4: string | null
    }
  } | null
}

export type ApiKey = {
  readonly id: string
  readonly environment: Environment
  readonly key_prefix: string
  readonly label: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

export type Balance = {
  readonly object: 'balance'
  readonly usdc: string
  readonly approx_gbp: string
  readonly gbp_per_usd: number
}

export type Case = {
  readonly object: 'case'
  readonly id: string
  readonly payout_id: string
  readonly kind: 'recall' | 'trace'
  readonly status: 'open' | 'overdue' | 'resolved'
  readonly reason: string
  readonly opened_by: string
  readonly opened_at: string
  readonly due_at: string
  readonly resolved_at: string | null
  readonly outcome: 'returned' | 'refused' | 'found' | 'not_found' | 'withdrawn' | null
  readonly charge_gbp: string | null
  readonly notes: readonly {
    readonly at: string
    readonly by: string
    readonly note: string
  }[]
}

export type Charge = {
  readonly id: string
  readonly object: 'charge'
  readonly kind: 'payout_fee' | 'network_fee' | 'exception' | 'monthly_account' | 'verification' | 'credit'
  readonly line_kind: 'payout_fees' | 'monthly_account' | 'business_verification' | 'network_fees' | 'bank_exceptions' | 'credit'
  readonly amount_gbp: string
  readonly cause: 'payout_completed' | 'payout_returned' | 'case_resolved' | 'monthly_account' | 'verification' | 'correction'
  readonly payout_id: string | null
  readonly case_id: string | null
  readonly month: string
  readonly description: string | null
  readonly created_at: string
}

export type Compliance = {
  readonly object: 'compliance'
  readonly business_verification: {
    readonly status: 'not_started' | 'pending' | 'action_required' | 'in_review' | 'approved' | 'rejected'
    readonly provider_status: string | null
    readonly continue_url: string | null
    readonly terms_url: string | null
    readonly reasons: readonly string[]
    readonly can_start: boolean
  }
  readonly account: {
    readonly isolated_wallet: boolean
    readonly wallet_chain: string | null
    readonly enabled_countries: readonly string[]
    readonly payout_limits_gbp: {
      readonly min: string
      readonly max_per_payout: string
    }
    readonly billing_email: string | null
    readonly contact_email: string | null
  }
  readonly screening: 'not_started' | 'clear' | 'in_review' | 'blocked'
}

export type CreatePayoutRequest = {
  readonly amount_gbp: string
  readonly country?: 'GB'
  readonly reference?: string
  readonly recipient: Recipient
  readonly confirm_code?: string
}

export type Discovery = {
  readonly name: string
  readonly version: string
  readonly docs: string
}

export type Environment = 'sandbox' | 'live'

export type ErrorBody = {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details?: unknown
  }
}

export type ExchangeRate = {
  readonly gbp_per_usd: number
}

export type ExportActivityQuery = {
  readonly q?: string
  readonly created_after?: string
  readonly created_before?: string
  readonly id?: string
  readonly changes_only?: 'true' | 'false'
  readonly security_only?: 'true' | 'false'
}

export type ExportInvoiceChargesQuery = {
  readonly line_kind?: 'payout_fees' | 'monthly_account' | 'business_verification' | 'network_fees' | 'bank_exceptions' | 'credit'
}

export type ExportPayoutsQuery = GetPayoutTotalsQuery & {
  readonly sort?: 'newest' | 'oldest' | 'largest' | 'smallest'
}

export type ExportWalletEntriesQuery = {
  readonly created_after?: string
  readonly created_before?: string
  readonly kind?: string
}

export type FeeBreakdown = {
  readonly taken_in_transfer_gbp: string
  readonly on_monthly_invoice_gbp: string
}

export type GetPartnerLogoQuery = {
  readonly v?: string
}

export type GetPayoutTotalsQuery = {
  readonly q?: string
  readonly status?: string
  readonly created_after?: string
  readonly created_before?: string
  readonly completed_after?: string
  readonly completed_before?: string
  readonly updated_after?: string
  readonly reference?: string
  readonly idempotency_key?: string
  readonly account_last4?: string
  readonly amount_min?: string
  readonly amount_max?: string
  readonly created_by?: string
}

export type GetUsageHistoryQuery = {
  readonly months?: number
}

export type GetWalletBalancesQuery = {
  readonly created_after?: string
  readonly created_before?: string
}

export type Invitation = {
  readonly object: 'invitation'
  readonly status: 'open' | 'accepted'
}

export type Invoice = {
  readonly id: string
  readonly object: 'invoice'
  readonly number: string
  readonly period: string
  readonly months: readonly string[]
  readonly status: 'draft' | 'open' | 'paid' | 'void'
  readonly total_gbp: string
  readonly credit_carried_in_gbp: string
  readonly credit_carried_forward_gbp: string
  readonly issued_at: string | null
  readonly due_at: string | null
  readonly paid_at: string | null
  readonly voided_at: string | null
  readonly void_reason: string | null
  readonly replaces: {
    readonly id: string
    readonly number: string
  } | null
  readonly replaced_by: {
    readonly id: string
    readonly number: string
  } | null
  readonly payment_instructions: readonly string[]
  readonly lines: readonly {
    readonly kind: 'payout_fees' | 'monthly_account' | 'business_verification' | 'network_fees' | 'bank_exceptions' | 'credit'
    readonly description: string
    readonly quantity: number
    readonly unit_amount_gbp: string
    readonly amount_gbp: string
  }[]
}

export type ListActivityQuery = ExportActivityQuery & {
  readonly limit?: number
  readonly starting_after?: string
}

export type ListInvoiceChargesQuery = {
  readonly limit?: number
  readonly starting_after?: string
  readonly line_kind?: 'payout_fees' | 'monthly_account' | 'business_verification' | 'network_fees' | 'bank_exceptions' | 'credit'
}

export type ListInvoicesQuery = {
  readonly limit?: number
  readonly starting_after?: string
}

export type ListKeysQuery = {
  readonly limit?: number
  readonly starting_after?: string
  readonly status?: 'active' | 'revoked'
}

export type ListPayoutsQuery = GetPayoutTotalsQuery & {
  readonly limit?: number
  readonly starting_after?: string
  readonly sort?: 'newest' | 'oldest' | 'largest' | 'smallest'
}

export type ListRecipientsQuery = {
  readonly limit?: number
  readonly starting_after?: string
}

export type ListWalletEntriesQuery = {
  readonly limit?: number
  readonly starting_after?: string
  readonly created_after?: string
  readonly created_before?: string
  readonly kind?: string
}

export type NewCase = {
  readonly kind: 'recall' | 'trace'
  readonly reason: string
}

export type Payout = {
  readonly id: string
  readonly object: 'payout'
  readonly environment: Environment
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'returned'
  readonly reference?: string | null
  readonly country: 'GB'
  readonly amount_gbp: string
  readonly fee_gbp: string
  readonly fee_breakdown: FeeBreakdown
  readonly wallet_sent_usdc: string
  readonly recipient: {
    readonly name: string | null
    readonly account_last4: string | null
  }
  readonly failure_reason?: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly created_via: 'api' | 'dashboard'
  readonly idempotency_key: string
}

export type PayoutCheck = {
  readonly object: 'payout_check'
  readonly similar: readonly {
    readonly id: string
    readonly created_at: string
    readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'returned'
  }[]
  readonly bank_receives: {
    readonly recipient_name: string
    readonly reference: string | null
  }
}

export type PayoutCreated = Payout & {
  readonly quote?: Quote
}

export type PayoutDetails = {
  readonly object: 'payout_details'
  readonly id: string
  readonly idempotency_key: string
  readonly created_by: string
  readonly exchange_rate: ExchangeRate
  readonly fee_breakdown: FeeBreakdown
  readonly bank_reference: string | null
}

export type PayoutEvent = {
  readonly at: string
  readonly event: 'requested' | 'debited' | 'sent' | 'unconfirmed' | 'completed' | 'failed' | 'cancelled' | 'returned' | 'refunded' | 'case_opened' | 'case_resolved'
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'returned'
  readonly by: string
  readonly detail: string | null
}

export type PayoutTotals = {
  readonly object: 'payout_totals'
  readonly count: number
  readonly amount_gbp: string
  readonly fee_gbp: string
  readonly by_status: readonly {
    readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'returned'
    readonly count: number
    readonly amount_gbp: string
    readonly fee_gbp: string
  }[]
}

export type PublicPartner = {
  readonly slug: string
  readonly name: string
  readonly logo_url?: string | null
  readonly brand_color?: string | null
}

export type Quote = {
  readonly object: 'quote'
  readonly country: 'GB'
  readonly seller_receives_gbp: string
  readonly fee_gbp: string
  readonly wallet_sends_usdc: string
  readonly exchange_rate: ExchangeRate
  readonly fee_breakdown: FeeBreakdown
}

export type QuoteRequest = {
  readonly amount_gbp: string
  readonly country?: 'GB'
}

export type Recipient = {
  readonly type?: 'individual' | 'business'
  readonly first_name: string
  readonly last_name: string
  readonly email?: string
  readonly address: {
    readonly line1: string
    readonly line2?: string
    readonly city: string
    readonly postal_code: string
    readonly region?: string
  }
  readonly bank: {
    readonly bank_name: string
    readonly sort_code: string
    readonly account_number: string
  }
}

export type RecipientSummary = {
  readonly name: string | null
  readonly account_last4: string | null
  readonly payouts: number
  readonly paid_gbp: string
  readonly last_paid_at: string
}

export type Simulation = {
  readonly object: 'simulation'
  readonly payout_id: string
  readonly outcome: 'settle' | 'fail' | 'return' | 'stall'
}

export type SimulationRequest = {
  readonly outcome: 'fail' | 'return'
  readonly reason?: 'account_blocked' | 'account_closed' | 'account_inactive' | 'account_switched' | 'bank_refused' | 'bank_unavailable' | 'currency_not_accepted' | 'details_refused' | 'duplicate_payment' | 'invalid_account' | 'name_mismatch' | 'not_permitted' | 'recalled' | 'recipient_deceased' | 'recipient_refused' | 'reference_required'
} | {
  readonly outcome: 'settle' | 'stall'
}

export type TopUp = {
  readonly object: 'top_up'
  readonly usdc: string
  readonly balance_usdc: string
}

export type TopUpRequest = {
  readonly usdc: string
}

export type Usage = {
  readonly object: 'usage'
  readonly period_start: string
  readonly payouts: {
    readonly count: number
    readonly completed: number
    readonly paid_to_sellers_gbp: string
    readonly fees_gbp: string
  }
  readonly invoice_so_far: {
    readonly lines: readonly {
      readonly kind: 'payout_fees' | 'monthly_account' | 'business_verification' | 'network_fees' | 'bank_exceptions' | 'credit'
      readonly amount_gbp: string
    }[]
    readonly total_gbp: string
  }
}

export type UsageMonth = {
  readonly period_start: string
  readonly count: number
  readonly completed: number
  readonly paid_gbp: string
  readonly fees_gbp: string
}

export type WalletBalances = {
  readonly object: 'wallet_balances'
  readonly opening_balance_usdc: string
  readonly closing_balance_usdc: string
}

export type WalletEntry = {
  readonly id: string
  readonly at: string
  readonly kind: 'topup' | 'payout' | 'refund' | 'return' | 'adjustment'
  readonly amount_usdc: string
  readonly balance_usdc: string
  readonly payout_id: string | null
  readonly description: string
}
