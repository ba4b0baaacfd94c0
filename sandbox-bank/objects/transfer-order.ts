// Validates a transfer request, in the order in which the real bank checks it.
import type { Call } from '../http/call'
import { invalid, refusal, unknownIn } from '../http/errors'
import { optionalAmount, optionalText, requiredAmount, requiredChoice, requiredText, valueAt } from '../http/fields'
import { type Cents, covers, formatDecimal, microPerCent, type Pence, paddedSource, type RateNano } from '../money'
import type { Customer, ExternalAccount, Wallet } from '../storage/records'
import { requireActive, requireFasterPayments } from './customers'
import { ratesAt } from './rates'

export interface TransferOrder {
  readonly customer: Customer
  readonly wallet: Wallet
  readonly account: ExternalAccount
  readonly clientReferenceId: string | null
  readonly reference: string | null
  readonly outputPence: Pence
  readonly sourceCents: Cents
  readonly developerFeeCents: Cents
  readonly rateNano: RateNano
}

/** Faster Payments carries 18 characters of this set. */
const referenceCharacters = /^[a-zA-Z0-9/\-?:().,’+\s#=!"%&*<>;{@]*$/

export function readTransferOrder(call: Call): TransferOrder {
  const { body } = call
  requiredChoice(body, 'source.payment_rail', ['bridge_wallet'])
  requiredChoice(body, 'source.currency', ['usdc'])
  requiredChoice(body, 'destination.payment_rail', ['faster_payments'])
  requiredChoice(body, 'destination.currency', ['gbp'])
  if (valueAt(body, 'amount') !== undefined)
    throw invalid('amount', 'amount and destination.amount exclude each other.')
  const reference = optionalText(body, 'destination.reference', {
    max: 18,
    pattern: referenceCharacters,
    says: 'has characters that Faster Payments does not carry',
  })
  const clientReferenceId = optionalText(body, 'client_reference_id', { min: 1, max: 256 })
  const customer = customerIn(call)
  const wallet = walletIn(call, customer)
  const account = accountIn(call, customer)
  return { customer, wallet, account, clientReferenceId, reference, ...readAmounts(call) }
}

function readAmounts(
  call: Call,
): Pick<TransferOrder, 'outputPence' | 'sourceCents' | 'developerFeeCents' | 'rateNano'> {
  const { bank, body } = call
  const outputPence = requiredAmount(body, 'destination.amount', 2)
  const developerFeeCents = optionalAmount(body, 'developer_fee', 2) ?? 0n
  const given = optionalAmount(body, 'source.amount', 2)
  const rateNano = ratesAt(call).sell
  const sourceCents = given ?? paddedSource(outputPence, rateNano) + developerFeeCents
  const key = given === null ? 'destination.amount' : 'source.amount'
  if (!covers(sourceCents - developerFeeCents, outputPence, rateNano)) {
    throw invalid(key, 'source.amount does not cover destination.amount at the current rate.')
  }
  const minimum = bank.settings.sourceMinimumMicro
  if ((sourceCents - developerFeeCents) * microPerCent < minimum) {
    throw invalid(key, `The source must be at least ${formatDecimal(minimum, 6)} usdc after fees.`)
  }
  return { outputPence, sourceCents, developerFeeCents, rateNano }
}

function customerIn({ books, body }: Call): Customer {
  const customer = books.customers.get(requiredText(body, 'on_behalf_of'))
  if (!customer) throw unknownIn('on_behalf_of', 'customer')
  requireActive(customer)
  requireFasterPayments(customer)
  return customer
}

function walletIn({ books, body }: Call, customer: Customer): Wallet {
  const wallet = books.wallets.get(requiredText(body, 'source.bridge_wallet_id'))
  if (!wallet || wallet.customerId !== customer.id) throw unknownIn('source.bridge_wallet_id', 'wallet')
  return wallet
}

function accountIn({ books, body }: Call, customer: Customer): ExternalAccount {
  const key = 'destination.external_account_id'
  const account = books.externalAccounts.get(requiredText(body, key))
  if (!account || account.customerId !== customer.id) throw unknownIn(key, 'external account')
  if (account.deactivationReason !== null) {
    throw refusal(400, 'deactivated_external_account', 'The external account is not active.', key)
  }
  return account
}
