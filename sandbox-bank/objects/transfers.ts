// Transfers with a fixed output: created if the wallet covers them, otherwise refused and not stored.
import { randomUUID } from 'node:crypto'
import { aboutTransfer, moveTransfer } from '../clock/moves'
import { type Call, get, type Outcome, post, type Route, remove } from '../http/call'
import { insufficientFunds, invalid, notFound, notFoundInBody, refusal } from '../http/errors'
import { optionalAmount, optionalText, requiredAmount, requiredChoice, requiredText, valueAt } from '../http/fields'
import { listPage } from '../http/lists'
import { type Cents, covers, formatDecimal, microPerCent, type Pence, paddedSource, type RateNano } from '../money'
import type { Customer, ExternalAccount, Put, Transfer, Wallet } from '../storage/records'
import { customerOf, requireActive, requireFasterPayments } from './customers'
import { ratesAt } from './rates'
import { presentTransfer } from './transfer-json'
import { moveMoney, walletIn } from './wallets'

export const transferRoutes: readonly Route[] = [
  post('/transfers', createTransfer),
  get('/transfers', (call) => listTransfers(call, call.books.transfers.all())),
  get('/transfers/:transfer', (call) => presentTransfer(transferOf(call))),
  remove('/transfers/:transfer', cancelTransfer),
  get('/customers/:customer/transfers', (call) => listTransfers(call, call.books.transfers.of(customerOf(call).id))),
]

/**
 * A request with the same client_reference_id but another key creates a second transfer, so that tests detect double
 * payments.
 */
function createTransfer(call: Call): Outcome {
  const order = readTransferOrder(call)
  const amountMicro = order.sourceCents * microPerCent
  if (order.wallet.balanceMicro < amountMicro) throw insufficientFunds()

  const blank = blankTransfer(call, order)
  const route = { type: 'transfer', objectId: blank.id } as const
  const debit = moveMoney(call, order.wallet, { type: 'withdrawal', amountMicro, route })
  const move = failsAtOnce(call, order)
    ? { state: 'undeliverable', reason: 'AC03' }
    : { state: call.bank.settings.firstState, reason: null }
  const puts: Put[] = [...debit, ...moveTransfer(call, blank, move)]
  const created = puts.flatMap((put) => (put[0] === 'transfers' ? [put[1]] : []))[0] ?? blank
  return { status: 201, body: presentTransfer(created), what: 'transfer.created', puts }
}

/** The only special value in the sandbox: an account number that ends in 0000 does not exist. */
function failsAtOnce({ environment }: Call, { account }: TransferOrder): boolean {
  return environment === 'sandbox' && account.accountNumber.endsWith('0000')
}

function blankTransfer({ now }: Call, order: TransferOrder): Transfer {
  return {
    id: randomUUID(),
    customerId: order.customer.id,
    walletId: order.wallet.id,
    externalAccountId: order.account.id,
    clientReferenceId: order.clientReferenceId,
    state: '',
    outputPence: order.outputPence,
    sourceCents: order.sourceCents,
    developerFeeCents: order.developerFeeCents,
    rateNano: order.rateNano,
    reference: order.reference,
    fromAddress: order.wallet.address,
    returnReason: null,
    refundReferenceId: null,
    next: null,
    createdAt: now,
    updatedAt: now,
  }
}

function listTransfers(call: Call, rows: readonly Transfer[]) {
  return listPage(call, rows, presentTransfer, aboutTransfer)
}

function cancelTransfer(call: Call): Outcome {
  const transfer = transferOf(call)
  if (transfer.state !== 'awaiting_funds') {
    throw refusal(409, 'resource_state_conflict', 'Only a transfer in awaiting_funds can be deleted.')
  }
  const puts = moveTransfer(call, transfer, { state: 'canceled', reason: null })
  return {
    status: 200,
    body: presentTransfer({ ...transfer, state: 'canceled', updatedAt: call.now }),
    what: 'transfer.canceled',
    puts,
  }
}

function transferOf(call: Call): Transfer {
  const transfer = call.books.transfers.get(call.param('transfer'))
  if (!transfer) throw notFound('transfer')
  return transfer
}

interface TransferOrder {
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

/** Faster Payments transmits 18 characters from this set. */
const referenceCharacters = /^[a-zA-Z0-9/\-?:().,’+\s#=!"%&*<>;{@]*$/

/** Checks a transfer request in the same order as the real bank. */
function readTransferOrder(call: Call): TransferOrder {
  const { body } = call
  requiredChoice(body, 'source.payment_rail', ['bridge_wallet'])
  requiredChoice(body, 'source.currency', ['usdc'])
  requiredChoice(body, 'destination.payment_rail', ['faster_payments'])
  requiredChoice(body, 'destination.currency', ['gbp'])
  if (valueAt(body, 'amount') !== undefined)
    throw invalid('amount', 'amount and destination.amount cannot be used together.')
  const reference = optionalText(body, 'destination.reference', {
    max: 18,
    pattern: referenceCharacters,
    says: 'has characters that Faster Payments does not carry',
  })
  const clientReferenceId = optionalText(body, 'client_reference_id', { min: 1, max: 256 })
  const customer = customerIn(call)
  const wallet = walletIn(call, customer, 'source.bridge_wallet_id')
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
  if (!customer) throw notFoundInBody('on_behalf_of', 'customer')
  requireActive(customer)
  requireFasterPayments(customer)
  return customer
}

function accountIn({ books, body }: Call, customer: Customer): ExternalAccount {
  const key = 'destination.external_account_id'
  const account = books.externalAccounts.get(requiredText(body, key))
  if (!account || account.customerId !== customer.id) throw notFoundInBody(key, 'external account')
  if (account.deactivationReason !== null) {
    throw refusal(400, 'deactivated_external_account', 'The external account is not active.', key)
  }
  return account
}
