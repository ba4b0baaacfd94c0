// GET /v1/account: the caller's partner, its wallet and its prices.
import { type Static, Type } from 'typebox'
import { type AccountRow, loadAccount } from '../../db/partners/accounts'
import { rails } from '../../domain/environment'
import { describePrices } from '../../domain/invoices/fees'
import { partnerStatuses } from '../../domain/partners/partner'
import { get, type Handler, ok, scopeOf } from '../http/route'
import { Answer, Component, Constant, DateTime, EnvironmentName, Nullable, OneOf, Uuid } from '../http/schema'
import { checks } from '../http/steps'

const FundingWallet = Answer({
  currency: Constant('USDC'),
  chain: Type.String({ description: 'The blockchain on which the wallet receives USDC.' }),
  address: Nullable(Type.String({ description: 'Send USDC to this address to top up the wallet.' })),
})

const BankFunding = Answer(
  {
    sort_code: Type.String(),
    account_number: Type.String(),
    account_holder_name: Type.String(),
    bank_name: Type.String(),
  },
  { description: 'The bank account for top-ups in pounds.' },
)

export const requestedName = Nullable(
  Type.String({
    description: 'A new name that awaits our approval. Until it is approved, emails and invoices use `name`.',
  }),
)

export const Account = Component('Account', {
  object: Constant('account'),
  id: Uuid(),
  name: Type.String(),
  requested_name: requestedName,
  status: OneOf(partnerStatuses),
  environment: EnvironmentName,
  funding_wallet: FundingWallet,
  bank_funding: Nullable(BankFunding),
  enabled_countries: Type.Array(Type.String({ minLength: 2, maxLength: 2 })),
  prices: Answer({
    payout: Type.Optional(Type.String({ description: 'The fee of a completed payout.' })),
    payout_in_transfer: Type.Optional(
      Type.String({ description: 'The part of the fee that the wallet sends with the payout, up to the whole fee.' }),
    ),
    monthly_account: Type.Optional(Type.String()),
    business_verification: Type.Optional(Type.String({ description: 'Charged once.' })),
    network_fees: Type.Optional(Type.String()),
    bank_exceptions: Type.Optional(Type.String({ description: 'For returns, recalls and traces.' })),
  }),
  rail: Type.Optional(OneOf(rails, { description: 'The rail that sends the payouts of this key.' })),
  payouts_paused_at: Nullable(
    DateTime({
      description:
        'When we stopped sending payouts to the bank, such as for maintenance; null while we send them. ' +
        'New payouts are accepted and stay `pending` until we resume.',
    }),
  ),
})

export const exampleAccount: Static<typeof Account> = {
  object: 'account',
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55',
  name: 'Acme Ltd',
  requested_name: null,
  status: 'active',
  environment: 'sandbox',
  funding_wallet: { currency: 'USDC', chain: 'base', address: null },
  bank_funding: null,
  enabled_countries: ['GB'],
  prices: {
    payout: '0.99 GBP + 1.00%',
    payout_in_transfer: '0.50 GBP + 0.50%',
    monthly_account: '15.00 GBP',
    business_verification: '39.00 GBP',
    network_fees: 'cost + 10.00%',
    bank_exceptions: 'cost + 20.00%',
  },
  rail: 'simulated',
  payouts_paused_at: null,
}

export const getAccountRoute = get('/v1/account', 'getAccount', {
  steps: [...checks('account.read', { by: 'key', partner: 'any' }), showAccount(presentAccount)],
  summary: 'Retrieve the account',
  description: 'The status and prices of the account, and where to send money to top up its wallet.',
  reply: ok('The account.', Account, exampleAccount),
})

/** Creates the handler of a route that shows a part of the account. */
export function showAccount(present: (account: AccountRow) => unknown): Handler {
  return async (request, { db, clock }) => ({
    body: present(await loadAccount(db, { ...scopeOf(request), at: clock.now() })),
  })
}

export function presentAccount(account: AccountRow): object {
  return {
    object: 'account',
    id: account.id,
    name: account.name,
    requested_name: account.requestedName,
    status: account.status,
    environment: account.environment,
    funding_wallet: { currency: 'USDC', chain: account.chain, address: account.address },
    bank_funding: presentBankFunding(account),
    enabled_countries: account.enabledCountries,
    prices: describePrices(account),
    rail: account.rail,
    payouts_paused_at: account.railPausedAt?.toISOString() ?? null,
  }
}

function presentBankFunding(account: AccountRow): Static<typeof BankFunding> | null {
  const { fundingSortCode, fundingAccountNumber, fundingHolderName, fundingBankName } = account
  if (fundingSortCode === null || fundingAccountNumber === null) return null
  return {
    sort_code: fundingSortCode,
    account_number: fundingAccountNumber,
    account_holder_name: fundingHolderName ?? account.name,
    bank_name: fundingBankName ?? '',
  }
}
