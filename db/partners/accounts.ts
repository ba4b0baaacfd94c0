// Reads a partner's account in one statement: the partner, its wallet in the environment and its current prices.
import { assert } from '../../domain/assert'
import type { Environment, RailName } from '../../domain/environment'
import type { ShownPrices } from '../../domain/invoices/fees'
import type { PartnerStatus } from '../../domain/partners/partner'
import type { Queryable } from '../database'
import type { PartnerRow } from './partners'

export interface AccountRow extends ShownPrices, Verification {
  readonly id: string
  readonly name: string
  readonly requestedName: string | null
  readonly status: PartnerStatus
  readonly contactEmail: string | null
  readonly billingEmail: string | null
  readonly enabledCountries: readonly string[]
  readonly minPence: bigint
  readonly maxPerPayoutPence: bigint
  readonly walletId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly chain: string
  /** The bank's reference for the wallet. Null until the wallet is connected. */
  readonly walletRef: string | null
  readonly address: string | null
  /** The bank account that funds the wallet. These four fields are null until the bank has opened the account. */
  readonly fundingSortCode: string | null
  readonly fundingAccountNumber: string | null
  readonly fundingHolderName: string | null
  readonly fundingBankName: string | null
  readonly balanceMicroUsdc: bigint
  /** Null while the rail is not paused in this environment. */
  readonly railPausedAt: Date | null
}

type Verification = Pick<
  PartnerRow,
  'verificationStatus' | 'providerStatus' | 'continueUrl' | 'termsUrl' | 'screening' | 'verificationReasons'
>

/** The partner must exist. Every partner has both wallets and a price list from the moment it is created. */
export async function loadAccount(
  db: Queryable,
  { partnerId, environment, at }: { partnerId: string; environment: Environment; at: Date },
): Promise<AccountRow> {
  const [account] =
    await db.sql<AccountRow>`SELECT p.id, p.name, p.requested_name, p.status, p.contact_email, p.billing_email,
      p.verification_status, p.provider_status,
      p.continue_url, p.terms_url, p.screening,
      p.verification_reasons, p.enabled_countries,
      p.min_payout_pence AS min_pence, p.max_payout_pence AS max_per_payout_pence,
      w.id AS wallet_id, w.environment, w.rail, w.chain, w.wallet_ref, w.address, w.balance_micro_usdc,
      w.funding_sort_code, w.funding_account_number,
      w.funding_holder_name, w.funding_bank_name,
      l.payout_fixed_pence, l.payout_basis_points,
      l.bank_fixed_pence, l.bank_basis_points,
      l.monthly_account_pence, l.verification_pence, l.network_markup_basis_points, l.exception_markup_basis_points, pause.paused_at AS rail_paused_at
    FROM partners p
    JOIN wallets w ON w.partner_id = p.id AND w.environment = ${environment}
    JOIN price_lists l ON l.partner_id = p.id AND l.valid_from <= ${at} AND (l.valid_until IS NULL OR l.valid_until > ${at})
    LEFT JOIN rail_pauses pause ON pause.environment = w.environment AND pause.resumed_at IS NULL
    WHERE p.id = ${partnerId}
    ORDER BY l.valid_from DESC LIMIT 1`
  assert(account !== undefined, 'a partner must have a wallet and prices')
  return account
}
