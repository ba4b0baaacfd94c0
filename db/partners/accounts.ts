// What one API key's account is: its partner, the wallet of its environment and the prices of the moment, in one statement.
import { assert } from '../../domain/assert'
import type { Environment, RailName } from '../../domain/environment'
import type { PayoutPrices } from '../../domain/invoices/fees'
import type { PartnerStatus, Screening, VerificationStatus } from '../../domain/partners/partner'
import type { Queryable, Statement } from '../database'

export interface AccountRow extends PayoutPrices {
  readonly id: string
  readonly name: string
  readonly requestedName: string | null
  readonly status: PartnerStatus
  readonly contactEmail: string | null
  readonly billingEmail: string | null
  readonly verificationStatus: VerificationStatus
  readonly providerStatus: string | null
  readonly continueUrl: string | null
  readonly termsUrl: string | null
  readonly screening: Screening
  readonly verificationReasons: readonly string[]
  readonly enabledCountries: readonly string[]
  readonly minPence: bigint
  readonly maxPerPayoutPence: bigint
  readonly walletId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly chain: string
  /** What the bank calls the wallet; null until it is connected. */
  readonly walletRef: string | null
  readonly address: string | null
  /** Where a bank transfer reaches the wallet; null until the bank has opened that account. */
  readonly fundingSortCode: string | null
  readonly fundingAccountNumber: string | null
  readonly fundingHolderName: string | null
  readonly fundingBankName: string | null
  readonly balanceMicroUsdc: bigint
  readonly monthlyAccountPence: bigint
}

/** The partner must exist, with both wallets and a price list, as every partner has from its first day. */
export async function loadAccount(
  db: Queryable,
  { partnerId, environment, at }: { partnerId: string; environment: Environment; at: Date },
): Promise<AccountRow> {
  const [account] = await db.query<AccountRow>(selectAccount, [partnerId, environment, at])
  assert(account !== undefined, 'a partner must have a wallet and prices')
  return account
}

const selectAccount: Statement = {
  name: 'account',
  text: `SELECT p.id, p.name, p.requested_name AS "requestedName", p.status, p.contact_email AS "contactEmail", p.billing_email AS "billingEmail",
      p.verification_status AS "verificationStatus", p.provider_status AS "providerStatus",
      p.continue_url AS "continueUrl", p.terms_url AS "termsUrl", p.screening,
      p.verification_reasons AS "verificationReasons", p.enabled_countries AS "enabledCountries",
      p.min_payout_pence AS "minPence", p.max_payout_pence AS "maxPerPayoutPence",
      w.id AS "walletId", w.environment, w.rail, w.chain, w.wallet_ref AS "walletRef", w.address, w.balance_micro_usdc AS "balanceMicroUsdc",
      w.funding_sort_code AS "fundingSortCode", w.funding_account_number AS "fundingAccountNumber",
      w.funding_holder_name AS "fundingHolderName", w.funding_bank_name AS "fundingBankName",
      l.payout_fixed_pence AS "payoutFixedPence", l.payout_basis_points AS "payoutBasisPoints",
      l.bank_fixed_pence AS "bankFixedPence", l.bank_basis_points AS "bankBasisPoints",
      l.monthly_account_pence AS "monthlyAccountPence"
    FROM partners p
    JOIN wallets w ON w.partner_id = p.id AND w.environment = $2
    JOIN price_lists l ON l.partner_id = p.id AND l.valid_from <= $3 AND (l.valid_until IS NULL OR l.valid_until > $3)
    WHERE p.id = $1
    ORDER BY l.valid_from DESC LIMIT 1`,
}
