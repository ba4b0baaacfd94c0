// Virtual accounts: a sort code and account number. Pounds paid in become USDC in the customer's wallet.
import { randomInt, randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Outcome, post, type Route } from '../http/call'
import { notFound } from '../http/errors'
import { requiredChoice } from '../http/fields'
import { listPage } from '../http/lists'
import type { VirtualAccount } from '../storage/records'
import { customerOf, requireActive, requireFasterPayments } from './customers'
import { presentActivity } from './incoming'
import { walletIn } from './wallets'

export const virtualAccountRoutes: readonly Route[] = [
  post('/customers/:customer/virtual_accounts', createVirtualAccount),
  get('/customers/:customer/virtual_accounts', listVirtualAccounts),
  get('/customers/:customer/virtual_accounts/:virtual', (call) => present(virtualAccountOf(call))),
  get('/customers/:customer/virtual_accounts/:virtual/history', listActivity),
]

function createVirtualAccount(call: Call): Outcome {
  const { body, now } = call
  const customer = customerOf(call)
  requiredChoice(body, 'source.currency', ['gbp'])
  requiredChoice(body, 'destination.currency', ['usdc'])
  const wallet = walletIn(call, customer, 'destination.bridge_wallet_id')
  // If the destination is a wallet, the bank's payment_rail is the name of the wallet's chain.
  requiredChoice(body, 'destination.payment_rail', [wallet.chain])
  requireActive(customer)
  requireFasterPayments(customer)
  const account: VirtualAccount = {
    id: randomUUID(),
    customerId: customer.id,
    walletId: wallet.id,
    chain: wallet.chain,
    sortCode: '040668',
    accountNumber: String(randomInt(10_000_000, 99_999_999)),
    holderName: customer.fullName,
    createdAt: now,
  }
  return { status: 201, body: present(account), what: 'virtual_account.created', puts: [['virtualAccounts', account]] }
}

function listVirtualAccounts(call: Call) {
  return listPage(call, call.books.virtualAccounts.of(customerOf(call).id), present)
}

function listActivity(call: Call) {
  const rows = call.books.activities.of(virtualAccountOf(call).id)
  return listPage(call, rows, presentActivity)
}

function virtualAccountOf(call: Call): VirtualAccount {
  const account = call.books.virtualAccounts.get(call.param('virtual'))
  if (!account || account.customerId !== customerOf(call).id) throw notFound('virtual_account')
  return account
}

function present(account: VirtualAccount): Record<string, unknown> {
  return {
    id: account.id,
    status: 'activated',
    customer_id: account.customerId,
    source_deposit_instructions: {
      currency: 'gbp',
      account_number: account.accountNumber,
      sort_code: account.sortCode,
      account_holder_name: account.holderName,
      bank_name: 'Sandbox Bank',
      payment_rails: ['faster_payments'],
    },
    destination: { payment_rail: account.chain, currency: 'usdc', bridge_wallet_id: account.walletId },
    created_at: isoTime(account.createdAt),
  }
}
