// GET /v1/compliance: the state of business verification, and the limits of the account.
import { type Static, Type } from 'typebox'
import { type AccountRow } from '../../db/partners/accounts'
import { formatPence } from '../../domain/money'
import { shownScreening, shownScreenings, verificationStatuses } from '../../domain/partners/partner'
import { canStart } from '../../domain/partners/verification'
import { get, ok } from '../http/route'
import { Answer, Component, Constant, Email, MoneyString, Nullable, OneOf, Uri } from '../http/schema'
import { checks } from '../http/steps'
import { showAccount } from './account'

const BusinessVerification = Answer({
  status: OneOf(verificationStatuses),
  provider_status: Nullable(Type.String({ description: "The bank's own status." })),
  continue_url: Nullable(Uri({ description: 'The page on which the business continues its verification.' })),
  terms_url: Nullable(Uri({ description: "The bank's terms, until they are accepted." })),
  reasons: Type.Array(Type.String(), { description: 'The reasons for a refusal by the bank, oldest first.' }),
  can_start: Type.Boolean({ description: 'Whether an admin can start verification, or start it again.' }),
})

const AccountRules = Answer({
  isolated_wallet: Type.Boolean({
    description:
      "Whether the account has its own wallet at the bank, which holds no other business's money. False until it is connected.",
  }),
  wallet_chain: Nullable(Type.String()),
  enabled_countries: Type.Array(Type.String()),
  payout_limits_gbp: Answer({ min: MoneyString(), max_per_payout: MoneyString() }),
  billing_email: Nullable(Email()),
  contact_email: Nullable(Email()),
})

export const Compliance = Component('Compliance', {
  object: Constant('compliance'),
  business_verification: BusinessVerification,
  account: AccountRules,
  screening: OneOf(shownScreenings, {
    description:
      "Result of the bank's screening of the business; `not_started` until the account starts business verification.",
  }),
})

export const exampleCompliance: Static<typeof Compliance> = {
  object: 'compliance',
  business_verification: {
    status: 'action_required',
    provider_status: 'incomplete',
    continue_url: 'https://bank.example.com/verify/8f2c',
    terms_url: 'https://bank.example.com/terms',
    reasons: [],
    can_start: false,
  },
  account: {
    isolated_wallet: true,
    wallet_chain: 'base',
    enabled_countries: ['GB'],
    payout_limits_gbp: { min: '1.00', max_per_payout: '20000.00' },
    billing_email: 'billing@acme.example.com',
    contact_email: 'ada@acme.example.com',
  },
  screening: 'in_review',
}

export const getComplianceRoute = get('/v1/compliance', 'getCompliance', {
  steps: [...checks('compliance.read', { by: 'key', partner: 'any' }), showAccount(presentCompliance)],
  summary: 'Retrieve verification status and limits',
  description: 'The state of business verification, what it still needs, and the smallest and largest payout.',
  reply: ok('The state of the account.', Compliance, exampleCompliance),
})

export function presentCompliance(account: AccountRow): unknown {
  return {
    object: 'compliance',
    business_verification: {
      status: account.verificationStatus,
      provider_status: account.providerStatus,
      continue_url: account.continueUrl,
      terms_url: account.termsUrl,
      reasons: account.verificationReasons,
      can_start: canStart(account.verificationStatus, account.providerStatus),
    },
    account: {
      isolated_wallet: account.walletRef !== null,
      wallet_chain: account.walletRef === null ? null : account.chain,
      enabled_countries: account.enabledCountries,
      payout_limits_gbp: {
        min: formatPence(account.minPence),
        max_per_payout: formatPence(account.maxPerPayoutPence),
      },
      billing_email: account.billingEmail,
      contact_email: account.contactEmail,
    },
    screening: shownScreening(account),
  }
}
