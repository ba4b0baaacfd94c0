// POST /v1/quotes: the current cost of a payout. The quote is not binding.
import { Type } from 'typebox'
import { type AccountRow, loadAccount } from '../../db/partners/accounts'
import { assert } from '../../domain/assert'
import { isWithin } from '../../domain/limits'
import { formatPence, formatUsdc, type Pence, parsePence } from '../../domain/money'
import { type Quote, quoteFor } from '../../domain/payouts/quote'
import { loadRate, presentRate } from '../bank/rate'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, ok, post, type Reply, scopeOf } from '../http/route'
import { Answer, Body, Component, Constant, MoneyString } from '../http/schema'
import { checks } from '../http/steps'
import { amountField, countryField, payoutFieldErrors } from './request/body'

const QuoteRequest = Body('QuoteRequest', { amount_gbp: amountField, country: countryField })

export const QuoteAnswer = Component('Quote', {
  object: Constant('quote'),
  country: Constant('GB'),
  seller_receives_gbp: MoneyString(),
  fee_gbp: MoneyString({ description: 'The total fee: the two parts of fee_breakdown.' }),
  wallet_sends_usdc: MoneyString({ description: 'The amount that would leave the wallet.' }),
  exchange_rate: Answer({ gbp_per_usd: Type.Number() }),
  fee_breakdown: Answer({
    taken_in_transfer_gbp: MoneyString({
      description: "The bank's share, which the wallet sends in addition to the amount.",
    }),
    on_monthly_invoice_gbp: MoneyString(),
  }),
})

export const exampleQuote = {
  object: 'quote',
  country: 'GB',
  seller_receives_gbp: '120.00',
  fee_gbp: '2.19',
  wallet_sends_usdc: '153.30',
  exchange_rate: { gbp_per_usd: 0.79 },
  fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
}

export const createQuoteRoute = post('/v1/quotes', 'createQuote', {
  steps: [
    ...checks(
      'quote.create',
      { by: 'key', partner: 'any', role: 'viewer' },
      { body: QuoteRequest, fieldErrors: payoutFieldErrors },
    ),
    createQuote,
  ],
  summary: 'Create a quote',
  description: 'A quote is not binding. A payout is priced when it is created.',
  bodyExample: { amount_gbp: '120.00', country: 'GB' },
  reply: ok('The quote.', QuoteAnswer, exampleQuote),
  errors: ['invalid_amount', 'corridor_not_enabled', 'provider_unavailable'],
})

async function createQuote(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { amount_gbp, country = 'GB' } = bodyOf<typeof QuoteRequest>(request)
  const amountPence = parsePence(amount_gbp)
  assert(amountPence !== null, 'the schema accepts only amounts')
  const account = await loadAccount(deps.db, { ...scopeOf(request), at: deps.clock.now() })
  requireAllowed({ amountPence, country }, account)
  const gbpPerUsdNano = await loadRate(account.rail, deps)
  return { body: presentQuote(quoteFor({ amountPence, prices: account, gbpPerUsdNano })) }
}

/** Checks against the settings of the account: first the amount, then the country. */
export function requireAllowed(
  { amountPence, country }: { amountPence: Pence; country: string },
  account: AccountRow,
): void {
  if (!isWithin(amountPence, account)) {
    const min = formatPence(account.minPence)
    const max_per_payout = formatPence(account.maxPerPayoutPence)
    throw new ApiError('invalid_amount', {
      message: `amount_gbp must be from ${min} to ${max_per_payout} for this account.`,
      details: { min, max_per_payout },
    })
  }
  if (!account.enabledCountries.includes(country)) throw new ApiError('corridor_not_enabled')
}

export function presentQuote(quote: Quote): unknown {
  return {
    object: 'quote',
    country: 'GB',
    seller_receives_gbp: formatPence(quote.amountPence),
    fee_gbp: formatPence(quote.feePence),
    wallet_sends_usdc: formatUsdc(quote.walletSendsMicroUsdc),
    exchange_rate: { gbp_per_usd: presentRate(quote.gbpPerUsdNano) },
    fee_breakdown: {
      taken_in_transfer_gbp: formatPence(quote.inTransferPence),
      on_monthly_invoice_gbp: formatPence(quote.onInvoicePence),
    },
  }
}
