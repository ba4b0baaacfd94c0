// The schemas of /openapi.dashboard.json as types. Generated: run `npm run generate:types` after a change to the API.
import type {
  Account,
  Environment,
  Payout,
  Recipient,
  Usage,
  UsageMonth,
} from '../../sdk/typescript/src/schemas'

export type * from '../../sdk/typescript/src/schemas'

export type AccountChanges = {
  readonly name?: string
  readonly logo_url?: string | null
  readonly logo?: string | null
  readonly brand_color?: string | null
  readonly billing_email?: string | null
  readonly contact_email?: string | null
  readonly billing_address?: string | null
  readonly notifications?: {
    readonly payout_failed?: boolean
    readonly payout_returned?: boolean
    readonly low_balance?: boolean
    readonly verification?: boolean
    readonly top_up?: boolean
    readonly case?: boolean
  }
  readonly low_balance_usdc?: string | null
  readonly confirm_code?: string
}

export type ChangedAccount = Account & {
  readonly notifications: Notifications
  readonly low_balance_usdc: string | null
}

export type CodeRequest = {
  readonly email: string
}

export type CodeSent = {
  readonly object: 'code_request'
  readonly sent_to: string
  readonly expires_in: number
}

export type ConfirmCodeRequest = {
  readonly object: 'code_request'
  readonly sent_to: string
  readonly expires_in: number
}

export type EmailsToConfirm = {
  readonly billing_email?: string | null
  readonly contact_email?: string | null
}

export type InvitationDeclined = {
  readonly slug: string
  readonly declined: true
}

export type KeyCreated = {
  readonly id: string
  readonly environment: Environment
  readonly key_prefix: string
  readonly label: string | null
  readonly created_at: string
  readonly secret: string
  readonly note: string
}

export type KeyRevoked = {
  readonly id: string
  readonly revoked: true
}

export type KeyToConfirm = {
  readonly environment: 'sandbox' | 'live'
  readonly label?: string | null
}

export type Member = {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: 'admin' | 'viewer'
  readonly status: 'invited' | 'active'
  readonly last_login_at: string | null
  readonly created_at: string
}

export type MemberChanges = {
  readonly role: 'admin' | 'viewer'
  readonly confirm_code?: string
}

export type MemberChangesToConfirm = {
  readonly role: 'admin' | 'viewer'
}

export type MemberRemoved = {
  readonly id: string
  readonly removed: true
}

export type MemberToConfirm = {
  readonly email: string
  readonly name?: string | null
  readonly role: 'admin' | 'viewer'
}

export type NewKey = {
  readonly environment: 'sandbox' | 'live'
  readonly label?: string | null
  readonly confirm_code?: string
}

export type NewMember = {
  readonly email: string
  readonly name?: string | null
  readonly role: 'admin' | 'viewer'
  readonly confirm_code?: string
}

export type NewPayoutNote = {
  readonly text: string
}

export type Notifications = {
  readonly payout_failed: boolean
  readonly payout_returned: boolean
  readonly low_balance: boolean
  readonly verification: boolean
  readonly top_up: boolean
  readonly case: boolean
}

export type Overview = {
  readonly object: 'overview'
  readonly balance: {
    readonly usdc: string
    readonly approx_gbp: string | null
  } | null
  readonly usage: Usage
  readonly history: readonly UsageMonth[]
  readonly latest: readonly Payout[]
  readonly attention: readonly {
    readonly status: 'pending' | 'processing' | 'failed' | 'returned'
    readonly payouts: readonly Payout[]
    readonly has_more: boolean
  }[]
  readonly members: number
  readonly active_keys: number
}

export type PayoutNote = {
  readonly object: 'payout_note'
  readonly id: string
  readonly at: string
  readonly by: string
  readonly text: string | null
}

export type PayoutToConfirm = {
  readonly amount_gbp: string
  readonly country?: 'GB'
  readonly reference?: string
  readonly recipient: Recipient
}

export type Session = {
  readonly object: 'session'
  readonly member: {
    readonly id: string
    readonly email: string
    readonly name: string | null
    readonly role: 'admin' | 'viewer'
    readonly last_login_at: string | null
    readonly created_at: string
  }
  readonly partner: {
    readonly id: string
    readonly slug: string
    readonly name: string
    readonly requested_name: string | null
    readonly logo_url: string | null
    readonly brand_color: string | null
    readonly status: 'active' | 'suspended' | 'closed'
    readonly billing_email: string | null
    readonly contact_email: string | null
    readonly billing_address: string | null
    readonly notifications: Notifications
    readonly low_balance_usdc: string | null
  }
  readonly partners: readonly {
    readonly slug: string
    readonly name: string
    readonly invited: boolean
  }[]
  readonly live: boolean
  readonly expires_at: string
  readonly temporal_ui_url: string | null
}

export type SignInRequest = {
  readonly email: string
  readonly code: string
  readonly purpose?: 'sign_in' | 'sign_up'
  readonly partner?: string
}

export type SignUpRequest = {
  readonly business_name: string
  readonly email: string
}

export type SignedInDevice = {
  readonly object: 'signed_in_device'
  readonly id: string
  readonly device: string | null
  readonly current: boolean
  readonly signed_in_at: string
  readonly last_used_at: string
}

export type SignedOut = {
  readonly signed_out: true
}

export type SimulatedTopUp = {
  readonly object: 'simulated_top_up'
  readonly usdc: string
}

export type SwitchRequest = {
  readonly slug: string
}

export type VerificationRequest = {
}
